package sqldb

import "context"

// What StreamAhead reads ahead at most: rows of some hundred kilobytes.
const (
	rowsPerBatch = 128
	batchesAhead = 2
)

// StreamAhead is StreamRows in two steps that work at the same time: take makes a value of a row, which must not refer to the row
// any more, while fn is called here, in order, with values made of the rows before it. After an error of fn take is called for some
// rows at most.
func StreamAhead[T any](ctx context.Context, db *DB, take func(*RowReader) (T, error), fn func(T) error, query string, args ...any) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan []T, batchesAhead)
	var failed error // of reading, known once the channel is closed
	go func() {
		defer close(batches)
		batch := make([]T, 0, rowsPerBatch)
		send := func() error {
			select {
			case batches <- batch:
				batch = make([]T, 0, rowsPerBatch)
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		failed = db.StreamRows(ctx, func(f *RowReader) error {
			v, err := take(f)
			if err != nil {
				return err
			}
			if batch = append(batch, v); len(batch) < rowsPerBatch {
				return nil
			}
			return send()
		}, query, args...)
		if failed == nil {
			failed = send()
		}
	}()
	var err error
	for batch := range batches { // to the end, so that the connection is free again
		for i := range batch {
			if err == nil {
				if err = fn(batch[i]); err != nil {
					stop()
				}
			}
		}
	}
	if err != nil {
		return err
	}
	return failed
}
