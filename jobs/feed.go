package jobs

import (
	"context"

	"concilia/export"
	"concilia/store"
	"concilia/store/ledger"
)

// feed answers a report from the ledger. A set over several accounts is their rows one account after the other.
type feed struct {
	ledger   *store.Ledger
	accounts []ledger.Account // in ascending order
	query    store.Query      // its Account is filled per account
	unit     ledger.Unit
	state    *stated // of a state set, else nil
	roots    rooted
}

// each runs fn once per account with that account's query.
func (f *feed) each(fn func(store.Query) error) error {
	for _, a := range f.accounts {
		q := f.query
		q.Account = a
		if err := fn(q); err != nil {
			return err
		}
	}
	return nil
}

// Installments, Slips, Firing, Sums and LeftOut make feed an export.Feed.
func (f *feed) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return f.each(func(q store.Query) error { return f.ledger.Installments(ctx, q, yield) })
}

func (f *feed) Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	return f.each(func(q store.Query) error { return f.ledger.SlipRows(ctx, q, yield) })
}

func (f *feed) Firing(ctx context.Context, yield func(subject string, severity ledger.Severity) error) error {
	filter := store.FindingFilter{
		AsOfRun: f.query.AsOfRun, Accounts: f.accounts, Severities: []ledger.Severity{ledger.Error, ledger.Warning},
		States: []ledger.State{ledger.Opened, ledger.Reopened, ledger.Acknowledged, ledger.Disputed, ledger.Waived},
	}
	return f.ledger.Findings(ctx, filter, func(c *ledger.Finding) error { return yield(c.Subject, c.Severity) })
}

func (f *feed) Sums(ctx context.Context, table string) (export.Sums, error) {
	switch table {
	case string(export.ExceptionsKind), string(export.AgingKind):
		return f.stateSums(ctx, table)
	case string(export.AgendaKind), agendaRoll:
		return f.agendaSums(ctx, table)
	}
	out := export.Sums{Columns: map[string]int64{}}
	err := f.each(func(q store.Query) error {
		s, err := f.ledger.Sums(ctx, q, table, f.unit)
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

func (f *feed) LeftOut(ctx context.Context) (cards, slips int64, err error) {
	err = f.each(func(q store.Query) error {
		c, s, err := f.ledger.LeftOut(ctx, q)
		cards, slips = cards+c, slips+s
		return err
	})
	return cards, slips, err
}

// CreditedCards and CreditedSlips answer for a period that need not be the set's.
func (f *feed) CreditedCards(
	ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	return f.each(func(q store.Query) error {
		q.Period = p
		return f.ledger.Credited(ctx, q, yield)
	})
}

func (f *feed) CreditedSlips(
	ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error,
) error {
	return f.each(func(q store.Query) error {
		q.Basis, q.Period = string(export.ByCredit), p
		return f.ledger.SlipRows(ctx, q, yield)
	})
}

// numbers hands out an account's NSA and title numbers from the ledger.
type numbers struct {
	ledger    *store.Ledger
	account   ledger.Account
	agreement string
}

// ReserveEDI and TitleNumbers make numbers an export.Numbers.
func (n *numbers) ReserveEDI(
	ctx context.Context, file string, subjects []string, own map[string]string,
) (int, map[string]string, error) {
	return n.ledger.ReserveEDI(ctx, n.account, n.agreement, file, subjects, own)
}

func (n *numbers) TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error) {
	return n.ledger.KnownTitleNumbers(ctx, n.account, subjects)
}
