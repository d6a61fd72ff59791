package render_test

import (
	"context"
	"testing"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// many is a feed of n installments that is never in memory.
type many struct {
	feed
	n int
}

func (m *many) Installments(_ context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	c := m.cards[3]
	for i := range m.n {
		c.v.NSU = "000000"
		c.v.SoldAt = at("2026-11-02T10:30:00") + ledger.LocalTime(i)*10_000_000
		c.v.Number, c.v.Count = i%12+1, 12
		c.e.Key = c.v.Key()
		if err := yield(&c.v, &c.e); err != nil {
			return err
		}
	}
	return nil
}

func (m *many) Sums(ctx context.Context, table string) (report.Sums, error) {
	return report.Sums{}, nil
}

// BenchmarkCards is the pass over installments that writes every csv table of cards; the tie then refuses the set.
func BenchmarkCards(b *testing.B) {
	j := job()
	j.Formats = []report.Format{report.CSV}
	j.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.ControlKind}
	const rows = 100_000
	f := &many{feed: *everyClass(), n: rows}
	f.cases = nil
	b.ReportAllocs()
	for b.Loop() {
		_, err := render.Set(b.Context(), j, f, export.Target{Staging: b.TempDir(), Publisher: &folder{root: b.TempDir()}})
		if err == nil {
			b.Fatal("a feed without sums was published")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
