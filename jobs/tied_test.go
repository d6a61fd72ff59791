package jobs_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"concilia/cmd/sandbox/world"
	"concilia/export/control"
	"concilia/export/report"
	"concilia/jobs/jobstest"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// A file that differs from the ledger used to be reported at the run's end alone. It is a critical case with its figures until
// the set is published, night after night the same one, and holds nothing back that may make it good.
func TestLifeOfAFileThatDoesNotTie(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for _, on := range []jobstest.Database{jobstest.OnSQLite(), jobstest.OnPostgres()} {
		t.Run(on.Name, func(t *testing.T) {
			m := newMerchant(t, world.Options{Seed: 11, Days: 10, Installments: 60, Accounts: []world.Account{{Number: 1001, Name: "Loja Centro"}}})
			m.Ledger, _ = on.Open(t)
			m.SkipReports()
			s := m.RunNight(t)
			month := ledger.Period{From: day("2026-03-01"), To: day("2026-03-31")}
			tied := func(basis report.Basis, failed error) {
				t.Helper()
				run, err := m.Ledger.RunByID(t.Context(), s.Run)
				if err != nil {
					t.Fatal(err)
				}
				if err := m.Tied(t.Context(), run, m.Accounts[0], basis, month, failed); !errors.Is(err, failed) {
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
				got := []string{}
				err := m.Ledger.Findings(t.Context(), caselog.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened, ledger.Shadow}}, func(f *ledger.Finding) error {
					got = append(got, f.Code+" "+string(f.Severity)+" "+f.Subject)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
					t.Errorf("%s (-want +got):\n%s", says, d)
				}
			}
			critical := runs.ProofFailed + " C " + subject
			tied(report.ByOperation, errors.New("the share is full"))
			standing("another failure is none of it")
			tied(report.ByOperation, refused(990_000))
			standing("refused", critical)
			f, err := m.Ledger.FindingByCase(t.Context(), ledger.CaseID(1001, subject, runs.ProofFailed))
			if err != nil {
				t.Fatal(err)
			}
			const said = "installments_1001_operation_20260301_20260331.csv does not tie, and nothing of its set is published: " +
				"received is 100.00 in the ledger, 100.00 as written, 99.00 in the file."
			if got := (catalogue.Voice{Language: "en"}).Explain(*f); got != said {
				t.Errorf("it says %q", got)
			}
			m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
			s = m.RunNight(t)
			if s.Verdict == ledger.Incomplete || len(s.Accounts[0].Withheld) > 0 || s.Worst != ledger.Critical {
				t.Errorf("the night after: %s, withheld %v, worst %s", s.Verdict, s.Accounts[0].Withheld, s.Worst)
			}
			standing("nobody published since", critical)
			tied(report.ByCredit, nil)
			standing("another set is published", critical)
			tied(report.ByOperation, refused(990_000))
			tied(report.ByOperation, nil)
			standing("it is published")
			tied(report.ByOperation, refused(980_000))
			events, err := m.Ledger.FindingEvents(t.Context(), f.Case)
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
			err = m.Ledger.StateCases(t.Context(), reports.StateQuery{Account: 1001, AsOf: m.Today(), AsOfRun: s.Run}, func(f *ledger.Finding) error {
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
