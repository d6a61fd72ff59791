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
	next int         // place of the next column
	err  error       // of a value that could not be read
	hash ledger.Hash // buffer of NextHash
}

// Err returns the error of the first value of the row that could not be read, nil if there is none.
func (f *RowReader) Err() error { return f.err }

// Skip passes over the next columns.
func (f *RowReader) Skip(columns int) { f.next += columns }

// NextInt reads the next column, an integer.
func (f *RowReader) NextInt() int64 {
	f.next++
	return f.Int(f.next - 1)
}

// NextText reads the next column, a text.
func (f *RowReader) NextText() string {
	f.next++
	return f.Text(f.next - 1)
}

// NextIsNull reports whether the next column is NULL, and does not pass over it.
func (f *RowReader) NextIsNull() bool { return f.Null(f.next) }

// NextBool reads the next column, 0 or 1.
func (f *RowReader) NextBool() bool { return f.NextInt() != 0 }

// NextDate reads the next column, a day; NULL is zero.
func (f *RowReader) NextDate() ledger.Date { return ledger.Date(f.NextInt()) }

// NextHash reads the next column, a content hash.
func (f *RowReader) NextHash() ledger.Hash {
	f.next++
	if err := f.Bytes(f.next-1, f.hash[:]); err != nil && f.err == nil {
		f.err = err
	}
	return f.hash
}

// NextOpt reads the next column, a number that may be absent.
func NextOpt[T ~int64](f *RowReader) ledger.Opt[T] {
	if f.NextIsNull() {
		f.next++
		return ledger.Opt[T]{}
	}
	return ledger.Some(T(f.NextInt()))
}

// StreamRows hands fn every row of a query on a connection of the readers.
func (db *DB) StreamRows(ctx context.Context, fn func(*RowReader) error, query string, args ...any) error {
	return db.streamOnReader(ctx, fn, func(conn *sql.Conn, fn func(*RowReader) error) error {
		return db.scanRows(ctx, conn, fn, query, args...)
	})
}

// StreamInIndexOrder is stream for a query in the order of the indexes of what it joins.
func (db *DB) StreamInIndexOrder(ctx context.Context, fn func(*RowReader) error, query string, args ...any) error {
	return db.streamOnReader(ctx, fn, func(conn *sql.Conn, fn func(*RowReader) error) error {
		t, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = t.Rollback() }() // nothing was written
		if err := db.Dialect.PlanInIndexOrder(ctx, t); err != nil {
			return err
		}
		return db.scanRows(ctx, conn, fn, query, args...)
	})
}

// streamOnReader gives read a connection of the readers, and another one when the server was lost before fn had a row.
func (db *DB) streamOnReader(ctx context.Context, fn func(*RowReader) error, read func(*sql.Conn, func(*RowReader) error) error) error {
	told := false
	tell := func(f *RowReader) error {
		told = true
		return fn(f)
	}
	mends := func(err error) bool { return !told && db.Read.IsRetryable(err) }
	return RetryWhile(ctx, mends, func() error {
		conn, err := db.Read.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // it only goes back to its pool
		return read(conn, tell)
	})
}

func (db *DB) scanRows(ctx context.Context, conn *sql.Conn, fn func(*RowReader) error, query string, args ...any) error {
	return db.Dialect.ScanRows(ctx, conn, ReadEachRow(fn), query, args...)
}

// ReadEachRow makes a function for Bulk.ScanRows of one that reads rows value by value. It reads all rows with one reader, and
// returns an error of the reader unless fn returned one.
func ReadEachRow(fn func(*RowReader) error) func(Fields) error {
	f := &RowReader{}
	return func(row Fields) error {
		f.Fields, f.next, f.err = row, 0, nil
		if err := fn(f); err != nil {
			return err
		}
		return f.err
	}
}
