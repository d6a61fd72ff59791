package entries_test

import (
	"slices"
	"testing"

	"concilia/jobs/entries"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// TestBookings: what is no title has one entry while it holds, on its own day if that month is open, and what becomes
// other is reversed and made anew by the event that brings the change.
func TestBookings(t *testing.T) {
	t.Parallel()
	day := func(d int) ledger.Date { return ledger.NewDate(2026, 11, d) }
	come := func(on ledger.Date, amount ledger.Amount) *bookkeeping.Booking {
		return &bookkeeping.Booking{
			Type: bookkeeping.EntryBank, Subject: "match:1001:itau-12345:0a", Title: "account:1001", On: on, Named: "itau-12345 service",
			Lines: []bookkeeping.EntryLine{{Role: bookkeeping.RoleBank, Amount: amount}, {Role: bookkeeping.RoleService, Amount: -amount}},
		}
	}
	closedUntil := ledger.Date(0)
	book := &entries.Book{Terms: entries.Terms{
		Account: 1001, Method: bookkeeping.Accrual, Source: bookkeeping.CardEvents, Set: 3, Cut: 3, AsOf: day(20), From: day(1),
		OpenDay: func(_ bool, d ledger.Date) ledger.Date { return max(d, closedUntil+1) },
	}}
	type line struct {
		posted ledger.Date
		amount ledger.Amount // of the first line
		text   string
	}
	var standing []bookkeeping.Entry
	for n, step := range []struct {
		says  string
		now   *bookkeeping.Booking
		close ledger.Date
		want  []line
	}{
		{"a match has an entry on the day of the bank", come(day(10), 357_9800), 0, []line{{day(10), 357_9800, "BANCO ITAU-12345 SERVICE"}}},
		{"the same match has no other", come(day(10), 357_9800), 0, nil},
		{"one line less is another entry", come(day(10), 200_0000), 0, []line{
			{day(19), 357_9800, "ESTORNO BANCO ITAU-12345 SERVICE REF 10/11/2026"}, {day(19), 200_0000, "BANCO ITAU-12345 SERVICE REF 10/11/2026"},
		}},
		{"a match that is taken apart is reversed", nil, 0, []line{{day(19), 200_0000, "ESTORNO BANCO ITAU-12345 SERVICE REF 10/11/2026"}}},
		{"what is of a closed month is posted the day before, or on the first open one", come(day(10), 50_0000), day(19), []line{
			{day(20), 50_0000, "BANCO ITAU-12345 SERVICE REF 10/11/2026"},
		}},
	} {
		closedUntil = step.close
		made := book.PostBooking(step.now, &bookkeeping.Event{ID: string(rune('a' + n)), Cut: 3, Position: n + 1}, standing)
		var got []line
		for _, e := range made {
			got = append(got, line{e.Posted, e.Lines[0].Amount, e.Text})
			if e.Balance() != 0 || e.Number == 0 || e.Occurred != day(10) || e.Method != bookkeeping.Accrual {
				t.Errorf("%s: %+v", step.says, e)
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.says, got, step.want)
		}
		for i := range made {
			if r := made[i].Reverses; r != "" {
				standing = slices.DeleteFunc(standing, func(s bookkeeping.Entry) bool { return s.ID() == r })
			} else {
				standing = append(standing, made[i])
			}
		}
	}
	book.OpenBookings([]bookkeeping.Booking{*come(day(1)-3, 80_0000)}, 1)
	book.OpenBookings([]bookkeeping.Booking{*come(day(1)-3, 30_0000)}, -1)
	opening := book.OpeningEntries()
	if len(opening) != 1 || !slices.Equal(opening[0].Lines, []bookkeeping.EntryLine{{Role: bookkeeping.RoleBank, Amount: 50_0000}, {Role: bookkeeping.RoleService, Amount: -50_0000}}) {
		t.Errorf("the opening balance has %+v", opening)
	}
}
