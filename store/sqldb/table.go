package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"

	"concilia/store/ledger"
)

// Column is one column of a table, and where a row of type T keeps its value.
type Column[T any] struct {
	Name string
	// At returns a pointer to the value in a row: one of the types that a column may have, see putColumn.
	At func(*T) any
}

// Columns are columns of a table in the order in which they are written and read. They are the one place that says which
// column holds which member.
type Columns[T any] []Column[T]

// NullText is a text that a column holds as NULL if it is empty.
type NullText string

// MemberColumns are the columns of members of M, which of finds in a row of type T.
func MemberColumns[T, M any](members []ledger.Member[M], of func(*T) *M) Columns[T] {
	out := make(Columns[T], len(members))
	for i, m := range members {
		out[i] = Column[T]{m.Column, func(row *T) any { return m.At(of(row)) }}
	}
	return out
}

// Without returns the columns except those named. It panics at a name that no column has: the lists are made once, as the
// program starts.
func (c Columns[T]) Without(names ...string) Columns[T] {
	out := slices.Clone(c)
	for _, name := range names {
		i := slices.IndexFunc(out, func(c Column[T]) bool { return c.Name == name })
		if i < 0 {
			panic("sqldb: there is no column " + name + " to leave out")
		}
		out = slices.Delete(out, i, i+1)
	}
	return out
}

// Names returns the names of the columns.
func (c Columns[T]) Names() []string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].Name
	}
	return names
}

// SelectList returns the columns as a SELECT lists them, of a table by that alias.
func (c Columns[T]) SelectList(alias string) string {
	list := ""
	for i := range c {
		if i > 0 {
			list += ","
		}
		list += "\n\t\t\t" + alias + "." + c[i].Name
	}
	return list
}

// Put gives the values of a row to be written.
func (c Columns[T]) Put(row *T, to Row) {
	for i := range c {
		putColumn(to, c[i].At(row))
	}
}

// Read fills a row with the next columns of what was read. NULL is zero or absent.
func (c Columns[T]) Read(row *T, from *RowReader) {
	for i := range c {
		readColumn(from, c[i].At(row))
	}
}

func putColumn(r Row, at any) {
	switch v := at.(type) {
	case *string:
		r.Text(*v)
	case *ledger.Date:
		PutDate(r, *v)
	case *ledger.Opt[ledger.Amount]:
		PutOpt(r, *v)
	case *ledger.Amount:
		r.Int(int64(*v))
	case *int:
		r.Int(int64(*v))
	case *int64:
		r.Int(*v)
	case *bool:
		r.Int(BoolArg(*v))
	case *ledger.Opt[ledger.Rate]:
		PutOpt(r, *v)
	case *ledger.Opt[int64]:
		PutOpt(r, *v)
	case *ledger.Opt[bool]:
		PutOpt(r, ledger.Opt[int64]{V: BoolArg(v.V), OK: v.OK})
	case *ledger.LocalTime:
		r.Int(int64(*v))
	case *ledger.Account:
		r.Int(int64(*v))
	case *ledger.Hash:
		r.Bytes(v[:])
	case *NullText:
		if *v == "" {
			r.Null()
			return
		}
		r.Text(string(*v))
	default:
		panic(fmt.Sprintf("sqldb: a column cannot hold a %T", at))
	}
}

func readColumn(f *RowReader, at any) {
	switch v := at.(type) {
	case *string:
		*v = f.NextText()
	case *ledger.Date:
		*v = f.NextDate()
	case *ledger.Opt[ledger.Amount]:
		*v = NextOpt[ledger.Amount](f)
	case *ledger.Amount:
		*v = ledger.Amount(f.NextInt())
	case *int:
		*v = int(f.NextInt())
	case *int64:
		*v = f.NextInt()
	case *bool:
		*v = f.NextBool()
	case *ledger.Opt[ledger.Rate]:
		*v = NextOpt[ledger.Rate](f)
	case *ledger.Opt[int64]:
		*v = NextOpt[int64](f)
	case *ledger.Opt[bool]:
		n := NextOpt[int64](f)
		*v = ledger.Opt[bool]{V: n.V != 0, OK: n.OK}
	case *ledger.LocalTime:
		*v = ledger.LocalTime(f.NextInt())
	case *ledger.Account:
		*v = ledger.Account(f.NextInt())
	case *ledger.Hash:
		*v = f.NextHash()
	case *NullText:
		*v = NullText(f.NextText())
	default:
		panic(fmt.Sprintf("sqldb: a column cannot be read into a %T", at))
	}
}

// ReadRows calls fn for every row of a query, as DB.StreamRows does, on any connection or transaction.
func ReadRows(ctx context.Context, q Querier, fn func(*RowReader) error, query string, args ...any) error {
	row := &scannedRow{}
	read := ReadEachRow(fn)
	return EachRow(ctx, q, func(rows *sql.Rows) error {
		if err := row.scan(rows); err != nil {
			return err
		}
		if err := read(row); err != nil {
			return err
		}
		return row.err
	}, query, args...)
}

// scannedRow is a row of database/sql as Fields.
type scannedRow struct {
	values  []any
	targets []any
	err     error
}

func (r *scannedRow) scan(rows *sql.Rows) error {
	if r.targets == nil {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		r.values, r.targets = make([]any, len(columns)), make([]any, len(columns))
		for i := range r.values {
			r.targets[i] = &r.values[i]
		}
	}
	return rows.Scan(r.targets...)
}

func (r *scannedRow) Null(i int) bool { return r.values[i] == nil }

func (r *scannedRow) Int(i int) int64 {
	switch v := r.values[i].(type) {
	case nil:
		return 0
	case int64:
		return v
	case string: // a sum of Postgres
		n, err := strconv.ParseInt(v, 10, 64)
		r.recordFailure(i, err)
		return n
	default:
		r.recordFailure(i, fmt.Errorf("a %T instead of an integer", v))
		return 0
	}
}

func (r *scannedRow) Text(i int) string {
	switch v := r.values[i].(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	default:
		r.recordFailure(i, fmt.Errorf("a %T instead of a text", v))
		return ""
	}
}

func (r *scannedRow) Bytes(i int, into []byte) error {
	b, ok := r.values[i].([]byte)
	if !ok || len(b) != len(into) {
		return fmt.Errorf("column %d: not %d bytes", i+1, len(into))
	}
	copy(into, b)
	return nil
}

// recordFailure keeps the first error of the row.
func (r *scannedRow) recordFailure(i int, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("column %d: %w", i+1, err)
	}
}
