package entries_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/journal"
	"concilia/export/report/othersides"
	"concilia/export/table"
	"concilia/jobs/entries"
	"concilia/jobs/movement"
	"concilia/jobs/movement/movementtest"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// bookkeeper tells the changes of titles night after night, and keeps the entries that they make.
type bookkeeper struct {
	t       *testing.T
	from    ledger.Date
	method  bookkeeping.Method
	sent    map[string]bookkeeping.TitleHistory
	last    map[string]*bookkeeping.Booked // what is remembered of titles
	booked  []bookkeeping.Entry
	stands  map[string][]bookkeeping.Entry // made and not reversed, by title
	opening entries.Opening
}

// tell makes the entries of a change on a night, whose set is numbered by the day of the month.
func (k *bookkeeper) tell(asOf string, c bookkeeping.TitleChange) {
	k.t.Helper()
	day, _ := ledger.ParseDate(asOf)
	h, ok := k.sent[c.Subject]
	if !ok {
		h = c.History
	}
	c.History = h
	post := entries.Terms{
		Account: 1001, Method: k.method, Source: bookkeeping.CardEvents, Set: day.Day(), Cut: int(day), AsOf: day, From: k.from,
		OpenDay: func(_ bool, day ledger.Date) ledger.Date { return day },
	}
	post.Remember(&c, k.last[c.Subject])
	terms := movement.Terms{Account: 1001, Source: bookkeeping.CardEvents, AsOf: day, From: k.from}
	if strings.HasPrefix(c.Subject, "slip:") {
		terms.Source = bookkeeping.SlipEvents
	}
	told, _ := terms.Compare(&c)
	k.remember(&c, told)
	for i := range told {
		told[i].Position, told[i].Cut = i+1, day.Day()
	}
	made := post.Post(&c, told, k.stands[c.Subject], &k.opening)
	for _, e := range made {
		if e.Reverses == "" {
			k.stands[c.Subject] = append(k.stands[c.Subject], e)
			continue
		}
		k.stands[c.Subject] = slices.DeleteFunc(k.stands[c.Subject], func(s bookkeeping.Entry) bool { return s.ID() == e.Reverses })
	}
	k.booked = append(k.booked, made...)
}

// remember keeps the events of a title, and what the journal remembers of it, as the ledger does.
func (k *bookkeeper) remember(c *bookkeeping.TitleChange, told []bookkeeping.Event) {
	for i := range told {
		e := &told[i]
		if c.History.Said == nil {
			c.History.Said = map[string]bool{}
		}
		if c.History.Said[e.Movement] = true; e.Reason == bookkeeping.LeftAfterSettlement || e.Type == bookkeeping.EventTakenBack {
			c.History.Said["06"] = true
		}
	}
	k.sent[c.Subject] = c.History
	if len(told) == 0 || k.last == nil {
		return
	}
	for _, s := range []*bookkeeping.TitleState{c.After, c.Before} {
		if s != nil && s.Booked != nil {
			k.last[c.Subject] = s.Booked
			return
		}
	}
}

// exampleChart is that of the example.
func exampleChart() *journal.Chart {
	return &journal.Chart{Method: bookkeeping.Accrual, Grain: journal.ByRow, Roles: map[bookkeeping.Role]journal.Account{
		bookkeeping.RoleReceivable: {Code: "1105", Path: "Assets:Cartoes"}, bookkeeping.RoleService: {Code: "1106", Path: "Assets:Servico"},
		bookkeeping.RoleClaims: {Code: "1107", Path: "Assets:Reclamado"}, bookkeeping.RoleSales: {Code: "3101", Path: "Income:Vendas"},
		bookkeeping.RoleReturns: {Code: "3105", Path: "Income:Devolucoes"}, bookkeeping.RoleMDR: {Code: "4301", Path: "Expenses:MDR"},
		bookkeeping.RoleTransactionFee: {Code: "4302", Path: "Expenses:Tarifas"}, bookkeeping.RoleAntifraudFee: {Code: "4303", Path: "Expenses:Antifraude"},
		bookkeeping.RoleSplitCost: {Code: "4310", Path: "Expenses:Splits"}, bookkeeping.RoleSplitPayable: {Code: "2105", Path: "Liabilities:Splits"},
		bookkeeping.RoleOpening: {Code: "2901", Path: "Equity:Anterior"},
	}}
}

