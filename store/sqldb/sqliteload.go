package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
)

// rowsPerContextCheck is after how many rows the context is looked at: inserting one takes some ten microseconds.
const rowsPerContextCheck = 256

// onSQLite runs fn on the connection itself with the statement prepared.
func onSQLite(ctx context.Context, conn *sql.Conn, query string, fn func(*sqliteStmt) error) error {
	return conn.Raw(func(raw any) (err error) {
		c, ok := raw.(*sqliteConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of another driver: %T", raw)
		}
		if err := c.interruptWith(ctx); err != nil {
			return err
		}
		s, _, err := c.prepareFirst(query)
		if err != nil {
			return err
		}
		defer func() {
			// Finalizing repeats the error of the last step, which is known already.
			if closed := s.Close(); err == nil {
				err = closed
			}
		}()
		return fn(s)
	})
}

// rowsPerInsert is how many rows one INSERT has: a statement opens a cursor of the table and of each of its indexes, and closes them.
const rowsPerInsert = 32

// LoadRows inserts rows by prepared statements of many rows, and what is left by one of a single row.
func (d sqliteDialect) LoadRows(ctx context.Context, conn *sql.Conn, table string, columns []string, n int,
	fill func(int, Row) error,
) error {
	inMany := n - n%rowsPerInsert
	if err := d.insertRows(ctx, conn, table, columns, 0, inMany, rowsPerInsert, fill); err != nil {
		return err
	}
	return d.insertRows(ctx, conn, table, columns, inMany, n, 1, fill)
}

// insertRows inserts the rows from one to before another, so many with each statement. A statement that fails keeps the rows before the one
// that it fails with (OR FAIL), as if each had its own: SQLite need not copy every page that it changes, to change it back.
func (sqliteDialect) insertRows(
	ctx context.Context, conn *sql.Conn, table string, columns []string, from, to, atOnce int, fill func(int, Row) error,
) error {
	if from == to {
		return nil
	}
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	query := "INSERT OR FAIL INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + row + strings.Repeat(", "+row, atOnce-1)
	return onSQLite(ctx, conn, query, func(s *sqliteStmt) error {
		r := sqliteRow{s: s.s, last: make([]boundValue, atOnce*len(columns))}
		for i := from; i < to; i += atOnce {
			if r.n = 0; i%rowsPerContextCheck == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for k := range atOnce {
				if err := fill(i+k, &r); err != nil {
					return err
				}
				if r.n != (k+1)*len(columns) {
					return fmt.Errorf("load %s: a row of %d values for %d columns", table, r.n-k*len(columns), len(columns))
				}
			}
			if _, err := s.s.Step(); err != nil {
				return err
			}
			if err := s.s.Reset(); err != nil {
				return err
			}
		}
		return nil
	})
}

// sqliteRow binds the values of the rows of a statement. A value stays bound until another takes its place, so one that the statement
// before had there, as most are, is not bound again: to bind costs more than to compare.
type sqliteRow struct {
	s    *sqlite.Stmt
	n    int
	last []boundValue
}

// boundValue is what a parameter has.
type boundValue struct {
	kind sqlite.ColumnType // 0 before the first row
	v    int64
	text string
}

// needsBind reports whether the next parameter has to be given the value, and notes that it has it.
func (r *sqliteRow) needsBind(b boundValue) bool {
	r.n++
	if r.n > len(r.last) {
		return false // too many: Load says so
	}
	if r.last[r.n-1] == b {
		return false
	}
	r.last[r.n-1] = b
	return true
}

func (r *sqliteRow) Int(v int64) {
	if r.needsBind(boundValue{kind: sqlite.TypeInteger, v: v}) {
		r.s.BindInt64(r.n, v)
	}
}

func (r *sqliteRow) Text(v string) {
	if r.needsBind(boundValue{kind: sqlite.TypeText, text: v}) {
		r.s.BindText(r.n, v)
	}
}

// Bytes are hashes, which no two rows share.
func (r *sqliteRow) Bytes(v []byte) {
	r.needsBind(boundValue{kind: sqlite.TypeBlob})
	if r.n <= len(r.last) {
		r.s.BindBytes(r.n, v)
	}
}

func (r *sqliteRow) Null() {
	if r.needsBind(boundValue{kind: sqlite.TypeNull}) {
		r.s.BindNull(r.n)
	}
}

// ScanRows reads the columns of the statement without copying them first.
func (sqliteDialect) ScanRows(ctx context.Context, conn *sql.Conn, fn func(Fields) error, query string, args ...any) error {
	return onSQLite(ctx, conn, query, func(s *sqliteStmt) error {
		if err := s.bindArgs(namedArgs(args)); err != nil {
			return err
		}
		f := &sqliteFields{s: s.s, last: make([]string, s.s.ColumnCount())}
		for {
			more, err := s.s.Step()
			if err != nil || !more {
				return cmp.Or(s.conn.checkUnchanged(), err)
			}
			if err := fn(f); err != nil {
				return err
			}
		}
	})
}

func namedArgs(args []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

type sqliteFields struct {
	s    *sqlite.Stmt
	last []string // of each column: rows in order mostly repeat the one before
	text [256]byte
}

func (f *sqliteFields) Int(i int) int64 { return f.s.ColumnInt64(i) }
func (f *sqliteFields) Null(i int) bool { return f.s.ColumnType(i) == sqlite.TypeNull }

func (f *sqliteFields) Text(i int) string {
	n := f.s.ColumnBytes(i, f.text[:])
	switch {
	case n == len(f.text): // and maybe more
		return f.s.ColumnText(i)
	case string(f.text[:n]) != f.last[i]:
		f.last[i] = string(f.text[:n])
	}
	return f.last[i]
}

func (f *sqliteFields) Bytes(i int, into []byte) error {
	if n := f.s.ColumnLen(i); n != len(into) {
		return fmt.Errorf("column %d: %d bytes instead of %d", i, n, len(into))
	}
	f.s.ColumnBytes(i, into)
	return nil
}

// ExecBatch runs one prepared statement again and again.
func (sqliteDialect) ExecBatch(ctx context.Context, conn *sql.Conn, query string, n int, args func(int) []any) error {
	return onSQLite(ctx, conn, query, func(s *sqliteStmt) error {
		for i := range n {
			if i%rowsPerContextCheck == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if _, err := s.execArgs(namedArgs(args(i))); err != nil {
				return err
			}
		}
		return nil
	})
}

// ExecTogether runs one statement after the other: there is nothing to wait for between them.
func (sqliteDialect) ExecTogether(ctx context.Context, t *Tx, all []Statement) error {
	for _, s := range all {
		if _, err := t.Tx.ExecContext(ctx, s.Query, s.Args...); err != nil {
			return err
		}
	}
	return nil
}
