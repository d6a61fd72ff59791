package jobs

import (
	"context"

	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/results"
)

// closes are the closed periods of an account as a run that is about to judge holds rows against them; nil when none ever
// was closed.
func (w *Worker) closes(ctx context.Context, run *ledger.Run, a ledger.Account) ([]rules.Close, error) {
	all, err := w.Ledger.PeriodCloses(ctx, results.PeriodFilter{Accounts: []ledger.Account{a}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	standing, err := w.closedAsOf(ctx, run, a)
	if err != nil {
		return nil, err
	}
	out := []rules.Close{}
	for _, c := range standing {
		later, err := w.Ledger.PullsAfterRun(ctx, a, c.Run)
		if err != nil {
			return nil, err
		}
		out = append(out, rules.Close{Basis: c.Basis, Period: c.Period, AsOf: c.AsOf, Later: later})
	}
	return out, nil
}

// closedAsOf are the closes that stood before the run reconciled the account.
func (w *Worker) closedAsOf(ctx context.Context, run *ledger.Run, a ledger.Account) ([]ledger.PeriodClose, error) {
	return w.Ledger.PeriodCloses(ctx, results.PeriodFilter{Accounts: []ledger.Account{a}, AsOfRun: run.ID})
}

// closedMonths tells which months are closed, for whoever publishes: a night makes no revision of one.
type closedMonths map[closedMonth]bool

type closedMonth struct {
	account ledger.Account
	basis   string
	last    ledger.Date // of the month
}

func (w *Worker) closedMonths(ctx context.Context) (closedMonths, error) {
	standing, err := w.Ledger.PeriodCloses(ctx, results.PeriodFilter{InForce: true})
	out := closedMonths{}
	for _, c := range standing {
		out[closedMonth{c.Account, c.Basis, c.Period.To}] = true
	}
	return out, err
}

// closed says whether the month that ends with a period is closed for all of the accounts.
func (c closedMonths) closed(basis string, p ledger.Period, accounts ...Account) bool {
	for _, a := range accounts {
		if !c[closedMonth{a.Number, basis, p.To}] {
			return false
		}
	}
	return len(accounts) > 0
}
