package source

import (
	"context"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// causeReader reads the cases that pages and verdicts are computed from: it is an export.CaseSource.
type causeReader struct{ *Set }

// UnresolvedCases and RootSums implement export.CaseSource.
func (r causeReader) UnresolvedCases(ctx context.Context, yield func(*export.UnresolvedCase) error) error {
	for _, a := range r.Accounts {
		cal := r.Calendar(a)
		err := r.Ledger.UnresolvedCases(ctx, r.rootQuery(a), func(c *reports.UnresolvedCase) error {
			one := export.UnresolvedCase{
				Account: a, Case: c.Case, Code: c.Code, Subject: c.Subject, Day: c.Day, Side: reconcile.SideOf(c.Subject), Verdict: c.Verdict,
				Impact: c.Impact, Figure: c.Figure, OnRow: c.OnRow,
			}
			if c.OpenedOn != 0 {
				one.Age = ledger.Some(int64(cal.CountBusinessDays(calendar.Settles, c.OpenedOn, r.AsOf)))
			}
			return yield(&one)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r causeReader) RootSums(ctx context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	for _, a := range r.Accounts {
		q := r.rootQuery(a)
		if of != nil {
			q.Cards, q.Slips = of(a)
		}
		s, err := r.Ledger.RootSums(ctx, q)
		if err != nil {
			return out, err
		}
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
	}
	return out, nil
}

// rootQuery chooses the root cases of an account: of a state set by its brands, of a period by the rows of the set.
func (set *Set) rootQuery(a ledger.Account) reports.RootQuery {
	q := reports.RootQuery{Account: a, AsOf: set.AsOf, AsOfRun: set.Query.AsOfRun}
	if set.Query.Basis == string(report.ByAsOf) {
		q.Brands = set.Query.Brands
		return q
	}
	rows := set.Query
	rows.Account = a
	q.Rows, q.Cards, q.Slips = &rows, true, true
	return q
}
