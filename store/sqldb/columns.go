package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"concilia/store/ledger"
)

// The forms in which nouns cross into SQL: absent is NULL.

// DateArg is a date as the argument of a statement, NULL if it is zero.
func DateArg(d ledger.Date) any {
	if d == 0 {
		return nil
	}
	return int64(d)
}

// OptArg is a number as the argument of a statement, NULL if it is absent.
func OptArg[T ~int64](o ledger.Opt[T]) any {
	if !o.OK {
		return nil
	}
	return int64(o.V)
}

// BoolArg is 1 for true and 0 for false.
func BoolArg(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TimeArg is an instant as the argument of a statement, NULL if it is zero.
func TimeArg(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
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

// scanNumber takes NULL, of a row that an outer join did not find, as zero.
type scanNumber[T ~int | ~int64] struct{ to *T }

func (s scanNumber[T]) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = T(n.Int64)
	return err
}

// The targets of Scan: each fills what it is given from a column, and leaves NULL as zero or absent.

// IntoDate scans a column into a date; NULL is zero.
func IntoDate(to *ledger.Date) sql.Scanner { return scanDate{to} }

// IntoTime scans a column into an instant; NULL is zero.
func IntoTime(to *time.Time) sql.Scanner { return scanTime{to} }

// IntoBool scans a column into a bool; NULL is false.
func IntoBool(to *bool) sql.Scanner { return scanBool{to} }

// IntoText scans a column into a text; NULL is empty.
func IntoText(to *string) sql.Scanner { return scanText{to} }

// IntoHash scans a column into a hash; NULL is zero.
func IntoHash(to *ledger.Hash) sql.Scanner { return scanHash{to} }

// IntoOpt scans a column into a number that may be absent; NULL is absent.
func IntoOpt[T ~int64](to *ledger.Opt[T]) sql.Scanner { return scanOpt[T]{to} }

// IntoNumber scans a column into a number; NULL is zero.
func IntoNumber[T ~int | ~int64](to *T) sql.Scanner { return scanNumber[T]{to} }

// MarshalText returns JSON text for a column. It does not escape <, > and &, since people read these columns.
func MarshalText(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// OptPointer returns a pointer to the value for JSON, nil if it is absent.
func OptPointer[T any](o ledger.Opt[T]) *T {
	if !o.OK {
		return nil
	}
	return &o.V
}

// OptFromPointer is the inverse of OptPointer.
func OptFromPointer[T any](p *T) ledger.Opt[T] {
	if p == nil {
		return ledger.Opt[T]{}
	}
	return ledger.Some(*p)
}

// PutDate sets the next value of a row to a day, NULL if it is zero.
func PutDate(r Row, d ledger.Date) {
	if d == 0 {
		r.Null()
		return
	}
	r.Int(int64(d))
}

// PutOpt sets the next value of a row to a number, NULL if it is absent.
func PutOpt[T ~int64](r Row, o ledger.Opt[T]) {
	if !o.OK {
		r.Null()
		return
	}
	r.Int(int64(o.V))
}

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
	f.NextBytes(f.hash[:])
	return f.hash
}

// NextBytes reads the next column, which has exactly the length of into.
func (f *RowReader) NextBytes(into []byte) {
	f.next++
	if err := f.Bytes(f.next-1, into); err != nil && f.err == nil {
		f.err = err
	}
}

// NextOpt reads the next column, a number that may be absent.
func NextOpt[T ~int64](f *RowReader) ledger.Opt[T] {
	if f.NextIsNull() {
		f.next++
		return ledger.Opt[T]{}
	}
	return ledger.Some(T(f.NextInt()))
}

// StreamRows calls fn for every row of a query on a connection of the readers, or on that of the snapshot.
func (db *DB) StreamRows(ctx context.Context, fn func(*RowReader) error, query string, args ...any) error {
	if db.Read.snapshot != nil {
		return ReadRows(ctx, db.Read, fn, query, args...)
	}
	return db.streamOnReader(ctx, fn, func(conn *sql.Conn, fn func(*RowReader) error) error {
		return db.scanRows(ctx, conn, fn, query, args...)
	})
}

// StreamInIndexOrder is StreamRows for a query in the order of the indexes of what it joins. A snapshot leaves the order to the database.
func (db *DB) StreamInIndexOrder(ctx context.Context, fn func(*RowReader) error, query string, args ...any) error {
	if db.Read.snapshot != nil {
		return ReadRows(ctx, db.Read, fn, query, args...)
	}
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
	started := false
	first := func(f *RowReader) error {
		started = true
		return fn(f)
	}
	mends := func(err error) bool { return !started && db.Read.IsRetryable(err) }
	return RetryWhile(ctx, mends, func() error {
		conn, err := db.Read.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // it only goes back to its pool
		return read(conn, first)
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
