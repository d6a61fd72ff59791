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
		cents := int64(r.Impact.Rounded(ledger.HalfAwayFromZero))
		switch {
		case r.Impact < 0:
			out.Columns["excess"] -= cents
			out.Columns["excess_count"]++
			continue
		case r.Exposed:
			out.Columns["exposed"] += cents
		default:
			out.Columns["lost"] += cents
		}
		out.Rows++
	}
	out.Columns["lost"] += int64(f.off)
	return out, nil
}
