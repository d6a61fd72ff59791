package feed

import (
	"context"

	"concilia/export"
	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// Feed answers a report from the ledger as of the run that Query names. A set over several accounts is their rows one
// account after the other. Every field except State is required.
type Feed struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account // in ascending order
	Query    reports.Query    // its Account is filled per account
	Unit     ledger.Unit
	AsOf     ledger.Date // of the run; ages are counted up to it
	Calendar func(ledger.Account) *calendar.Calendar
	State    *State // of a state set; nil: there is no state to tell of
}

// each runs fn once per account with that account's query.
func (f *Feed) each(fn func(reports.Query) error) error {
	for _, a := range f.Accounts {
		q := f.Query
		q.Account = a
		if err := fn(q); err != nil {
			return err
		}
	}
	return nil
}

// Installments, Slips, Firing, Sums and LeftOut make Feed an export.Feed.
func (f *Feed) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return f.each(func(q reports.Query) error { return f.Ledger.Installments(ctx, q, yield) })
}

func (f *Feed) Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	return f.each(func(q reports.Query) error { return f.Ledger.SlipRows(ctx, q, yield) })
}

func (f *Feed) Firing(ctx context.Context, yield func(subject string, severity ledger.Severity) error) error {
	return f.Ledger.Findings(ctx, results.FiringCases(f.Query.AsOfRun, f.Accounts...), func(c *ledger.Finding) error { return yield(c.Subject, c.Severity) })
}

func (f *Feed) Sums(ctx context.Context, table string) (export.Sums, error) {
	switch table {
	case string(export.ExceptionsKind), string(export.AgingKind):
		return f.stateSums(ctx, table)
	case string(export.AgendaKind), agendaRoll:
		return f.agendaSums(ctx, table)
	}
	out := export.Sums{Columns: map[string]int64{}}
	err := f.each(func(q reports.Query) error {
		s, err := f.Ledger.Sums(ctx, q, table, f.Unit)
		if err != nil {
			return err
		}
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return nil
	})
	return out, err
}

func (f *Feed) LeftOut(ctx context.Context) (cards, slips int64, err error) {
	err = f.each(func(q reports.Query) error {
		c, s, err := f.Ledger.LeftOut(ctx, q)
		cards, slips = cards+c, slips+s
		return err
	})
	return cards, slips, err
}

// CreditedCards and CreditedSlips answer for a period that need not be the set's.
func (f *Feed) CreditedCards(
	ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	return f.each(func(q reports.Query) error {
		q.Period = p
		return f.Ledger.Credited(ctx, q, yield)
	})
}

func (f *Feed) CreditedSlips(
	ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error,
) error {
	return f.each(func(q reports.Query) error {
		q.Basis, q.Period = string(export.ByCredit), p
		return f.Ledger.SlipRows(ctx, q, yield)
	})
}