// exampleEntries are those of the month of the example: an installment that stood before the month is settled 0.10 short with a share,
// and the money comes a week later; a sale of the month is cancelled unpaid.
func exampleEntries(t *testing.T) []bookkeeping.Entry {
	t.Helper()
	from, _ := ledger.ParseDate("2026-11-01")
	k := &bookkeeper{t: t, from: from, method: bookkeeping.Accrual, sent: map[string]bookkeeping.TitleHistory{}, stands: map[string][]bookkeeping.Entry{}}
	changes := movementtest.ExampleTitles()
	settled, cancelled := changes[1], changes[2]
	sold := bookkeeping.TitleChange{Subject: cancelled.Subject, After: cancelled.Before}
	k.tell("2026-11-17", sold)
	k.tell("2026-11-20", settled)
	k.tell("2026-11-20", cancelled)
	v, e := movementtest.NewCard("2026-10-19T10:00:00", "000123456789", "A1B2C3", "PEDIDO-1001", "2026-11-18", 2, 3, 10000, 299)
	e.Class, v.Effective, v.Received = ledger.Received, settled.After.Card.Effective, movementtest.BRL(9661)
	v.Splits = []ledger.Split{{Beneficiary: "11444777000161", Type: "P", Value: movementtest.BRL(966)}}
	k.tell("2026-11-27", bookkeeping.TitleChange{Subject: settled.Subject, Before: settled.After, After: movement.CardState(v, e, false), Known: true})
	return k.booked
}

// TestJournalExample writes the journal of a month in every format, byte for byte.
func TestJournalExample(t *testing.T) {
	t.Parallel()
	from, _ := ledger.ParseDate("2026-11-01")
	head := &journal.Head{
		Account: 1001, Document: "12345678000195", Period: ledger.Period{From: from, To: from.MonthEnd()},
		Balances: []journal.Balance{
			{Role: bookkeeping.RoleReceivable, Brand: "visa", Opening: 193_2200, Closing: 96_6100},
			{Role: bookkeeping.RoleService, Brand: "visa", Debits: 193_1200, Closing: 96_6100},
			{Role: bookkeeping.RoleClaims, Brand: "visa", Debits: 1000, Credits: 1000},
			{Role: bookkeeping.RoleSplitPayable, Brand: "visa", Credits: 9_6600, Closing: -9_6600},
		},
	}
	for _, r := range []bookkeeping.Role{
		bookkeeping.RoleSales, bookkeeping.RoleReturns, bookkeeping.RoleMDR, bookkeeping.RoleTransactionFee, bookkeeping.RoleAntifraudFee, bookkeeping.RoleSplitCost,
	} {
		head.Balances = append(head.Balances, journal.Balance{Role: r, Brand: "visa", Debits: 1})
	}
	booked := exampleEntries(t)
	for format, want := range map[journal.Format]string{
		journal.Beancount: "38e775a47407e336", journal.HLedger: "f53addcc2557774e", journal.Dominio: "180539807c0e7b6b",
	} {
		var out bytes.Buffer
		w, err := journal.NewWriter(&out, format, exampleChart(), head)
		if err != nil {
			t.Fatal(err)
		}
		for i := range booked {
			if err := w.Write(&booked[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		compareJournal(t, string(format), out.Bytes(), want)
	}
	var out bytes.Buffer
	w, err := table.NewCSVWriter(&out, othersides.JournalTable)
	if err != nil {
		t.Fatal(err)
	}
	row, chart := othersides.JournalTable.NewRow(), exampleChart()
	for i := range booked {
		for n, l := range booked[i].Lines {
			a := chart.AccountOf(1001, booked[i].Brand, l.Role)
			othersides.JournalLine(row, &booked[i], n, a.Code, a.Path)
			text, err := w.Encode(row)
			if err == nil {
				err = w.Write(text, row)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	compareJournal(t, "csv", out.Bytes(), "5a20eb0e3128e6f2")
}

// compareJournal compares a file with the one kept, and with the hash that the format was agreed by; UPDATE_GOLDEN=1 rewrites it.
func compareJournal(t *testing.T, name string, got []byte, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "journal", "example."+name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, kept) {
		t.Errorf("%s:\n%s\nwant:\n%s", path, got, kept)
	}
	sum := sha256.Sum256(got)
	if hash := hex.EncodeToString(sum[:8]); hash != want {
		t.Errorf("%s: SHA-256 %s, want %s", name, hash, want)
	}
}
