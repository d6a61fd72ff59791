package queue

import (
	"context"

	"golang.org/x/sync/errgroup"

	"concilia/store/ledger"
)

// Work does one unit of work. It must do nothing if the unit is done already.
type Work func(ctx context.Context, u ledger.WorkUnit) error

// Pool distributes units to goroutines of this process.
type Pool struct {
	Parallel int // units at a time, at least 1
}

// Do works on the units in their order, several at a time. It returns the first error, after waiting for the units in
// progress.
func (p Pool) Do(ctx context.Context, units []ledger.WorkUnit, work Work) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(1, p.Parallel))
	for _, u := range units {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error { return work(inner, u) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
