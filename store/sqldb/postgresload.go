package sqldb

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// onPostgres runs fn on pgx's connection.
func onPostgres(conn *sql.Conn, fn func(*pgx.Conn) error) error {
	return conn.Raw(func(raw any) error {
		c, ok := raw.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("postgres: a connection of another driver: %T", raw)
		}
		return fn(c.Conn())
	})
}

// LoadRows copies the rows in the binary format, encoded while the server takes them in.
func (postgresDialect) LoadRows(ctx context.Context, conn *sql.Conn, table string, columns []string, n int,
	fill func(int, Row) error,
) error {
	return onPostgres(conn, func(c *pgx.Conn) error {
		r := newCopyReader(table, len(columns), n, fill)
		_, err := c.PgConn().CopyFrom(ctx, r, "COPY "+table+" ("+strings.Join(columns, ", ")+") FROM STDIN (FORMAT binary)")
		if e := r.stopReading(); e != nil {
			// The server only says that the client gave up.
			return e
		}
		return err
	})
}

const (
	copyHeader  = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
	copyTrailer = "\xff\xff"
	copyChunk   = 1 << 16 // bytes
)

// copyReader is the stream of a binary COPY, made as it is read: a count of fields, then each with its length before
// it, -1 for NULL. A COPY whose connection was lost ends while another goroutine of the driver still reads here: stop
// waits for the read under way, and no row is asked for after it.
type copyReader struct {
	mu      sync.Mutex
	stopped bool

	table   string
	columns int
	n, next int
	fill    func(int, Row) error
	row     copyRow
	sent    int // of row.b
	err     error
}

func newCopyReader(table string, columns, n int, fill func(int, Row) error) *copyReader {
	r := &copyReader{table: table, columns: columns, n: n, fill: fill}
	r.row.b = append(make([]byte, 0, copyChunk+copyChunk/4), copyHeader...)
	return r
}

// Read encodes rows until there is enough for p.
func (r *copyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0, io.ErrClosedPipe
	}
	if r.err != nil {
		return 0, r.err
	}
	// What was not sent moves to the front: behind it the buffer would grow to all the rows there are.
	r.row.b, r.sent = r.row.b[:copy(r.row.b, r.row.b[r.sent:])], 0
	for r.next <= r.n && len(r.row.b)-r.sent < len(p) {
		if r.err = r.encodeRow(); r.err != nil {
			return 0, r.err
		}
	}
	if r.sent == len(r.row.b) {
		return 0, io.EOF
	}
	n := copy(p, r.row.b[r.sent:])
	r.sent += n
	return n, nil
}

// stopReading ends the reading and gives back the error of a row.
func (r *copyReader) stopReading() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	return r.err
}

// encodeRow appends the next row, or the trailer behind the last.
func (r *copyReader) encodeRow() error {
	i := r.next
	if r.next++; i == r.n {
		r.row.b = append(r.row.b, copyTrailer...)
		return nil
	}
	r.row.n = 0
	r.row.b = binary.BigEndian.AppendUint16(r.row.b, uint16(r.columns))
	if err := r.fill(i, &r.row); err != nil {
		return err
	}
	if r.row.n != r.columns {
		return fmt.Errorf("load %s: a row of %d values for %d columns", r.table, r.row.n, r.columns)
	}
	return nil
}

// copyRow encodes the values of a row.
type copyRow struct {
	b []byte
	n int
}

func (r *copyRow) Int(v int64) {
	r.n++
	r.b = append(r.b, 0, 0, 0, 8)
	r.b = binary.BigEndian.AppendUint64(r.b, uint64(v))
}

func (r *copyRow) Text(v string) {
	r.n++
	r.b = binary.BigEndian.AppendUint32(r.b, uint32(len(v)))
	r.b = append(r.b, v...)
}

func (r *copyRow) Bytes(v []byte) {
	r.n++
	r.b = binary.BigEndian.AppendUint32(r.b, uint32(len(v)))
	r.b = append(r.b, v...)
}

func (r *copyRow) Null() {
	r.n++
	r.b = append(r.b, 0xff, 0xff, 0xff, 0xff)
}

// ScanRows takes the values as they come off the wire.
func (postgresDialect) ScanRows(ctx context.Context, conn *sql.Conn, fn func(Fields) error, query string, args ...any) error {
	return onPostgres(conn, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, query, append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args...)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		f := &postgresFields{columns: rows.FieldDescriptions(), last: make([]string, len(rows.FieldDescriptions()))}
		for rows.Next() {
			f.values = rows.RawValues()
			if err := fn(f); err != nil {
				return err
			}
			if f.err != nil {
				return f.err
			}
		}
		return rows.Err()
	})
}

type postgresFields struct {
	columns []pgconn.FieldDescription
	values  [][]byte
	last    []string // of each column: rows in order mostly repeat the one before
	err     error
}

// Int reads a BIGINT. Behind a pooler that requires the simple protocol everything comes as text.
func (f *postgresFields) Int(i int) int64 {
	v := f.values[i]
	switch {
	case v == nil:
		return 0
	case f.columns[i].Format == pgx.TextFormatCode:
		n, err := strconv.ParseInt(string(v), 10, 64)
		f.err = errors.Join(f.err, err)
		return n
	case len(v) != 8:
		f.err = errors.Join(f.err, fmt.Errorf("column %s: %d bytes instead of 8", f.columns[i].Name, len(v)))
		return 0
	}
	return int64(binary.BigEndian.Uint64(v))
}

func (f *postgresFields) Null(i int) bool { return f.values[i] == nil }

func (f *postgresFields) Text(i int) string {
	if string(f.values[i]) != f.last[i] {
		f.last[i] = string(f.values[i])
	}
	return f.last[i]
}

func (f *postgresFields) Bytes(i int, into []byte) error {
	v := f.values[i]
	if f.columns[i].Format == pgx.TextFormatCode {
		var err error
		if v, err = hex.DecodeString(strings.TrimPrefix(string(v), `\x`)); err != nil {
			return err
		}
	}
	if len(v) != len(into) {
		return fmt.Errorf("column %s: %d bytes instead of %d", f.columns[i].Name, len(v), len(into))
	}
	copy(into, v)
	return nil
}

// ExecTogether sends all the statements at once.
func (postgresDialect) ExecTogether(ctx context.Context, t *Tx, all []Statement) error {
	return onPostgres(t.Conn, func(c *pgx.Conn) error {
		var b pgx.Batch
		for _, s := range all {
			b.Queue(s.Query, s.Args...)
		}
		return c.SendBatch(ctx, &b).Close()
	})
}

// ExecBatch sends all the sets of arguments at once.
func (postgresDialect) ExecBatch(ctx context.Context, conn *sql.Conn, query string, n int, args func(int) []any) error {
	return onPostgres(conn, func(c *pgx.Conn) error {
		var b pgx.Batch
		for i := range n {
			b.Queue(query, args(i)...)
		}
		return c.SendBatch(ctx, &b).Close()
	})
}
