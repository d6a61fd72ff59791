package jobs

import (
	"context"

	"concilia/export"
	"concilia/export/table"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

// rooted is what a feed needs to tell of root cases.
type rooted struct {
	run       string // as of which; empty: now
	asOf      ledger.Date
	calendars func(ledger.Account) *calendar.Calendar
}

// rootsOf chooses the root cases of an account. Brands narrow a state set alone: a period's rows choose by themselves.
func (f *feed) rootsOf(a ledger.Account) store.RootQuery {
	q := store.RootQuery{Account: a, AsOfRun: f.roots.run}
	if f.query.Basis == string(export.ByAsOf) {
		q.Brands = f.query.Brands
	}
	return q
}

// Roots and RootSums make feed an export.RootFeed.
func (f *feed) Roots(ctx context.Context, yield func(*export.Root) error) error {
	for _, a := range f.accounts {
		cal := f.roots.calendars(a)
		err := f.ledger.Roots(ctx, f.rootsOf(a), func(c *store.RootCase) error {
			root := export.Root{Case: c.Case, Code: c.Code, Subject: c.Subject, Impact: c.Impact, Exposed: c.Exposure}
			if c.OpenedOn != 0 {
				root.Age = ledger.Some(int64(cal.Between(calendar.Settles, c.OpenedOn, f.roots.asOf)))
			}
			return yield(&root)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) RootSums(ctx context.Context, cases []string) (export.Sums, error) {
	out := export.Sums{Columns: map[string]int64{}}
	for _, a := range f.accounts {
		s, err := f.ledger.RootSums(ctx, f.rootsOf(a), cases)
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

// causeWords are the words of every code in the language: of one that may be a cause, also who takes which step.
func causeWords(l table.Language) map[string]export.CauseWords {
	out := make(map[string]export.CauseWords)
	for _, r := range rules.All() {
		w, _ := rules.Plain(r.Code, string(l))
		out[r.Code] = export.CauseWords{Title: rules.Title(r.Code, string(l)), Owner: w.Owner, Next: w.Next}
	}
	return out
}
