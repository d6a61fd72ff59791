package reconcile

import "context"

// How far reading may be ahead of evaluating: enough that neither waits for each step of the other, and few enough that it
// takes only some megabytes of memory.
const (
	batchSize  = 64 // items sent at once
	maxBatches = 8  // sent and not taken yet
)

// readAhead reads in a goroutine of its own while evaluate takes what was read, one after the other and in order, on
// the caller's goroutine. It returns when both have ended: evaluate's error, which ends the reading, or else read's.
func readAhead[T any](ctx context.Context, read func(context.Context, func(T) error) error, evaluate func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, ended := make(chan []T, maxBatches), make(chan error, 1)
	go func() {
		defer close(batches)
		ended <- sendBatches(ctx, read, batches)
	}()
	for batch := range batches {
		for _, x := range batch {
			if err := evaluate(x); err != nil {
				cancel()
				for range batches { // wait for the reader; its error is only the cancellation
				}
				return err
			}
		}
	}
	return <-ended
}

// sendBatches sends what is read in batches, until ctx ends.
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
