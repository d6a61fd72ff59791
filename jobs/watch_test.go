package jobs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// doctored is a service whose search for cards has no rows from a day on, and breaks on another.
type doctored struct {
	pull.Service
	quietFrom, breaksOn ledger.Date
}

// SearchInstallments asks for a day long ago where the service is to be quiet: it answers, and has nothing.
func (d *doctored) SearchInstallments(
	ctx context.Context, a ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (api.Answer, error) {
	if d.breaksOn != 0 && from <= d.breaksOn && d.breaksOn <= to {
		return api.Answer{}, &api.Error{Operation: words.NewMessage("call.search_code", "account", 1001), Permanent: true, Err: errors.New("João da Silva is not at home")}
	}
	if d.quietFrom != 0 && from >= d.quietFrom {
		from, to = from-4000, to-4000
	}
	return d.Service.SearchInstallments(ctx, a, from, to, sink)
}

// TestAlarms: what a run gives reason for, in the words of the configuration, and what it does not.
func TestAlarms(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 5, Days: 40, Installments: 40})
	m.SkipReports()
	m.Accounts = m.Accounts[:1]
	m.Plan = plan.Settings{SlipsDueBack: 5, SlipsDueForward: 5}
	today := m.Today() // a Wednesday
	service := &doctored{Service: m.Service}
	m.Service = service
	all := func(string) bool { return true }
	alarms := func(s *jobs.Summary, wanted func(string) bool) string {
		t.Helper()
		got, err := (&casework.Watcher{
			Ledger: m.Ledger, Accounts: []ledger.Account{m.Accounts[0].Number}, Calendar: m.Inputs.Calendar,
		}).FindAlarms(t.Context(), s.Watched(), wanted)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, a := range got {
			said = append(said, a.On+" "+a.Cause+": "+a.Text)
			if a.AsOf != s.AsOf || a.Run != s.Run {
				t.Errorf("%s is of %s as of %s", a.On, a.Run, a.AsOf)
			}
		}
		return strings.Join(said, "\n")
	}
	night := func(quietFrom, breaksOn ledger.Date) *jobs.Summary {
		service.quietFrom, service.breaksOn = quietFrom, breaksOn
		return m.RunNight(t)
	}

	s := night(today-1, 0)
	if got := alarms(s, all); got != "" {
		t.Errorf("one business day without a row is no silence: %s", got)
	}
	s = night(0, today-20)
	if got := alarms(s, all); strings.Count(got, "\n") != 0 ||
		!strings.HasPrefix(got, "incomplete : the run as of 2026-11-18 is incomplete: 1 of ") || strings.Contains(got, "João") {
		t.Errorf("a window that was not pulled: %s", got)
	}
	quiet := newMerchant(t, world.Options{Seed: 5, Days: 40, Installments: 40})
	quiet.SkipReports()
	quiet.Accounts, quiet.Plan = quiet.Accounts[:1], m.Plan
	quiet.Service = &doctored{Service: quiet.Service, quietFrom: today - 4}
	m = quiet
	s = m.RunNight(t)
	want := "silence cards: account 1001: the service answers for cards and has no rows from 2026-11-16 to 2026-11-17, " +
		"but had on 20 of the 20 business days before"
	if got := alarms(s, func(on string) bool { return on == casework.OnSilence }); got != want {
		t.Errorf("two business days without a row: %q, want %q", got, want)
	}
	if got := alarms(s, func(string) bool { return false }); got != "" {
		t.Errorf("nothing was wanted: %s", got)
	}
	if came, err := casework.NightlyRunEnded(t.Context(), m.Ledger, today); err != nil || !came {
		t.Errorf("a night that came to its end: %v, %v", came, err)
	}
	if came, err := casework.NightlyRunEnded(t.Context(), m.Ledger, today+1); err != nil || came {
		t.Errorf("the night after: %v, %v", came, err)
	}
}
