package entries_test

import (
	"strings"
	"testing"

	"concilia/jobs/entries"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// TestDayEntriesAreNamed: an office that keeps the keys of entries finds an entry of a day by the same key whenever it is made, and reads in
// its text how many rows it is of.
func TestDayEntriesAreNamed(t *testing.T) {
	t.Parallel()
	day := ledger.NewDate(2026, 11, 17)
	for _, c := range []struct{ says, got, want string }{
		{"the key: SHA-256 of account, day, entry, no mark, brand, product and set by line feeds", entries.DayID(1001, day, bookkeeping.EntryFees, false, "visa", ledger.Credit, 3), "991a1e035cfa58cf"},
		{"a reversal has a key of its own, and what is of no card has neither brand nor product", entries.DayID(1001, day, bookkeeping.EntrySettled, true, "", "", 12), "f9cdaaf6fc7429ce"},
		{"the text", entries.DayText(bookkeeping.EntryFees, false, "visa", 9), "TAXAS VISA 9 LINHAS"},
		{"of a reversal", entries.DayText(bookkeeping.EntrySettled, true, "elo", 1), "ESTORNO RECEB ELO 1 LINHAS"},
		{"of no card", entries.DayText(bookkeeping.EntryBank, false, "", 2), "BANCO 2 LINHAS"},
		{"of claims that were given up", entries.DayText(bookkeeping.EntryClaimWrittenOff, false, "visa", 1), "PERDA VISA 1 LINHAS"},
		{"of what dates from before the first day", entries.DayText(bookkeeping.EntryOpening, false, "", 2), "SALDO ANTERIOR 2 LINHAS"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.says, c.got, c.want)
		}
	}
}

// TestTextsHoldNothingThatAFormatReads: bars, quotes, semicolons, line ends and letters that are not ASCII become blanks, of which one is left
// between words, and a text has room for what is put before and after it.
func TestTextsHoldNothingThatAFormatReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, named, want string }{
		{"what formats read", "Açaí | \"x\"; \\ y\r\nz", "BANCO A A X Y Z"},
		{"a long name", strings.Repeat("x", 600), "BANCO " + strings.Repeat("X", 474)},
	} {
		book := &entries.Book{Terms: entries.Terms{
			Account: 1001, Method: bookkeeping.Cash, Source: bookkeeping.CardEvents, Set: 1, Cut: 1, AsOf: 3, From: 1, OpenDay: func(_ bool, d ledger.Date) ledger.Date { return d },
		}}
		made := book.PostBooking(&bookkeeping.Booking{
			Type: bookkeeping.EntryBank, Subject: "match:1001:itau:0a", Title: "account:1001", On: 2, Named: c.named,
			Lines: []bookkeeping.EntryLine{{Role: bookkeeping.RoleBank, Amount: 1}, {Role: bookkeeping.RoleService, Amount: -1}},
		}, &bookkeeping.Event{ID: "0123456789abcdef", Cut: 1, Position: 1}, nil)
		if len(made) != 1 || made[0].Text != c.want {
			t.Errorf("%s: %+v, want one entry with text %q", c.says, made, c.want)
		}
	}
}
