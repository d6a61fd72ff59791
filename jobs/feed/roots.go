package feed

import (
	"context"

	"concilia/export"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// rootsOf chooses the root cases of an account. Brands narrow a state set alone: a period's rows choose by themselves.
func (f *Feed) rootsOf(a ledger.Account) reports.RootQuery {
	q := reports.RootQuery{Account: a, AsOf: f.AsOf, AsOfRun: f.Query.AsOfRun}
	if f.Query.Basis == string(export.ByAsOf) {
		q.Brands = f.Query.Brands
	}
	return q
}

// UnresolvedCases and RootSums make Feed an export.CaseFeed.
func (f *Feed) UnresolvedCases(ctx context.Context, yield func(*export.UnresolvedCase) error) error {
	for _, a := range f.Accounts {
		cal := f.Calendar(a)
		err := f.Ledger.UnresolvedCases(ctx, f.rootsOf(a), func(c *reports.UnresolvedCase) error {
			one := export.UnresolvedCase{
				Account: a, Case: c.Case, Code: c.Code, Subject: c.Subject, Day: c.Day, Side: reconcile.SideOf(c.Subject), Verdict: c.Verdict,
				Impact: c.Impact, Figure: c.Figure,
			}
			if c.OpenedOn != 0 {
				one.Age = ledger.Some(int64(cal.CountBusinessDays(calendar.Settles, c.OpenedOn, f.AsOf)))
			}
			return yield(&one)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Feed) RootSums(ctx context.Context, cases []string) (export.Sums, error) {
	out := export.Sums{Columns: map[string]int64{}}
	for _, a := range f.Accounts {
		s, err := f.Ledger.RootSums(ctx, f.rootsOf(a), cases)
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
