package sqldb

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// RowReader reads the values of a row one after the other, in the order of its columns. It is for the streams of many
// rows, past database/sql; NULL is zero or absent.
type RowReader struct {
	Fields
	I   int
	Err error
	h   ledger.Hash // on its way
}

func (f *RowReader) NextInt() int64 {
	f.I++
	return f.Int(f.I - 1)
}

func (f *RowReader) NextText() string {
	f.I++
	return f.Text(f.I - 1)
}

func (f *RowReader) NextIsNull() bool { return f.Null(f.I) }

func (f *RowReader) NextBool() bool { return f.NextInt() != 0 }

func (f *RowReader) NextDate() ledger.Date { return ledger.Date(f.NextInt()) }

func (f *RowReader) NextHash() ledger.Hash {
	f.I++
	if err := f.Bytes(f.I-1, f.h[:]); err != nil && f.Err == nil {
		f.Err = err
	}
	return f.h
}

func NextOpt[T ~int64](f *RowReader) ledger.Opt[T] {
	if f.NextIsNull() {
		f.I++
		return ledger.Opt[T]{}
	}
	return ledger.Some(T(f.NextInt()))
}

// StreamRows hands fn every row of a query on a connection of the readers.
func (db *DB) StreamRows(ctx context.Context, fn func(*RowReader) error, query string, args ...any) error {
	return db.readOnce(ctx, fn, func(conn *sql.Conn, fn func(*RowReader) error) error {
		return db.scanRows(ctx, conn, fn, query, args...)
	})
}

// StreamInIndexOrder is stream for a query in the order of the indexes of what it joins.
func (db *DB) StreamInIndexOrder(ctx context.Context, fn func(*RowReader) error, query string, args ...any) error {
	return db.readOnce(ctx, fn, func(conn *sql.Conn, fn func(*RowReader) error) error {
		t, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = t.Rollback() }() // nothing was written
		if err := db.Dialect.Indexed(ctx, t); err != nil {
			return err
		}
		return db.scanRows(ctx, conn, fn, query, args...)
	})
}

// readOnce gives read a connection of the readers, and another one when the server was lost before fn had a row.
func (db *DB) readOnce(ctx context.Context, fn func(*RowReader) error, read func(*sql.Conn, func(*RowReader) error) error) error {
	told := false
	tell := func(f *RowReader) error {
		told = true
		return fn(f)
	}
	mends := func(err error) bool { return !told && db.Read.Mends(err) }
	return Again(ctx, mends, func() error {
		conn, err := db.Read.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // it only goes back to its pool
		return read(conn, tell)
	})
}

func (db *DB) scanRows(ctx context.Context, conn *sql.Conn, fn func(*RowReader) error, query string, args ...any) error {
	f := &RowReader{}
	return db.Dialect.Scan(ctx, conn, func(row Fields) error {
		f.Fields, f.I, f.Err = row, 0, nil
		if err := fn(f); err != nil {
			return err
		}
		return f.Err
	}, query, args...)
}
