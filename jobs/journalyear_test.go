package jobs_test

import (
	"os"
	"path/filepath"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/journal"
	"concilia/export/journal/journaltest"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// TestJournalOfAYear: of a year of the demo's shops, reported by the first night, the programs of accountants take the journal of each account
// by either method, and refuse it after an amount is changed by a cent. Without CONCILIA_YEAR=1 it is a quarter of one.
func TestJournalOfAYear(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	days := 91
	if os.Getenv("CONCILIA_YEAR") == "1" || os.Getenv("CONCILIA_LONG") == "1" {
		days = 365
	}
	m := moving(t, world.Options{Seed: 1, Days: days, Plant: true, AsOf: movementDay})
	m.Movement.From, m.Movement.Formats = m.Today()-ledger.Date(days), []report.Format{report.CSV}
	m.Plan.SlipsDueBack = days
	m.RunNight(t)
	year := ledger.Period{From: m.Movement.From, To: m.Today()}
	formats := map[string]journal.Format{".beancount": journal.Beancount, ".journal": journal.HLedger}
	var files []string
	for _, method := range bookkeeping.Methods() {
		m.Journal = jobs.JournalSettings{Chart: journaltest.WholeChart(method, journal.ByDay, m.accountNumbers()...), File: "accounts.yaml"}
		s, err := m.Report(t.Context(), jobs.ReportRequest{
			Period: year, Basis: "operation", Kinds: []string{"journal"}, Formats: []string{"beancount", "hledger"},
		})
		if err != nil || len(s.Unpublished) > 0 {
			t.Fatal(method, err, s)
		}
		for _, f := range s.Files {
			if format := formats[filepath.Ext(f.Path)]; format != "" {
				files = append(files, f.Path)
				if got := readTotals(t, f.Path, format); got.Entries < int64(3*days) {
					t.Errorf("%s has %d entries of %d days", f.Path, got.Entries, days)
				}
			}
		}
	}
	if len(files) != 8 {
		t.Errorf("journals: %q", files)
	}
	journaltest.CheckJudged(t, files...)
}
