package sqldb

import "context"

// What Ahead reads ahead at most: rows of some hundred kilobytes.
const (
	rowsPerBatch = 128
	batchesAhead = 2
)

// Ahead reads the rows of a query while those before them are used: a value is made of each row, which must not refer to the row any
// more. It has a connection until Stop has returned.
type Ahead[T any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	batches chan []T
	failed  error // of reading, known once the channel is closed
	ended   bool  // it is closed, and empty
	batch   []T   // at hand
	at      int
}

// ReadAhead reads rows as StreamRows does.
func ReadAhead[T any](ctx context.Context, db *DB, take func(*RowReader) (T, error), query string, args ...any) *Ahead[T] {
	return readAhead(ctx, db.StreamRows, take, query, args...)
}

// ReadAheadInIndexOrder reads rows as StreamInIndexOrder does.
func ReadAheadInIndexOrder[T any](ctx context.Context, db *DB, take func(*RowReader) (T, error), query string, args ...any) *Ahead[T] {
	return readAhead(ctx, db.StreamInIndexOrder, take, query, args...)
}

func readAhead[T any](
	ctx context.Context, stream func(context.Context, func(*RowReader) error, string, ...any) error,
	take func(*RowReader) (T, error), query string, args ...any,
) *Ahead[T] {
	a := &Ahead[T]{batches: make(chan []T, batchesAhead)}
	a.ctx, a.cancel = context.WithCancel(ctx)
	go func() {
		defer close(a.batches)
		batch := make([]T, 0, rowsPerBatch)
		a.failed = stream(a.ctx, func(f *RowReader) error {
			v, err := take(f)
			if err != nil {
				return err
			}
			if batch = append(batch, v); len(batch) < rowsPerBatch {
				return nil
			}
			full := batch
			batch = make([]T, 0, rowsPerBatch)
			return a.send(full)
		}, query, args...)
		if a.failed == nil {
			a.failed = a.send(batch)
		}
	}()
	return a
}

func (a *Ahead[T]) send(batch []T) error {
	select {
	case a.batches <- batch:
		return nil
	case <-a.ctx.Done():
		return context.Cause(a.ctx)
	}
}

// Next returns the next value; ok is false after the last, and where reading failed: see Err.
func (a *Ahead[T]) Next() (v T, ok bool) {
	for a.at == len(a.batch) {
		if a.batch, ok = <-a.batches; !ok {
			a.ended = true
			return v, false
		}
		a.at = 0
	}
	a.at++
	return a.batch[a.at-1], true
}

// Err is the error that reading ended with, once Next has returned no value.
func (a *Ahead[T]) Err() error {
	if !a.ended {
		return nil
	}
	return a.failed
}

// Stop ends the reading, wherever it is. It is always to be called.
func (a *Ahead[T]) Stop() {
	a.cancel()
	for range a.batches { // to the end, so that the connection is free again
		a.batch, a.at = nil, 0
	}
}

// StreamAhead is StreamRows in two steps that work at the same time: take makes a value of a row, which must not refer to the row
// any more, while fn is called here, in order, with values made of the rows before it. After an error of fn take is called for some
// rows at most.
func StreamAhead[T any](ctx context.Context, db *DB, take func(*RowReader) (T, error), fn func(T) error, query string, args ...any) error {
	a := ReadAhead(ctx, db, take, query, args...)
	defer a.Stop()
	for v, ok := a.Next(); ok; v, ok = a.Next() {
		if err := fn(v); err != nil {
			return err
		}
	}
	return a.Err()
}
