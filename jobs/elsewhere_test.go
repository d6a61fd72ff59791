package jobs_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/store/ledger"
)

// TestReportElsewhereIsOwedToTheShare: a report into another folder than the nights' leaves what waits for the share in the
// outbox, and a revision that it makes comes to the share with the next night, byte for byte, so that the share has every
// revision that another one supersedes.
func TestReportElsewhereIsOwedToTheShare(t *testing.T) {
	t.Parallel()
	spare(t)
	m := boxedMerchant(t, 97)
	m.Reports.Kinds, m.Reports.Bases = []export.Kind{export.SummaryKind}, m.Reports.Bases[:1]
	share, other := m.Target, filepath.Join(filepath.Dir(m.out), "other")
	elsewhere := func() *jobs.Summary {
		t.Helper()
		m.Target, m.Elsewhere = newShare(other), true
		defer func() { m.Target, m.Elsewhere = share, false }()
		p := ledger.Period{From: m.Today() - 10, To: (m.Today() - 1).MonthEnd()}
		s, err := m.Report(t.Context(), jobs.ReportRequest{Period: p, Basis: "operation", Kinds: []string{"summary"}})
		if err != nil || len(s.Unpublished) > 0 || len(s.Files) == 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}

	back := m.vanish(t)
	if _, err := m.Night(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	proven := hashes(t, m.Outbox.Dir)
	m.Reports.Language = table.English // what is made next differs from what waits
	made := elsewhere()
	if d := cmp.Diff(proven, hashes(t, m.Outbox.Dir)); d != "" || len(proven) == 0 {
		t.Errorf("what waited for the share changed:\n%s", d)
	}
	if again := elsewhere(); len(again.Files) != len(made.Files) {
		t.Errorf("%d files the second time, %d the first", len(again.Files), len(made.Files))
	}
	back()
	m.night(t)
	published := hashes(t, m.out)
	for _, want := range []map[string]string{proven, hashes(t, other)} {
		for name, sum := range want {
			if published[name] != sum {
				t.Errorf("the share has %s with %q, should have it with %s", name, published[name], sum)
			}
		}
	}
	fresh := 0
	for _, f := range made.Files {
		if f.New {
			fresh++
		}
	}
	if fresh == 0 {
		t.Error("nothing was made elsewhere")
	}
	if v, err := export.Verify(t.Context(), m.out); err != nil || len(v.Faults) > 0 {
		t.Error(v.Faults, err)
	}
	if waiting, err := m.Ledger.WaitingSets(t.Context()); err != nil || len(waiting) > 0 {
		t.Errorf("%d sets wait, %v", len(waiting), err)
	}
}
