package store

import (
	"context"
	"errors"
	"time"
)

const (
	// maxOutageTries is how often interrupted work is tried, including the first time.
	maxOutageTries = 5
	// maxOutage is how long the ledger may be unavailable without a break, in addition to the twenty seconds that each query
	// waits: a restart, or a hand-over to a standby, takes less.
	maxOutage = time.Minute
	// firstOutagePause is the wait before the second try; each later wait is twice as long.
	firstOutagePause = 500 * time.Millisecond
)

// OutageError is the error of a ledger that stayed unavailable for too long: the caller must not retry again.
type OutageError struct{ error }

// Unwrap returns the last error of the ledger.
func (e *OutageError) Unwrap() error { return e.error }

// RetryOnOutage calls do, which must be repeatable, and calls it again if the ledger interrupted it and may be available
// again: for whole runs, the reconciliation of an account, a report set. onWait is called before every wait; it may be
// nil. It fails with an OutageError if the ledger stays unavailable.
func (l *Ledger) RetryOnOutage(ctx context.Context, wall func() time.Time, onWait func(error), do func() error) error {
	var away time.Time // since when the ledger has been unavailable
	pause := firstOutagePause
	for try := 1; ; try++ {
		began := wall()
		err := do()
		if err == nil || ctx.Err() != nil || !l.IsTransient(err) || errors.As(err, new(*OutageError)) {
			return err
		}
		now := wall()
		if away.IsZero() || now.Sub(began) > maxOutage { // work that lasted this long had the ledger in between
			away = now
		}
		if try == maxOutageTries || now.Sub(away) > maxOutage {
			return &OutageError{err}
		}
		if onWait != nil {
			onWait(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause *= 2
	}
}
