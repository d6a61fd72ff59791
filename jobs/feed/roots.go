package feed

import (
	"context"

	"concilia/export"
	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/ledger"
)

// rootsOf chooses the root cases of an account. Brands narrow a state set alone: a period's rows choose by themselves.
func (f *Feed) rootsOf(a ledger.Account) store.RootQuery {
	q := store.RootQuery{Account: a, AsOf: f.AsOf, AsOfRun: f.Query.AsOfRun}
	if f.Query.Basis == string(export.ByAsOf) {
		q.Brands = f.Query.Brands
	}
	return q
}

// Roots and RootSums make Feed an export.RootFeed.
func (f *Feed) Roots(ctx context.Context, yield func(*export.Root) error) error {
	for _, a := range f.Accounts {
		cal := f.Calendar(a)
		err := f.Ledger.Roots(ctx, f.rootsOf(a), func(c *store.RootCase) error {
			root := export.Root{Case: c.Case, Code: c.Code, Subject: c.Subject, Impact: c.Impact, Figure: c.Figure}
			if c.OpenedOn != 0 {
				root.Age = ledger.Some(int64(cal.Between(calendar.Settles, c.OpenedOn, f.AsOf)))
			}
			return yield(&root)
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
