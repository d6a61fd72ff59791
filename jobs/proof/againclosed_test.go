package proof_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// A restatement comes out again as it was, whatever the service has changed in the closed month since and although the
// month was reopened meanwhile.
func TestAsOfRunOfARestatement(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	story := func(t *testing.T, where jobstest.Database) {
		t.Parallel()
		l := april(t, where)
		l.nights(1, nil)
		l.closes(report.ByOperation)
		march := func(l *lab) {
			days := ledger.Period{From: proofDay("2026-03-04"), To: march.To}
			if _, err := l.PullRange(t.Context(), days, []ledger.Source{ledger.Cards}); err != nil {
				t.Fatal(err)
			}
		}
		l.nights(1, both(on("A", 1, record{"installmentValue": num("90")}), march))
		first, rows := l.summary.Run, l.restated(report.ByOperation)
		stood := map[string]string{}
		for name, sum := range jobstest.HashFiles(t, l.Reports.Out) {
			if strings.Contains(name, "_operation_20260304_20260430_") {
				stood[name] = sum
			}
		}
		if len(rows) != 1 || len(stood) < 4 {
			t.Fatalf("%d rows restated in %d files", len(rows), len(stood))
		}
		l.nights(1, both(on("A", 1, record{"installmentValue": num("80")}), march))
		if got, err := l.period(l.desk(), ledger.ReopenPeriod, report.ByOperation, "rui"); err != nil || got != "done" {
			t.Fatal(got, err)
		}
		if err := os.RemoveAll(l.Reports.Out); err != nil {
			t.Fatal(err)
		}
		s, err := l.Report(t.Context(), jobs.ReportRequest{
			AsOfRun: first, Basis: "operation", Period: ledger.Period{From: proofDay("2026-03-04"), To: proofDay("2026-04-30")},
		})
		if err != nil || len(s.Unpublished) > 0 {
			t.Fatal(err, s)
		}
		if d := cmp.Diff(stood, jobstest.HashFiles(t, l.Reports.Out)); d != "" {
			t.Error(d)
		}
	}
	t.Run("sqlite", func(t *testing.T) { story(t, jobstest.OnSQLite()) })
	t.Run("postgres", func(t *testing.T) { story(t, jobstest.OnPostgres()) })
}

// A state set without a single case is proven like any other: the ages of none add up to nothing.
func TestStateWithoutACaseTies(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := jobstest.NewMerchant(t, world.Options{Seed: 61, Days: 10, Installments: 20})
	s := m.RunNight(t)
	found, err := filepath.Glob(filepath.Join(m.Out, "1001", "*", "*", "exceptions_1001_asof_*.csv"))
	if err != nil || len(found) != 1 || len(s.Unpublished) > 0 {
		t.Fatal(found, err, s.Unpublished)
	}
	if body, err := os.ReadFile(found[0]); err != nil || strings.Count(string(body), "\n") != 1 {
		t.Errorf("a case is listed: %s %v", body, err)
	}
}
