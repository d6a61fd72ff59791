package store

import (
	"context"

	"concilia/store/ledger"
)

// Held is a *LockedError while a run holds one of the accounts, whoever leads it.
func (l *Ledger) Held(ctx context.Context, accounts []ledger.Account) error {
	return l.heldByOther(ctx, "", accounts, false)
}
