package reconcile

import "context"

// How far reading may be ahead of judging: enough that neither waits for the other's every step, little enough that the
// memory of it stays at some megabytes.
const (
	batchSize  = 64 // things handed over at once
	maxBatches = 8  // handed over and not taken yet
)

// readAhead lets read run on its own while judge takes what it hands over, one after the other and in its order, on the
// caller's goroutine. It returns once both have ended: with judge's error, which ends the reading, or else with read's.
func readAhead[T any](ctx context.Context, read func(context.Context, func(T) error) error, judge func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, ended := make(chan []T, maxBatches), make(chan error, 1)
	go func() {
		defer close(batches)
		ended <- sendBatches(ctx, read, batches)
	}()
	for batch := range batches {
		for _, x := range batch {
			if err := judge(x); err != nil {
				cancel()
				for range batches { // until reading has ended; what it says then is of this end
				}
				return err
			}
		}
	}
	return <-ended
}

// sendBatches puts what is read into batches. It gives up once nobody takes them any more.
func sendBatches[T any](ctx context.Context, read func(context.Context, func(T) error) error, to chan<- []T) error {
	batch := make([]T, 0, batchSize)
	hand := func() error {
		select {
		case to <- batch:
			batch = make([]T, 0, batchSize)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := read(ctx, func(x T) error {
		if batch = append(batch, x); len(batch) < batchSize {
			return nil
		}
		return hand()
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return hand()
}
