package jobs_test

import (
	"errors"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// A night in parts, as schedules start them: pulled, evaluated, published, each once more to no effect, and checked.
func TestNightInParts(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 5, Days: 20, Installments: 120, Plant: true})
	today := m.Today()
	m.Trigger = "cron pull 2026-11-18T05:00-03:00"
	pulled, err := m.PullNight(t.Context(), today)
	if err != nil {
		t.Fatal(err)
	}
	if pulled.Pulled == nil || pulled.Pulled.New == 0 || pulled.Verdict != "" || pulled.ExitCode() != jobs.ExitOK {
		t.Errorf("pulled: %+v", pulled)
	}
	if run, err := m.Ledger.RunByID(t.Context(), pulled.Run); err != nil || run.Kind != ledger.PullRun || run.Trigger != m.Trigger {
		t.Errorf("its record: %+v, %v", run, err)
	}
	var asked *casework.RequestError
	if _, err := m.ReportNight(t.Context()); !errors.As(err, &asked) {
		t.Errorf("a report of what nobody judged: %v", err)
	}
	judged, err := m.Reconcile(t.Context(), today)
	if err != nil {
		t.Fatal(err)
	}
	for i, fresh := range []bool{true, false} {
		told, err := m.ReportNight(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if told.Verdict != judged.Verdict || told.ExitCode() != judged.ExitCode() || len(told.Files) == 0 || len(told.Unpublished) > 0 {
			t.Errorf("report %d: verdict %s for %s, %d files, %v", i+1, told.Verdict, judged.Verdict, len(told.Files), told.Unpublished)
		}
		for _, f := range told.Files {
			if f.New != fresh || *f.Revision != 0 {
				t.Errorf("report %d: %s, revision %d, new %t", i+1, f.Path, *f.Revision, f.New)
			}
		}
	}
	for day, later := range map[ledger.Date]bool{today - 1: true, today: false, today + 1: false} {
		run, err := m.LaterReconciled(t.Context(), day)
		if err != nil || (run != nil) != later {
			t.Errorf("as of %s: a later reconcile %v, %v", day, run, err)
		}
	}

	one := *m.Worker
	one.Accounts = m.Accounts[:1]
	if _, err := one.Reconcile(t.Context(), today); err != nil {
		t.Fatal(err)
	}
	if _, err := m.ReportNight(t.Context()); !errors.As(err, &asked) {
		t.Errorf("a report of accounts that different runs judged: %v", err)
	}
	for _, c := range []struct {
		says string
		asOf ledger.Date // of the first account's last reconcile; the other's stays
		want int         // sets over all accounts
	}{
		{"different runs of one morning give the state of all accounts", today, 1},
		{"runs of different mornings give no state of all accounts", today + 1, 0},
	} {
		if _, err := one.Reconcile(t.Context(), c.asOf); err != nil {
			t.Fatal(err)
		}
		s, err := m.Report(t.Context(), jobs.ReportRequest{Basis: "asof"})
		if err != nil || len(s.Unpublished) > 0 {
			t.Fatal(err, s)
		}
		sets := map[string]int{}
		for _, f := range s.Files {
			account, _, _ := strings.Cut(strings.TrimPrefix(f.Path, m.Out+"/"), "/")
			if f.Kind == "control" {
				sets[account]++
			}
		}
		if sets["all"] != c.want || sets["1001"] != 1 || sets["1002"] != 1 {
			t.Errorf("%s: %v", c.says, sets)
		}
	}
}

// A check reads the ledger and asks where notifications go; it holds no account, and its record says what it came to.
func TestCheck(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 5, Days: 3, Installments: 10})
	if _, err := m.PullNight(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	var numbers []ledger.Account
	for _, a := range m.Accounts {
		numbers = append(numbers, a.Number)
	}
	lease, err := m.Ledger.LeaseAccounts(t.Context(), "another", numbers, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lease.Release(t.Context()) }()
	client := m.Service.(*api.Client)
	for _, c := range []struct {
		says, want string
		code       int
	}{
		{"no address is configured, so none is asked for", "", jobs.ExitOK},
		{"one is, and nothing is subscribed", "https://shop.example/notifications", jobs.ExitWarnings},
	} {
		found, err := m.Check(t.Context(), client, func(ledger.Account) string { return c.want })
		if err != nil {
			t.Fatal(err)
		}
		if found.ExitCode() != c.code || found.Report.Versions == 0 || len(found.Report.Faults) > 0 {
			t.Errorf("%s: exit %d, %+v", c.says, found.ExitCode(), found.Report)
		}
		run, err := m.Ledger.RunByID(t.Context(), found.Run)
		if err != nil || run.Kind != ledger.CheckRun || run.ExitCode != c.code || !run.Finished() {
			t.Errorf("%s: its record %+v, %v", c.says, run, err)
		}
	}
}
