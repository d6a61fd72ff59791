package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// How long what may go through the next time is tried again. The time is that of an elected or restarted server, and as
// long as a lock of SQLite is waited for: what waited that long is not tried again.
const (
	firstRetryDelay = 20 * time.Millisecond
	maxRetryDelay   = 2 * time.Second
	maxRetryTime    = 20 * time.Second
	maxRetries      = 20
)

// RetryWhile calls do until it succeeds, ctx ends, a time limit has passed, or may reports that retrying does not help with
// its error.
func RetryWhile(ctx context.Context, may func(error) bool, do func() error) error {
	try := func() (struct{}, error) {
		err := do()
		if err != nil && (ctx.Err() != nil || !may(err)) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}
	pace := backoff.NewExponentialBackOff()
	pace.InitialInterval, pace.MaxInterval = firstRetryDelay, maxRetryDelay
	_, err := backoff.Retry(ctx, try, backoff.WithBackOff(pace), backoff.WithMaxTries(maxRetries),
		backoff.WithMaxElapsedTime(maxRetryTime))
	return err
}

// Querier runs queries: a pool, a reader, a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Reader is a pool that only reads. A query that fails because the server restarts or fails over is retried until its
// first row has arrived. The caller retries what breaks off later.
type Reader struct {
	*sql.DB
	dialect Dialect
}

// IsRetryable reports whether a read that failed with err may succeed when retried.
func (r *Reader) IsRetryable(err error) bool {
	class := r.dialect.ClassifyError(err)
	return class == RetryableError || class == ConnectionLost
}

// QueryContext is sql.DB.QueryContext with retries.
func (r *Reader) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = RetryWhile(ctx, r.IsRetryable, func() (err error) {
		rows, err = r.DB.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // the caller reads and closes them
		return err
	})
	return rows, err
}

// QueryRowContext is sql.DB.QueryRowContext with retries.
func (r *Reader) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	_ = RetryWhile(ctx, r.IsRetryable, func() error { // the row has the error
		row = r.DB.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	return row
}
