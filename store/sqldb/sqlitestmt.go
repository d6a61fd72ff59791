package sqldb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"time"

	"zombiezen.com/go/sqlite"
)

// sqliteStmt is a prepared statement.
type sqliteStmt struct {
	conn     *sqliteConn
	s        *sqlite.Stmt
	args     []int  // of each parameter: its argument, from 0
	cacheKey string // its own when it may be kept for the next use; empty: it may not
	cachedAt int64  // when it was kept, in uses of the connection
}

// Close gives the statement back: it is freed, or stays prepared for its next use.
func (s *sqliteStmt) Close() error { return s.conn.stmts.keepStmt(s) }

// NumInput leaves the count of the arguments to bind, because a parameter may occur never or several times.
func (s *sqliteStmt) NumInput() int { return -1 }

// Exec is asked for by database/sql, which uses ExecContext.
func (s *sqliteStmt) Exec(values []driver.Value) (driver.Result, error) {
	return s.execArgs(namedValues(values))
}

// Query is asked for by database/sql, which uses QueryContext.
func (s *sqliteStmt) Query(values []driver.Value) (driver.Rows, error) {
	return s.queryArgs(namedValues(values))
}

func namedValues(values []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(values))
	for i, v := range values {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}

// ExecContext runs the statement to its end.
func (s *sqliteStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.conn.interruptWith(ctx); err != nil {
		return nil, err
	}
	return s.execArgs(args)
}

func (s *sqliteStmt) execArgs(args []driver.NamedValue) (driver.Result, error) {
	if err := s.bindArgs(args); err != nil {
		return nil, err
	}
	for {
		more, err := s.s.Step()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	changed := driver.RowsAffected(s.conn.c.Changes())
	return changed, s.s.Reset()
}

// QueryContext begins the statement's rows. The statement must not be used again before they are closed.
func (s *sqliteStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.conn.interruptWith(ctx); err != nil {
		return nil, err
	}
	return s.queryArgs(args)
}

func (s *sqliteStmt) queryArgs(args []driver.NamedValue) (*sqliteRows, error) {
	if err := s.bindArgs(args); err != nil {
		return nil, err
	}
	r := &sqliteRows{s: s, columns: make([]string, s.s.ColumnCount()), instantColumn: -1}
	for i := range r.columns {
		r.columns[i] = s.s.ColumnName(i)
		if r.columns[i] == "tstamp" {
			r.instantColumn = i
		}
	}
	return r, nil
}

func (s *sqliteStmt) bindArgs(args []driver.NamedValue) error {
	for i, a := range s.args {
		if a >= len(args) {
			return fmt.Errorf("sqlite: the parameter $%d has no argument", a+1)
		}
		if err := bindValue(s.s, i+1, args[a].Value); err != nil {
			return err
		}
	}
	return nil
}

func bindValue(s *sqlite.Stmt, i int, value driver.Value) error {
	switch v := value.(type) {
	case nil:
		s.BindNull(i)
	case int64:
		s.BindInt64(i, v)
	case bool:
		s.BindBool(i, v)
	case string:
		s.BindText(i, v)
	case []byte:
		if v == nil {
			s.BindNull(i)
			break
		}
		s.BindBytes(i, v)
	default:
		return fmt.Errorf("sqlite: a value of %T: the ledger has numbers, texts and bytes", value)
	}
	return nil
}

// sqliteRows is the answer to a query.
type sqliteRows struct {
	s             *sqliteStmt
	columns       []string
	instantColumn int // the column of an instant, of the tables of migrations alone; -1 is none
	ownsStmt      bool
}

// Columns names the columns.
func (r *sqliteRows) Columns() []string { return r.columns }

// Close frees the statement for its next use, or altogether when it was made for these rows.
func (r *sqliteRows) Close() error {
	if r.ownsStmt {
		return r.s.Close()
	}
	// What Reset says is the error of the last step once more.
	_ = r.s.s.Reset()
	return nil
}

// Next reads a row, or gives io.EOF.
func (r *sqliteRows) Next(dest []driver.Value) error {
	more, err := r.s.s.Step()
	if changed := r.s.conn.checkUnchanged(); changed != nil {
		return changed // and whatever SQLite made of it
	}
	switch {
	case err != nil:
		return err
	case !more:
		return io.EOF
	}
	for i := range dest {
		switch r.s.s.ColumnType(i) {
		case sqlite.TypeNull:
			dest[i] = nil
		case sqlite.TypeInteger:
			dest[i] = r.s.s.ColumnInt64(i)
		case sqlite.TypeText:
			text := r.s.s.ColumnText(i)
			if dest[i] = text; i == r.instantColumn {
				if dest[i], err = time.Parse(time.DateTime, text); err != nil {
					return err
				}
			}
		case sqlite.TypeBlob:
			b := make([]byte, r.s.s.ColumnLen(i))
			r.s.s.ColumnBytes(i, b)
			dest[i] = b
		case sqlite.TypeFloat:
			// No table has one; a view for people may.
			dest[i] = r.s.s.ColumnFloat(i)
		}
	}
	return nil
}
