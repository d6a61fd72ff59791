package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"concilia/store/engine"
)

// tx is a writing transaction and the connection it runs on, which is reached past database/sql for what goes in bulk.
type tx struct {
	*sql.Tx
	conn *sql.Conn
	l    *Ledger
	lane chan func() error // what is done beside and has not begun; nil when nothing is
	told chan error        // gives what failed of it, and is closed at its end
	lost error             // what was done beside failed: nothing more is done, and nothing kept
}

// waitsBeside is how much may wait to be done beside: one thing after the other takes longer than the next is in the
// making, now and then, and neither is to wait for the other. What waits is held in memory.
const waitsBeside = 2

// beside does something on the connection while the caller goes on with what is none of the transaction's business:
// behind what was to be done beside before, and alone. The transaction settles before anything else is done on it. It
// waits when too much does, and gives the error of what failed before, after which nothing more is done.
func (t *tx) beside(fn func() error) error {
	if t.lane == nil {
		t.lane, t.told = make(chan func() error, waitsBeside), make(chan error, 1)
		go oneByOne(t.lane, t.told)
	}
	select {
	case err := <-t.told:
		t.lost = cmp.Or(t.lost, err)
	default:
	}
	if t.lost == nil {
		t.lane <- fn
	}
	return t.lost
}

// oneByOne does one thing after the other until one fails, which it tells.
func oneByOne(lane <-chan func() error, told chan<- error) {
	defer close(told)
	failed := false
	for fn := range lane {
		if failed {
			continue
		}
		if err := fn(); err != nil {
			failed = true
			told <- err
		}
	}
}

// settle waits for what is done beside and says whether that, or something before it, failed.
func (t *tx) settle() error {
	if t.lane != nil {
		close(t.lane)
		for err := range t.told {
			t.lost = cmp.Or(t.lost, err)
		}
		t.lane = nil
	}
	return t.lost
}

// ExecContext, QueryContext and QueryRowContext are those of the transaction, settled.

func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.settle(); err != nil {
		return nil, err
	}
	return t.Tx.ExecContext(ctx, query, args...)
}

func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.settle(); err != nil {
		return nil, err
	}
	return t.Tx.QueryContext(ctx, query, args...)
}

func (t *tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = t.settle() // a row can't tell: the commit will
	return t.Tx.QueryRowContext(ctx, query, args...)
}

// write runs fn in one transaction: all of it is kept, or nothing. doing names it in errors. What another try may mend
// (a deadlock, a lost connection, a lock) is tried again, so fn must not add to what an earlier call of it left in
// memory. When the connection is lost while the transaction is being committed nobody knows whether it was kept, and
// it is not tried again.
func (l *Ledger) write(ctx context.Context, doing string, fn func(*tx) error) error {
	return l.retry(ctx, doing, false, fn)
}

// writeAgain is write for an fn that finds out by itself that it was kept before: it is tried again even after a commit
// whose outcome is unknown.
func (l *Ledger) writeAgain(ctx context.Context, doing string, fn func(*tx) error) error {
	return l.retry(ctx, doing, true, fn)
}

func (l *Ledger) retry(ctx context.Context, doing string, again bool, fn func(*tx) error) error {
	committing := false
	mends := func(err error) bool {
		class := l.db.Dialect.Class(err)
		return class == engine.Retry || class == engine.Lost && (again || !committing)
	}
	err := engine.Again(ctx, mends, func() (err error) {
		committing, err = l.once(ctx, fn)
		return err
	})
	return l.fault(doing, err)
}

// once runs fn in a transaction and says whether it came to the commit.
func (l *Ledger) once(ctx context.Context, fn func(*tx) error) (committing bool, err error) {
	t, err := l.begin(ctx)
	if err != nil {
		return false, err
	}
	if err := fn(t); err != nil {
		// The rollback's own error says nothing that the first one does not.
		_ = t.Rollback()
		return false, err
	}
	return true, t.Commit()
}

func (l *Ledger) begin(ctx context.Context) (*tx, error) {
	conn, err := l.db.Write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &tx{Tx: t, conn: conn, l: l}, nil
}

// Commit keeps the transaction and gives its connection back.
func (t *tx) Commit() error {
	if err := t.settle(); err != nil {
		return errors.Join(err, t.Rollback())
	}
	err := t.Tx.Commit()
	_ = t.conn.Close() // it only goes back to its pool
	return err
}

// Rollback undoes the transaction and gives its connection back.
func (t *tx) Rollback() error {
	_ = t.settle() // nothing is kept either way
	err := t.Tx.Rollback()
	_ = t.conn.Close()
	return err
}

// load, scan and batch are engine.Bulk within the transaction.

func (t *tx) load(ctx context.Context, table string, columns []string, n int, fill func(int, engine.Row) error) error {
	if err := t.settle(); n == 0 || err != nil {
		return err
	}
	return t.l.db.Dialect.Load(ctx, t.conn, table, columns, n, fill)
}

func (t *tx) scan(ctx context.Context, fn func(engine.Fields) error, query string, args ...any) error {
	if err := t.settle(); err != nil {
		return err
	}
	return t.l.db.Dialect.Scan(ctx, t.conn, fn, query, args...)
}

func (t *tx) batch(ctx context.Context, query string, n int, args func(int) []any) error {
	if err := t.settle(); n == 0 || err != nil {
		return err
	}
	return t.l.db.Dialect.Batch(ctx, t.conn, query, n, args)
}

// querier is a pool or a transaction. The pool of the readers asks again by itself what found no server.
type querier = engine.Querier

// collect is a reading whose rows nobody but itself has seen when it breaks off: it is begun again where each would leave
// that to its caller. In a transaction it is not, as all of that is begun again.
func collect(ctx context.Context, q querier, read func() error) error {
	if r, ok := q.(*engine.Reader); ok {
		return engine.Again(ctx, r.Mends, read)
	}
	return read()
}

// each runs a query and hands fn one row after another.
func each(ctx context.Context, q querier, fn func(*sql.Rows) error, query string, args ...any) (err error) {
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
