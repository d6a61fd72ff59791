package jobs

import (
	"context"

	"concilia/store/ledger"
)

// readActLogEnds are where the logs of acts end now: of the accounts, and the one of acts of no account.
func (w *Worker) readActLogEnds(ctx context.Context, accounts []Account) ([]ledger.ActLogEnd, error) {
	numbers := []ledger.Account{0}
	for _, a := range accounts {
		numbers = append(numbers, a.Number)
	}
	out := make([]ledger.ActLogEnd, len(numbers))
	for i, n := range numbers {
		var err error
		if out[i], err = w.Ledger.ActLogEnd(ctx, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}
