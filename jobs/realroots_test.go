package jobs_test

import (
	"context"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// UnresolvedCases and RootSums let real answer for pages.
func (r real) UnresolvedCases(ctx context.Context, yield func(*export.UnresolvedCase) error) error {
	return r.l.UnresolvedCases(ctx, reports.RootQuery{Account: r.q.Account, AsOf: r.q.Period.To}, func(c *reports.UnresolvedCase) error {
		return yield(&export.UnresolvedCase{
			Case: c.Case, Code: c.Code, Subject: c.Subject, Impact: c.Impact, Figure: c.Figure, Age: ledger.Some[int64](0),
		})
	})
}

func (r real) RootSums(ctx context.Context, cases []string) (report.Sums, error) {
	s, err := r.l.RootSums(ctx, reports.RootQuery{Account: r.q.Account, AsOf: r.q.Period.To}, cases)
	return report.Sums{Rows: s.Rows, Columns: s.Columns}, err
}
