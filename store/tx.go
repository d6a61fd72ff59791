package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"concilia/store/ledger"
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

// The forms in which nouns cross into SQL: absent is NULL.

func sqlDate(d ledger.Date) any {
	if d == 0 {
		return nil
	}
	return int64(d)
}

func sqlOpt[T ~int64](o ledger.Opt[T]) any {
	if !o.OK {
		return nil
	}
	return int64(o.V)
}

func sqlBool(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func sqlTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func sqlText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// The forms in which they come back, as targets of Scan.

type scanDate struct{ to *ledger.Date }

func (s scanDate) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = ledger.Date(n.Int64)
	return err
}

type scanOpt[T ~int64] struct{ to *ledger.Opt[T] }

func (s scanOpt[T]) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = ledger.Opt[T]{V: T(n.Int64), OK: n.Valid}
	return err
}

// opt spares the type parameter at the call.
func opt[T ~int64](to *ledger.Opt[T]) scanOpt[T] { return scanOpt[T]{to} }

type scanTime struct{ to *time.Time }

func (s scanTime) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	if *s.to = (time.Time{}); n.Valid {
		*s.to = time.UnixMicro(n.Int64).UTC()
	}
	return err
}

type scanBool struct{ to *bool }

func (s scanBool) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = n.Int64 != 0
	return err
}

type scanText struct{ to *string }

func (s scanText) Scan(v any) error {
	var n sql.NullString
	err := n.Scan(v)
	*s.to = n.String
	return err
}

type scanHash struct{ to *ledger.Hash }

func (s scanHash) Scan(v any) error {
	b, ok := v.([]byte)
	if !ok || len(b) != len(s.to) {
		return errors.New("not a content hash")
	}
	copy(s.to[:], b)
	return nil
}
