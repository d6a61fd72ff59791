package export_test

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
)

func (f *feed) UnresolvedCases(_ context.Context, yield func(*export.UnresolvedCase) error) error {
	for i := range f.roots {
		if err := yield(&f.roots[i]); err != nil {
			return err
		}
	}
	return nil
}

// rootsOfState makes the roots of a feed the cases of its state, as the ledger would give both.
func (f *feed) rootsOfState(asOf ledger.Date) {
	f.roots = nil
	for i := range f.state {
		c := &f.state[i]
		if figure := c.Figure(asOf); figure != "" {
			f.roots = append(f.roots, export.UnresolvedCase{Case: c.Case, Code: c.Code, Subject: c.Subject, Impact: c.Impact.V, Figure: figure, Age: c.BusinessDays})
		}
	}
}

func (f *feed) RootSums(_ context.Context, cases []string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
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
