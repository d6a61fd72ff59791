package wire

import (
	"testing"

	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// Accounts without days of their own share a calendar, and days of one account are no other's.
func TestCalendarsOfAccounts(t *testing.T) {
	c := &config.Config{Accounts: []config.Account{
		{Number: 1, Since: "2026-01-01"},
		{Number: 2, Since: "2026-01-01", Calendar: config.Calendar{Extra: []string{"2026-11-18"}}},
		{Number: 3, Since: "2026-01-01"},
	}}
	var w jobs.Worker
	if err := wireCalendars(c, &w); err != nil {
		t.Fatal(err)
	}
	if w.Inputs.Calendar(1) != w.Inputs.Calendar(3) {
		t.Error("two accounts without days of their own have two calendars")
	}
	for account, open := range map[ledger.Account]bool{1: true, 2: false, 3: true} {
		if got := w.Inputs.Calendar(account).IsBusinessDay(calendar.Counter, ledger.NewDate(2026, 11, 18)); got != open {
			t.Errorf("account %d: its day is open: %t", account, got)
		}
	}
}
