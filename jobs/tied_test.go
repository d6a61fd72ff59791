package jobs_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/control"
	"concilia/export/report"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// A file that does not tie used to be told with the run's end alone. It stands as a critical case with its figures until
// the set is published, night after night the same one, and holds nothing back that may make it good.
func TestLifeOfAFileThatDoesNotTie(t *testing.T) {
	t.Parallel()
	spare(t)
	for _, on := range []database{onSQLite(), onPostgres()} {
		t.Run(on.name, func(t *testing.T) {
			l := newLab(t, on)
			l.next(nil)
			month := ledger.Period{From: proofDay("2026-03-01"), To: proofDay("2026-03-31")}
			tied := func(basis report.Basis, failed error) {
				t.Helper()
				run, err := l.Ledger.RunByID(t.Context(), l.summary.Run)
				if err != nil {
					t.Fatal(err)
				}
				if err := l.Tied(t.Context(), run, l.Accounts[0], basis, month, failed); !errors.Is(err, failed) {
					t.Fatal(err)
				}
			}
			refused := func(read int64) error {
				return &control.MismatchError{Figure: control.Figure{
					File: "installments.csv", Measure: "received", Ledger: ledger.Some[int64](1_000_000), Writer: 1_000_000, Read: ledger.Some(read),
				}}
			}
			const subject = "file:1001:installments_1001_operation_20260301_20260331.csv"
			standing := func(says string, want ...string) {
				t.Helper()
				if d := cmp.Diff(want, l.standing()); d != "" && len(want)+len(l.standing()) > 0 {
					t.Errorf("%s (-want +got):\n%s", says, d)
				}
			}
			critical := runs.ProofFailed + " C - file:" + subject[len("file:1001:"):]
			tied(report.ByOperation, errors.New("the share is full"))
			standing("another failure is none of it")
			tied(report.ByOperation, refused(990_000))
			standing("refused", critical)
			f, err := l.Ledger.FindingByCase(t.Context(), ledger.CaseID(1001, subject, runs.ProofFailed))
			if err != nil {
				t.Fatal(err)
			}
			const said = "installments_1001_operation_20260301_20260331.csv does not tie, and nothing of its set is published: " +
				"received is 100.00 in the ledger, 100.00 as written, 99.00 in the file."
			if got := (catalogue.Voice{Language: "en"}).Explain(*f); got != said {
				t.Errorf("it says %q", got)
			}
			l.next(nil)
			if l.summary.Verdict == ledger.Incomplete || len(l.summary.Accounts[0].Withheld) > 0 || l.summary.Worst != ledger.Critical {
				t.Errorf("the night after: %s, withheld %v, worst %s", l.summary.Verdict, l.summary.Accounts[0].Withheld, l.summary.Worst)
			}
			standing("nobody published since", critical)
			tied(report.ByCredit, nil)
			standing("another set is published", critical)
			tied(report.ByOperation, refused(990_000))
			tied(report.ByOperation, nil)
			standing("it is published")
			tied(report.ByOperation, refused(980_000))
			events, err := l.Ledger.FindingEvents(t.Context(), f.Case)
			if err != nil {
				t.Fatal(err)
			}
			var states []ledger.State
			for _, e := range events {
				states = append(states, e.Finding.State)
			}
			if d := cmp.Diff([]ledger.State{ledger.Opened, ledger.Resolved, ledger.Reopened}, states); d != "" {
				t.Errorf("its life (-want +got):\n%s", d)
			}
			err = l.Ledger.StateCases(t.Context(), reports.StateQuery{Account: 1001, AsOf: l.asOf, AsOfRun: l.summary.Run}, func(f *ledger.Finding) error {
				if f.Code == runs.ProofFailed {
					t.Errorf("a state set shows it: %s", f.Subject)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
