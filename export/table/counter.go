package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"

	"concilia/store/ledger"
)

// Counter counts rows of a table and adds up their numeric columns, by column position and in the unit of Cell.N.
type Counter struct {
	Table   *Table
	Rows    int64
	Printed []int64
	Exact   []int64 // of money, before it was rounded to the cents of its column
	Excess  []int64 // of columns that are Signed: the negative cells in Printed
}

// NewCounter is a counter of no rows yet.
func NewCounter(t *Table) Counter {
	return Counter{Table: t, Printed: make([]int64, t.Width()), Exact: make([]int64, t.Width()), Excess: make([]int64, t.Width())}
}

// Add counts a row. A sum that leaves its range is ledger.ErrOverflow.
func (s *Counter) Add(row Row) error {
	s.Rows++
	for i := range row {
		cell, c := &row[i], &s.Table.Columns[i]
		if !cell.OK || !c.Type.Numeric() {
			continue
		}
		sum, ok := addChecked(s.Printed[i], cell.N)
		exact, okExact := addChecked(s.Exact[i], cell.X)
		if !ok || !okExact {
			return fmt.Errorf("table %s: sum of %s: %w", s.Table.ID, c.ID, ledger.ErrOverflow)
		}
		s.Printed[i], s.Exact[i] = sum, exact
		if c.Signed && cell.N < 0 {
			s.Excess[i] += cell.N // no more than Printed had room for
		}
	}
	return nil
}

// Merge adds what another counter of the table counted.
func (s *Counter) Merge(other *Counter) error {
	s.Rows += other.Rows
	for i := range s.Printed {
		sum, ok := addChecked(s.Printed[i], other.Printed[i])
		exact, okExact := addChecked(s.Exact[i], other.Exact[i])
		if !ok || !okExact {
			return fmt.Errorf("table %s: sum of %s: %w", s.Table.ID, s.Table.Columns[i].ID, ledger.ErrOverflow)
		}
		s.Printed[i], s.Exact[i] = sum, exact
		s.Excess[i] += other.Excess[i]
	}
	return nil
}

// Since returns what was counted since an earlier state of the counter.
func (s *Counter) Since(before *Counter) Counter {
	out := NewCounter(s.Table)
	out.Rows = s.Rows - before.Rows
	for i := range out.Printed {
		out.Printed[i], out.Exact[i] = s.Printed[i]-before.Printed[i], s.Exact[i]-before.Exact[i]
		out.Excess[i] = s.Excess[i] - before.Excess[i]
	}
	return out
}

// Clone returns a counter that later rows do not change.
func (s *Counter) Clone() Counter {
	return Counter{Table: s.Table, Rows: s.Rows, Printed: slices.Clone(s.Printed), Exact: slices.Clone(s.Exact), Excess: slices.Clone(s.Excess)}
}

// Sum is the printed sum of a column, 0 for one the table does not have.
func (s *Counter) Sum(id string) int64 {
	for i := range s.Printed {
		if s.Table.Columns[i].ID == id {
			return s.Printed[i]
		}
	}
	return 0
}

// ExactSum is the sum of a column of money before it was rounded, 0 for one the table does not have.
func (s *Counter) ExactSum(id string) ledger.Amount {
	if i := s.Table.ColumnIndex(id); i >= 0 && i < len(s.Exact) {
		return ledger.Amount(s.Exact[i])
	}
	return 0
}

// FormatSums returns the sums of the columns that have a total (Column.Summed) by column id, each with its column's
// decimals.
func (s *Counter) FormatSums() map[string]string {
	out := make(map[string]string)
	for i := range s.Printed {
		if c := &s.Table.Columns[i]; c.Summed() {
			out[c.ID] = string(c.AppendSum(nil, s.Printed[i]))
		}
	}
	return out
}

// Digester makes the content digest of one table: its id, layout and canonical rows, then its totals. Columns that are
// Undigested are left out of the rows.
type Digester struct {
	Counter Counter // of the rows so far

	h    hash.Hash
	rows *rowEncoder // of rows that come without their text
}

// NewDigester is a digester of no rows yet.
func NewDigester(t *Table) *Digester {
	d := &Digester{Counter: NewCounter(t), h: sha256.New(), rows: newRowEncoder(t)}
	d.rows.skipsUndigested = true
	fmt.Fprintf(d.h, "%s %d\n", t.ID, t.Layout)
	return d
}

// Add adds a row to the digest.
func (d *Digester) Add(row Row) error {
	text, err := d.rows.encodeRow(row)
	if err != nil {
		return err
	}
	return d.AddText(text, row)
}

// AddText adds a row whose canonical text is known: its csv text, when no column is Undigested.
func (d *Digester) AddText(text []byte, row Row) error {
	d.h.Write(text)
	d.h.Write(lineEnd)
	return d.Counter.Add(row)
}

var lineEnd = []byte{'\n'}

// Sum is the SHA-256 in hex, asked for once and after the last row.
func (d *Digester) Sum() string {
	b := strconv.AppendInt([]byte("rows "), d.Counter.Rows, 10)
	for i := range d.Counter.Printed {
		if c := &d.Counter.Table.Columns[i]; c.Type.Numeric() {
			b = append(append(append(b, ' '), c.ID...), '=')
			b = c.AppendSum(b, d.Counter.Printed[i])
		}
	}
	d.h.Write(append(b, '\n'))
	return hex.EncodeToString(d.h.Sum(nil))
}
