package jobs_test

import (
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// Years of many accounts in one call: every day of every list is complete at its end, in far fewer questions than days,
// and the rules find nothing in what is clean. CONCILIA_LONG=1 makes it three years of ten accounts.
func TestBackfillOfYears(t *testing.T) {
	jobstest.Spare(t)
	accounts, days := int(jobstest.Long(3, 10)), int(jobstest.Long(90, 3*365))
	o := world.Options{Seed: 97, Days: days, SlipsPerDay: 1}
	for i := range accounts {
		o.Accounts = append(o.Accounts, world.Account{Number: 1001 + int64(i), Name: "Loja", Splits: i%2 == 1})
	}
	m := newMerchant(t, o)
	m.SkipReports()
	m.Parallel = 4
	for i := range m.Accounts {
		m.Accounts[i].Since = m.Today() - 1
	}
	period := ledger.Period{From: m.Today() - ledger.Date(days), To: m.Today() - 1}
	began := time.Now()
	s := m.backfill(t, jobs.BackfillRequest{Period: period})
	t.Logf("%d accounts, %d days: %d requests, %d rows in %s", accounts, days, s.Pulled.Requests, s.Pulled.Rows, time.Since(began).Round(time.Second))
	if s.Verdict != ledger.Reconciled || len(s.Findings) > 0 {
		t.Errorf("the verdict is %s, found %v", s.Verdict, s.Findings)
	}
	asked := accounts * days * len(everySource())
	if s.Windows != asked || s.Pulled.Requests >= int64(asked)/4 {
		t.Errorf("%d requests for %d of %d days", s.Pulled.Requests, s.Windows, asked)
	}
	covers, err := m.viewer().ReadCoverage(t.Context(), m.Today(), period, everySource())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range covers {
		if c.Complete != days {
			t.Errorf("account %s, %s: %d of %d days are complete", c.Account, c.Source, c.Complete, days)
		}
	}
}
