package casework

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/jobs/calendar"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// TestBroken: of what came to break, first breaks and exceeded budgets are alarms of their own, an account each.
func TestBroken(t *testing.T) {
	t.Parallel()
	r := &RunOutcome{ID: "r1", AsOf: ledger.NewDate(2026, 11, 18)}
	broke := []facts.OpenedCases{
		{Code: "MDR_RATE_MISMATCH", Cases: 2, Impact: 3 * ledger.Real, FirstInPeriod: true},
		{Code: "RECEIVED_LATE", Cases: 1},
		{Code: "TOLERANCE_BUDGET_EXCEEDED", Cases: 1, FirstInPeriod: true},
	}
	for _, c := range []struct {
		name   string
		broke  []facts.OpenedCases
		wanted string
		want   string
	}{
		{"nothing broke", nil, "first_break budget", ""},
		{"a code that broke lately", broke[1:2], "first_break budget", ""},
		{"all of it", broke, "first_break budget", "first_break MDR_RATE_MISMATCH 2 3.00 TOLERANCE_BUDGET_EXCEEDED 1 0.00; budget TOLERANCE_BUDGET_EXCEEDED 1 0.00"},
		{"only budgets are wanted", broke, "budget", "budget TOLERANCE_BUDGET_EXCEEDED 1 0.00"},
		{"a budget exceeded again", []facts.OpenedCases{{Code: "TOLERANCE_BUDGET_EXCEEDED", Cases: 1}}, "first_break budget", "budget TOLERANCE_BUDGET_EXCEEDED 1 0.00"},
	} {
		var got []string
		for _, a := range alarmBroken(r, 1001, c.broke, func(on string) bool { return strings.Contains(c.wanted, on) }) {
			said := a.On
			for _, x := range a.Cases {
				said += strings.Join([]string{"", x.Code, string(rune('0' + x.Cases)), x.Impact}, " ")
			}
			got = append(got, said)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, strings.Join(got, "; "), c.want)
		}
	}
}

// Bank days are counted back from the day before, over weekends and holidays, as far as the calendar goes.
func TestBankDays(t *testing.T) {
	t.Parallel()
	c, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		says string
		day  ledger.Date
		want string
	}{
		{"a Wednesday", ledger.NewDate(2026, time.November, 18), "[2026-11-17 2026-11-16 2026-11-13]"},
		{"a Monday behind a holiday on Friday", ledger.NewDate(2026, time.November, 23), "[2026-11-19 2026-11-18 2026-11-17]"},
		{"the horizon begins", ledger.NewDate(calendar.FirstYear, time.January, 3), "[1990-01-02]"},
	} {
		if got := fmt.Sprint(lastBankDays(c, row.day, 3)); got != row.want {
			t.Errorf("%s: %s, want %s", row.says, got, row.want)
		}
	}
}
