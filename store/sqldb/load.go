package sqldb

import (
	"context"
	"database/sql"
)

// Bulk moves many rows without database/sql, which boxes every value. Its methods run on conn within the transaction
// that was begun on it; nothing else may use the transaction at the same time.
type Bulk interface {
	// LoadRows inserts n rows. It calls fill once per row, in order and never concurrently, to set a value for every column.
	// Table and columns must not come from a user.
	LoadRows(ctx context.Context, conn *sql.Conn, table string, columns []string, n int, fill func(i int, r Row) error) error
	// ScanRows calls fn for every row of the result. Fields are valid until fn returns. Arguments are int64 and string.
	ScanRows(ctx context.Context, conn *sql.Conn, fn func(Fields) error, query string, args ...any) error
	// ExecBatch runs a statement once for each of n sets of arguments (int64, string, []byte, nil), in order, without
	// waiting for the database between them.
	ExecBatch(ctx context.Context, conn *sql.Conn, query string, n int, args func(i int) []any) error
}

// Row receives the values of a row in the order of its columns.
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
	// Bytes copies the value into into, which must have exactly its length.
	Bytes(i int, into []byte) error
}
