package table

import (
	"fmt"

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

// FormatSums are the sums that mean something (Column.Summed) by column id, each printed with the decimals of its column.
func (s *Counter) FormatSums() map[string]string {
	out := make(map[string]string)
	for i := range s.Printed {
		if c := &s.Table.Columns[i]; c.Summed() {
			out[c.ID] = string(c.AppendSum(nil, s.Printed[i]))
		}
	}
	return out
}
