package plan

import (
	"context"
	"errors"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// DefaultSinceDays is how many days before its first as-of an account is answered for by default.
const DefaultSinceDays = 60

// Since is the first day an account is answered for as of a morning, where configured is what the configuration says, or
// zero. The day that was kept holds unless an earlier one is configured. Nothing is kept: a run decides.
func Since(ctx context.Context, l *store.Ledger, a ledger.Account, configured, asOf ledger.Date) (ledger.Date, error) {
	kept, err := l.Since(ctx, a)
	switch {
	case errors.Is(err, sqldb.ErrNotFound) && configured == 0:
		return asOf - DefaultSinceDays, nil
	case errors.Is(err, sqldb.ErrNotFound):
		return configured, nil
	case err == nil && configured != 0:
		return min(kept, configured), nil
	}
	return kept, err
}
