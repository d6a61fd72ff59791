package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Tx is a writing transaction and the connection it runs on, which is reached past database/sql for what goes in bulk.
type Tx struct {
	*sql.Tx
	Conn          *sql.Conn
	DB            *DB
	waiting       chan func() error // background work that has not begun; nil if there is none
	failures      chan error        // gives what failed of it, and is closed at its end
	backgroundErr error             // error of background work: nothing more is done, and nothing kept
	later         []Statement       // see ExecLater
}

// Statement is a statement with its arguments (int64, string, []byte, nil).
type Statement struct {
	Query string
	Args  []any
	ctx   context.Context
}

// ExecLater runs a statement of which nothing is asked but that it succeeds: before the next one of the transaction, or its end. Those that
// come in a row are sent to a server at once.
func (t *Tx) ExecLater(ctx context.Context, query string, args ...any) {
	t.later = append(t.later, Statement{query, args, ctx})
}

// execWaiting runs the statements that wait.
func (t *Tx) execWaiting() error {
	if len(t.later) == 0 {
		return nil
	}
	all := t.later
	t.later = nil
	return t.DB.Dialect.ExecTogether(all[0].ctx, t, all)
}

// MaxQueued is how much background work may wait: one function after the other takes longer than the next is in the
// making, now and then, and neither is to wait for the other. What waits is held in memory.
const MaxQueued = 2

// RunInBackground does something on the connection while the caller goes on with what is none of the transaction's business:
// after the background work before it, and alone. The transaction waits for it before anything else is done on it. It
// waits when too much does, and gives the error of what failed before, after which nothing more is done.
func (t *Tx) RunInBackground(fn func() error) error {
	if err := t.execWaiting(); err != nil {
		return err
	}
	if t.waiting == nil {
		t.waiting, t.failures = make(chan func() error, MaxQueued), make(chan error, 1)
		go runFunctions(t.waiting, t.failures)
	}
	select {
	case err := <-t.failures:
		t.backgroundErr = cmp.Or(t.backgroundErr, err)
	default:
	}
	if t.backgroundErr == nil {
		t.waiting <- fn
	}
	return t.backgroundErr
}

// OfBackground is the transaction for a function that runs in the background, which does not wait for itself.
func (t *Tx) OfBackground() *Tx { return &Tx{Tx: t.Tx, Conn: t.Conn, DB: t.DB} }

// runFunctions runs one function after the other until one fails, and returns its error.
func runFunctions(functions <-chan func() error, failure chan<- error) {
	defer close(failure)
	failed := false
	for fn := range functions {
		if failed {
			continue
		}
		if err := fn(); err != nil {
			failed = true
			failure <- err
		}
	}
}

// WaitBackground waits for the background work and returns its error, or that of earlier work. Then it runs the statements that wait.
func (t *Tx) WaitBackground() error {
	if t.waiting != nil {
		close(t.waiting)
		for err := range t.failures {
			t.backgroundErr = cmp.Or(t.backgroundErr, err)
		}
		t.waiting = nil
	}
	if t.backgroundErr != nil {
		return t.backgroundErr
	}
	return t.execWaiting()
}

// ExecContext executes a statement after what is done in the background.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.WaitBackground(); err != nil {
		return nil, err
	}
	return t.Tx.ExecContext(ctx, query, args...)
}

// QueryContext runs a query after what is done in the background. The caller closes the rows.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.WaitBackground(); err != nil {
		return nil, err
	}
	return t.Tx.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query of one row after what is done in the background, whose error the commit returns.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = t.WaitBackground() // a row cannot return the error: the commit will
	return t.Tx.QueryRowContext(ctx, query, args...)
}

// Transact runs fn in one transaction: all of it is kept, or nothing. doing names it in errors. What another try may mend
// (a deadlock, a lost connection, a lock) is tried again, so fn must not add to what an earlier call of it left in
// memory. When the connection is lost while the transaction is being committed it is not known whether it was kept, and
// it is not tried again.
func (db *DB) Transact(ctx context.Context, doing string, fn func(*Tx) error) error {
	return db.retryTransaction(ctx, doing, false, fn)
}

// TransactRepeatable is write for an fn that finds out by itself that it was kept before: it is tried again even after a commit
// whose outcome is unknown.
func (db *DB) TransactRepeatable(ctx context.Context, doing string, fn func(*Tx) error) error {
	return db.retryTransaction(ctx, doing, true, fn)
}

func (db *DB) retryTransaction(ctx context.Context, doing string, again bool, fn func(*Tx) error) error {
	committing := false
	mends := func(err error) bool {
		class := db.Dialect.ClassifyError(err)
		return class == RetryableError || class == ConnectionLost && (again || !committing)
	}
	err := RetryWhile(ctx, mends, func() (err error) {
		committing, err = db.tryTransaction(ctx, fn)
		return err
	})
	return db.WrapError(doing, err)
}

