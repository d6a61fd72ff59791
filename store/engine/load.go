package engine

import (
	"context"
	"database/sql"
)

// Bulk is what goes past database/sql, which boxes every value: rows by the ten thousand. Its methods run on conn within
// the transaction that was begun on it; while one runs, nothing else may use the transaction.
type Bulk interface {
	// Load inserts n rows. fill is called once for each, in order and never at the same time, and gives a value for
	// every column. The names are of this program, not of a user.
	Load(ctx context.Context, conn *sql.Conn, table string, columns []string, n int, fill func(i int, r Row) error) error
	// Scan hands fn every row of the answer. What fn is given holds until it returns. Arguments are int64 and string.
	Scan(ctx context.Context, conn *sql.Conn, fn func(Fields) error, query string, args ...any) error
	// Batch runs a statement once for each of n sets of arguments (int64, string, []byte, nil), in order, without
	// waiting for the database between them.
	Batch(ctx context.Context, conn *sql.Conn, query string, n int, args func(i int) []any) error
}

// Row takes the values of a row in the order of its columns.
type Row interface {
	Int(v int64)
	Text(v string)
	Bytes(v []byte)
	Null()
}

// Fields gives the values of a row by their place, from 0. A NULL is 0 or empty.
type Fields interface {
	Int(i int) int64
	Text(i int) string
	Null(i int) bool
	// Bytes fills into with the value, whose length must be exactly that.
	Bytes(i int, into []byte) error
}
