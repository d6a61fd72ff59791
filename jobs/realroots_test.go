package jobs_test

import (
	"context"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// UnresolvedCases and RootSums let real answer for pages.
func (r real) UnresolvedCases(ctx context.Context, yield func(*export.UnresolvedCase) error) error {
	return r.l.UnresolvedCases(ctx, r.rootQuery(true, true), func(c *reports.UnresolvedCase) error {
		return yield(&export.UnresolvedCase{
			Account: r.q.Account, Case: c.Case, Code: c.Code, Subject: c.Subject, Side: reconcile.SideOf(c.Subject), Impact: c.Impact,
			Figure: c.Figure, Age: ledger.Some[int64](0), OnRow: c.OnRow,
		})
	})
}

func (r real) rootQuery(cards, slips bool) reports.RootQuery {
	return reports.RootQuery{Account: r.q.Account, AsOf: r.q.Period.To, Rows: &r.q, Cards: cards, Slips: slips}
}

func (r real) RootSums(ctx context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error) {
	s, err := r.l.RootSums(ctx, r.rootQuery(of(r.q.Account)))
	return report.Sums{Rows: s.Rows, Columns: s.Columns}, err
}
