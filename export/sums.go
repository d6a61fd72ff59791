package export

import (
	"fmt"

	"concilia/store/ledger"
)

// Sums are the number of rows of a table and the sums of its numeric columns as printed, by column id: counts
// plain, money and numbers in ten-thousandths, rates in millionths of a percent.
type Sums struct {
	Rows    int64
	Columns map[string]int64
}

// counter counts rows of a table and adds up their numeric columns, by column position.
type counter struct {
	table   *Table
	rows    int64
	printed []int64
	exact   []int64 // of money, before it was rounded to the cents of its column
}

func newCounter(t *Table) counter {
	return counter{table: t, printed: make([]int64, t.width()), exact: make([]int64, t.width())}
}

func (s *counter) add(row Row) error {
	s.rows++
	for i := range row {
		cell, c := &row[i], &s.table.Columns[i]
		if !cell.OK || !c.Type.Numeric() {
			continue
		}
		sum, ok := addChecked(s.printed[i], cell.N)
		exact, okExact := addChecked(s.exact[i], cell.X)
		if !ok || !okExact {
			return fmt.Errorf("table %s: sum of %s: %w", s.table.ID, c.ID, ledger.ErrOverflow)
		}
		s.printed[i], s.exact[i] = sum, exact
	}
	return nil
}

func addChecked(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) || b == 0
}

// sum is the printed sum of a column, 0 for one the table does not have.
func (s *counter) sum(id string) int64 {
	for i := range s.printed {
		if s.table.Columns[i].ID == id {
			return s.printed[i]
		}
	}
	return 0
}

// exactSum is the sum of a column of money before it was rounded, 0 for one the table does not have.
func (s *counter) exactSum(id string) ledger.Amount {
	if i := s.table.index(id); i >= 0 && i < len(s.exact) {
		return ledger.Amount(s.exact[i])
	}
	return 0
}

// spelled is the sums as the manifest has them: each with the decimals of its column.
func (s *counter) spelled() map[string]string {
	out := make(map[string]string)
	for i := range s.printed {
		if c := &s.table.Columns[i]; c.Type.Numeric() {
			out[c.ID] = string(c.appendSum(nil, s.printed[i]))
		}
	}
	return out
}
