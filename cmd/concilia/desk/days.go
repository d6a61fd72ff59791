package desk

import (
	"context"
	"errors"

	"concilia/cmd/concilia/view"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// FirstDays are the accounts with the first day that each is answered for; no day where no run began.
func FirstDays(ctx context.Context, l *store.Ledger, accounts []ledger.Account) ([]view.FoundAccount, error) {
	var out []view.FoundAccount
	for _, a := range accounts {
		since, err := l.FirstDay(ctx, a)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return nil, err
		}
		out = append(out, view.FoundAccount{Account: a, Since: since})
	}
	return out, nil
}
