package watch

import (
	"fmt"
	"testing"
	"time"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

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
		if got := fmt.Sprint(bankDays(c, row.day, 3)); got != row.want {
			t.Errorf("%s: %s, want %s", row.says, got, row.want)
		}
	}
}
