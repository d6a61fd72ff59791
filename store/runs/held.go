package runs

import (
	"context"

	"concilia/store/ledger"
)

// Held returns a *LockedError if a run holds one of the accounts, whichever process leads it, else nil.
func (l *Store) Held(ctx context.Context, accounts []ledger.Account) error {
	return l.heldByOther(ctx, "", accounts, false)
}
