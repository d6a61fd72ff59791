package source_test

import (
	"fmt"
	"testing"
	"time"

	"concilia/export/report"
	"concilia/jobs/source"
	"concilia/store/ledger"
)

// A night publishes the month of the day before it and the month before that, as far as the account is answered for.
func TestMonths(t *testing.T) {
	t.Parallel()
	day := func(m time.Month, d int) ledger.Date { return ledger.NewDate(2026, m, d) }
	for _, c := range []struct {
		says        string
		asOf, since ledger.Date
		want        string
	}{
		{"in the middle of a month", day(11, 18), day(1, 1), "[2026-11-01..2026-11-30 2026-10-01..2026-10-31]"},
		{"on the first day of a month the last one is still the newest", day(11, 1), day(1, 1), "[2026-10-01..2026-10-31 2026-09-01..2026-09-30]"},
		{"a month that begins before the account does is cut", day(11, 18), day(10, 20), "[2026-11-01..2026-11-30 2026-10-20..2026-10-31]"},
		{"a month before the account is left out", day(11, 18), day(11, 2), "[2026-11-02..2026-11-30]"},
		{"an account that begins this morning has none", day(11, 18), day(11, 18), "[]"},
	} {
		if got := fmt.Sprint(source.PublishedMonths(c.asOf, c.since)); got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
}

// What a run has no sides of has no names in its record: a zero would be a figure.
func TestNamed(t *testing.T) {
	t.Parallel()
	if got := source.NameTotals(nil); got != nil {
		t.Errorf("of no totals: %v", got)
	}
	if got := source.NameTotals(&report.Totals{}); got != nil {
		t.Errorf("of totals without sides: %v", got)
	}
	got := source.NameTotals(&report.Totals{Slips: &report.SlipTotals{Paid: 3 * ledger.Real}})
	if len(got) != 6 || got["slips.paid"] != 3*ledger.Real {
		t.Errorf("of slips alone: %v", got)
	}
}
