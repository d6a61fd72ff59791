package store

import (
	"context"
	"database/sql"
	"errors"
)

// tx is a writing transaction with the statements it prepared.
type tx struct {
	*sql.Tx
	l *Ledger
}

// write runs fn in one transaction: all of it is kept, or nothing. doing names it in errors.
func (l *Ledger) write(ctx context.Context, doing string, fn func(*tx) error) error {
	t, err := l.begin(ctx)
	if err != nil {
		return l.fault(doing, err)
	}
	if err := fn(t); err != nil {
		// The rollback's own error says nothing that the first one does not.
		_ = t.Rollback()
		return l.fault(doing, err)
	}
	return l.fault(doing, t.Commit())
}

func (l *Ledger) begin(ctx context.Context) (*tx, error) {
	t, err := l.db.Write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &tx{Tx: t, l: l}, nil
}

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
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
