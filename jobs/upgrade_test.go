package jobs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/jobs/terms"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestUpgradedLedger: a ledger that a released program left answers for its runs once it is migrated; the first
// reconcile then judges everything, and the ones after it go on from there.
func TestUpgradedLedger(t *testing.T) {
	t.Parallel()
	spare(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		upgraded(t, "sqlite:"+filepath.Join(t.TempDir(), "l.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		upgraded(t, storetest.Schema(t, storetest.Shared(t)))
	})
}

func upgraded(t *testing.T, dsn string) {
	t.Helper()
	storetest.Released(t, dsn, "..")
	l := openLedger(t, dsn)
	_, _, err := l.Migrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := newStory(t, l, 0)
	last, err := l.LastReconciled(t.Context(), 1001)
	s.ok(err)
	_, contract, err := l.Document(t.Context(), last.Documents["contract"])
	s.ok(err)
	s.w.Terms.Contracts, err = terms.ParseContracts("contract.yaml", contract)
	s.ok(err)
	s.clean("migrated")
	s.answers(last)
	before, beforeCases := s.believedAsOf(last.ID), s.cases()

	s.asOf = last.AsOf + 1
	s.begin(ledger.ReconcileRun)
	if rows := s.judgedRows(); rows != len(before) || rows == 0 {
		t.Errorf("the first reconcile judged %d rows of %d", rows, len(before))
	}
	if d := cmp.Diff(before, s.believedAsOf(last.ID)); d != "" {
		t.Errorf("what the released run believed is another now:\n%s", d)
	}
	for subject, state := range s.cases() {
		if strings.HasPrefix(subject, "LEDGER_") {
			t.Errorf("%s is %s", subject, state)
		}
	}
	for c := range beforeCases {
		if s.cases()[c] == "" {
			t.Errorf("case %s is gone", c)
		}
	}
	s.clean("reconciled")

	s.asOf++
	s.begin(ledger.ReconcileRun)
	if rows := s.judgedRows(); rows >= len(before) {
		t.Errorf("the second reconcile judged %d rows of %d: nothing moved", rows, len(before))
	}
	second := s.kept()
	s.w.Terms.Full = true
	s.judgedRows()
	if d := cmp.Diff(second, s.kept()); d != "" {
		t.Errorf("everything (-moved +all):\n%s", d)
	}
	s.clean("reconciled again")
}

// judgedRows reconciles as a run that holds the account does, and tells how many installments it judged.
func (s *story) judgedRows() int {
	s.t.Helper()
	lease, err := s.l.Hold(s.t.Context(), s.run.ID, []ledger.Account{1001}, time.Hour)
	s.ok(err)
	r, err := s.w.ReconcileIn(s.t.Context(), s.run)
	s.ok(err)
	s.ok(lease.Release(s.t.Context()))
	return int(r.Installments)
}

func (s *story) clean(when string) {
	s.t.Helper()
	r, err := s.l.Check(s.t.Context())
	s.ok(err)
	if len(r.Faults) > 0 {
		s.t.Errorf("%s: the check finds\n%s", when, strings.Join(r.Faults, "\n"))
	}
}

// believedAsOf is what a run believed of each installment.
func (s *story) believedAsOf(run string) map[string]ledger.Expectation {
	out := map[string]ledger.Expectation{}
	q := store.Query{Account: 1001, Basis: "operation", Period: ledger.Period{From: 1, To: 1 << 20}, AsOfRun: run}
	s.ok(s.l.Installments(s.t.Context(), q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e == nil {
			s.t.Errorf("%s: run %s believed nothing of it", v.Key().Subject(), run)
			return nil
		}
		out[v.Key().Subject()] = *e
		return nil
	}))
	return out
}

// cases are the states of the cases by code and subject.
func (s *story) cases() map[string]ledger.State {
	out := map[string]ledger.State{}
	s.ok(s.l.Findings(s.t.Context(), store.FindingFilter{}, func(f *ledger.Finding) error {
		out[f.Code+" "+f.Subject] = f.State
		return nil
	}))
	return out
}

// answers renders a report as of the released run, which must prove itself.
func (s *story) answers(last *ledger.Run) {
	s.t.Helper()
	root := filepath.Join(s.t.TempDir(), "reports")
	w := *s.w
	w.Target, w.Tail, w.Parallel = target{&folder{root: root}}, func() string { return "bbbbbb" }, 1
	w.Now = last.Began.UTC
	w.Reports = jobs.ReportSettings{
		Kinds: export.Kinds(), Formats: []export.Format{export.CSV}, Bases: []export.Basis{export.ByOperation}, Language: table.Portuguese, Out: root,
	}
	sum, err := w.Report(s.t.Context(), jobs.ReportRequest{Basis: "operation", Period: ledger.Period{From: last.AsOf - 9, To: last.AsOf - 1}})
	s.ok(err)
	if len(sum.Unpublished) > 0 || len(sum.Files) == 0 {
		s.t.Errorf("%d files, %v", len(sum.Files), sum.Unpublished)
	}
	if v, err := export.Verify(s.t.Context(), root); err != nil || len(v.Faults) > 0 {
		s.t.Error(v.Faults, err)
	}
}
