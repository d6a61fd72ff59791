package runs

import (
	"context"

	"concilia/store/ledger"
)

// CheckNotLeased returns a *LockedError if a run holds one of the accounts, whichever process leads it, else nil.
func (l *Store) CheckNotLeased(ctx context.Context, accounts []ledger.Account) error {
	return l.checkOtherLeases(ctx, "", accounts, false)
}
