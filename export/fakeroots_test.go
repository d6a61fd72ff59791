package export_test

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/store/ledger"
)

func (f *feed) Roots(_ context.Context, yield func(*export.Root) error) error {
	for i := range f.roots {
		if err := yield(&f.roots[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) RootSums(_ context.Context, cases []string) (export.Sums, error) {
	out := export.Sums{Columns: map[string]int64{}}
	for _, r := range f.roots {
		if cases != nil && !slices.Contains(cases, r.Case) {
			continue
		}
		switch r.Figure {
		case ledger.FigureLost, ledger.FigureLate:
			out.Rows++
		case ledger.FigureExcess:
			out.Columns["excess_count"]++
		}
		out.Columns[string(r.Figure)] += int64(r.Impact.Rounded(ledger.HalfAwayFromZero).Abs())
	}
	out.Columns["lost"] += int64(f.off)
	return out, nil
}