// tryTransaction runs fn in a transaction and reports whether it came to the commit.
func (db *DB) tryTransaction(ctx context.Context, fn func(*Tx) error) (committing bool, err error) {
	t, err := db.Begin(ctx)
	if err != nil {
		return false, err
	}
	err = fn(t)
	if err == nil {
		err = t.WaitBackground() // before the commit: what fails here was not kept
	}
	if err != nil {
		// The rollback's own error says nothing that the first one does not.
		_ = t.Rollback()
		return false, err
	}
	return true, t.Commit()
}

// Begin begins a transaction on a connection of its own, which Commit and Rollback give back.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	conn, err := db.Write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Tx{Tx: t, Conn: conn, DB: db}, nil
}

// Commit keeps the transaction and gives its connection back.
func (t *Tx) Commit() error {
	if err := t.WaitBackground(); err != nil {
		return errors.Join(err, t.Rollback())
	}
	err := t.Tx.Commit()
	_ = t.Conn.Close() // it only goes back to its pool
	return err
}

// Rollback undoes the transaction and gives its connection back.
func (t *Tx) Rollback() error {
	t.later = nil
	_ = t.WaitBackground() // nothing is kept either way
	err := t.Tx.Rollback()
	_ = t.Conn.Close()
	return err
}

// LoadRows is Dialect.LoadRows within the transaction; of no rows it does nothing.
func (t *Tx) LoadRows(ctx context.Context, table string, columns []string, n int, fill func(int, Row) error) error {
	if err := t.WaitBackground(); n == 0 || err != nil {
		return err
	}
	return t.DB.Dialect.LoadRows(ctx, t.Conn, table, columns, n, fill)
}

// ScanRows is Dialect.ScanRows within the transaction.
func (t *Tx) ScanRows(ctx context.Context, fn func(Fields) error, query string, args ...any) error {
	if err := t.WaitBackground(); err != nil {
		return err
	}
	return t.DB.Dialect.ScanRows(ctx, t.Conn, fn, query, args...)
}

// ExecBatch is Dialect.ExecBatch within the transaction; of no rows it does nothing.
func (t *Tx) ExecBatch(ctx context.Context, query string, n int, args func(int) []any) error {
	if err := t.WaitBackground(); n == 0 || err != nil {
		return err
	}
	return t.DB.Dialect.ExecBatch(ctx, t.Conn, query, n, args)
}

// ReadWithRetry is a reading whose rows are discarded when it breaks off: it is begun again where each would leave
// that to its caller. In a transaction it is not, as all of that is begun again.
func ReadWithRetry(ctx context.Context, q Querier, read func() error) error {
	if r, ok := q.(*Reader); ok {
		return RetryWhile(ctx, r.IsRetryable, read)
	}
	return read()
}

// EachRow runs a query and calls fn for each row.
func EachRow(ctx context.Context, q Querier, fn func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

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
	snapshot *sql.Tx // what is read from instead of the pool; nil: the pool
	dialect  Dialect
}

// Snapshot calls fn with a database that only reads, through Read, and all of it as it was at one instant. It has one connection: the
// rows of a query are read to their end before the next one is asked, or Postgres refuses it. Nothing in it is tried again, for the
// instant is lost with the connection.
func (db *DB) Snapshot(ctx context.Context, fn func(*DB) error) error {
	var tx *sql.Tx
	err := RetryWhile(ctx, db.Read.IsRetryable, func() (err error) {
		tx, err = db.Read.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		return err
	})
	if err != nil {
		return db.WrapError("begin to read the ledger", err)
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to keep
	at := *db
	at.Write, at.Read = nil, &Reader{snapshot: tx, dialect: db.Dialect}
	return fn(&at)
}

// IsRetryable reports whether a read that failed with err may succeed when retried.
func (r *Reader) IsRetryable(err error) bool {
	if r.snapshot != nil {
		return false
	}
	class := r.dialect.ClassifyError(err)
	return class == RetryableError || class == ConnectionLost
}

// QueryContext is sql.DB.QueryContext with retries.
func (r *Reader) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	if r.snapshot != nil {
		return r.snapshot.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // the caller reads and closes them
	}
	err = RetryWhile(ctx, r.IsRetryable, func() (err error) {
		rows, err = r.DB.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // the caller reads and closes them
		return err
	})
	return rows, err
}

// QueryRowContext is sql.DB.QueryRowContext with retries.
func (r *Reader) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	if r.snapshot != nil {
		return r.snapshot.QueryRowContext(ctx, query, args...)
	}
	_ = RetryWhile(ctx, r.IsRetryable, func() error { // the row has the error
		row = r.DB.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	return row
}
