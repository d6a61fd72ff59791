package jobs

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/results"
)

// readClosedMonths tells which months are closed, for whoever publishes: a night makes no revision of one.
type closedMonths map[closedMonth]bool

type closedMonth struct {
	account ledger.Account
	basis   string
	last    ledger.Date // of the month
}

func (w *Worker) readClosedMonths(ctx context.Context) (closedMonths, error) {
	standing, err := w.Ledger.PeriodCloses(ctx, results.PeriodFilter{InForce: true})
	out := closedMonths{}
	for _, c := range standing {
		out[closedMonth{c.Account, c.Basis, c.Period.To}] = true
	}
	return out, err
}

// isClosed says whether the month that ends with a period is closed for all of the accounts.
func (c closedMonths) isClosed(basis string, p ledger.Period, accounts ...Account) bool {
	for _, a := range accounts {
		if !c[closedMonth{a.Number, basis, p.To}] {
			return false
		}
	}
	return len(accounts) > 0
}
