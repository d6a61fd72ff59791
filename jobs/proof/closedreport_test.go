package proof_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// A report of a closed month names what was closed and makes no revision of it, whatever changed since; what became of it
// is in another report; reopened it gets its next revision, and a restatement is never what a close takes for the month.
func TestReportOfAClosedMonth(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l := april(t, jobstest.OnSQLite())
	l.nights(1, nil)
	l.closes(report.ByOperation)
	l.nights(1, both(on("A", 1, record{"installmentValue": num("90")}), pullAgain("2026-03-04", "2026-03-31")))
	together := false
	ask := func(formats []string, kinds ...string) (files []string, err error) {
		s, err := l.Report(t.Context(), jobs.ReportRequest{
			Period: ledger.Period{From: proofDay("2026-03-04"), To: march.To}, Basis: "operation", Kinds: kinds, Formats: formats,
			AccountsNamed: !together,
		})
		if err != nil {
			return nil, err
		}
		for _, err := range s.Unpublished {
			t.Error(err)
		}
		for _, f := range s.Files {
			name, _, _ := strings.Cut(filepath.Base(f.Path), "_")
			if f.New {
				name += " new"
			}
			files = append(files, name+filepath.Base(f.Path)[strings.LastIndexByte(filepath.Base(f.Path), '_'):])
		}
		slices.Sort(files)
		return files, nil
	}
	for _, tc := range []struct {
		says           string
		formats, kinds []string
		want           string // files, or what the refusal says
	}{
		{"what is configured stands as it was closed", nil, nil, "control_r0.csv installments_r0.csv restatement_r0.csv slips-summary_r0.csv slips_r0.csv summary_r0.csv"},
		{"a kind of it stands with its set", nil, []string{"summary"}, "control_r0.csv installments_r0.csv restatement_r0.csv slips-summary_r0.csv slips_r0.csv summary_r0.csv"},
		{"a kind that was not closed is refused", nil, []string{"splits"}, "2026-03 of account 1001 is closed on basis operation: revision 0 stands, and has no splits"},
		{"a format that was not closed is refused", []string{"xlsx"}, nil, "has no file in xlsx"},
		{"a restatement brings no workbook in place of the closed one", []string{"xlsx"}, []string{"restatement"}, "keeps its workbook and its page"},
		{"a restatement by itself is told beside it", []string{"csv", "html"}, []string{"restatement"}, "control new_r1.csv restatement new_r1.csv"},
		{"and takes the place of nothing that was closed", nil, []string{"summary"}, "control_r0.csv installments_r0.csv restatement_r0.csv slips-summary_r0.csv slips_r0.csv summary_r0.csv"},
	} {
		files, err := ask(tc.formats, tc.kinds...)
		var told *casework.RequestError
		switch got := strings.Join(files, " "); {
		case err == nil && got != tc.want:
			t.Errorf("%s: %s", tc.says, got)
		case err != nil && (!errors.As(err, &told) || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v", tc.says, err)
		}
	}

	together = true
	if files, err := ask(nil, "summary"); err != nil || strings.Count(strings.Join(files, " "), " summary_r0.csv") != 2 {
		t.Error("of all accounts what was closed stands too:", files, err)
	}
	together = false
	if got, err := l.period(l.desk(), ledger.ReopenPeriod, report.ByOperation, "ana"); err != nil || got != "done" {
		t.Fatal(got, err)
	}
	l.closes(report.ByOperation)
	closes, err := l.Ledger.PeriodCloses(t.Context(), caselog.PeriodFilter{InForce: true})
	if err != nil || len(closes) != 1 || closes[0].Revision != 0 {
		t.Errorf("closed again the month is what was reported last: %v, %v", closes, err)
	}
	if _, err := l.period(l.desk(), ledger.ReopenPeriod, report.ByOperation, "ana"); err != nil {
		t.Fatal(err)
	}
	if files, err := ask(nil); err != nil || !slices.Contains(files, "summary new_r2.csv") {
		t.Error("reopened it gets its next revision:", files, err)
	}
}
