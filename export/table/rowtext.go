package table

import (
	"fmt"
	"slices"
)

// rowEncoder makes the canonical text of the rows of a table, one after the other. Most cells are equal to the cell above them: their text
// is copied from the row above, several at once, and not made again.
type rowEncoder struct {
	table *Table
	units []int64 // printedUnit of each column
	// skipsUndigested leaves out the cells of columns that are Undigested, as a digest does.
	skipsUndigested bool

	hasAbove bool
	above    Row    // the cells of the row above
	text     []byte // of the row above
	ends     []int  // of its cells in text
	next     []byte // for the text of the next row
}

func newRowEncoder(t *Table) *rowEncoder {
	e := &rowEncoder{table: t, units: make([]int64, t.Width()), above: t.NewRow(), ends: make([]int, t.Width())}
	for i := range e.units {
		e.units[i] = t.Columns[i].printedUnit()
	}
	return e
}

// encodeRow returns the cells in column order, without hash and line end. The text is valid until the row after the next, and has room for the
// hash behind it.
func (e *rowEncoder) encodeRow(row Row) ([]byte, error) {
	if len(row) != e.table.Width() {
		return nil, fmt.Errorf("table %s: a row of %d cells, should be %d", e.table.ID, len(row), e.table.Width())
	}
	hasAbove := e.hasAbove
	e.hasAbove = false // unless every cell of this row fits
	b := e.next[:0]
	from, to := 0, 0 // the part of the text above that is equal and not copied yet
	for i := range row {
		cell, end := &row[i], e.ends[i]
		if hasAbove && cell.hasTextOf(&e.above[i]) {
			e.ends[i], to = len(b)+end-from, end
			continue
		}
		if from < to {
			b = append(b, e.text[from:to]...)
		}
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = e.appendCell(b, i, cell); err != nil {
			return nil, fmt.Errorf("table %s: %w", e.table.ID, err)
		}
		e.above[i], e.ends[i] = *cell, len(b)
		from, to = end, end
	}
	if from < to {
		b = append(b, e.text[from:to]...)
	}
	b = slices.Grow(b, hashDigits+2)
	e.text, e.next, e.hasAbove = b, e.text, true
	return b, nil
}

// hasTextOf reports whether two cells of a column have the same text.
func (c *Cell) hasTextOf(other *Cell) bool {
	return c.N == other.N && c.OK == other.OK && c.Type == other.Type && c.S == other.S
}

func (e *rowEncoder) appendCell(b []byte, i int, cell *Cell) ([]byte, error) {
	c := &e.table.Columns[i]
	if e.skipsUndigested && c.Undigested {
		return b, nil
	}
	if !cell.OK {
		if c.Null == "" && c.Type.Numeric() {
			return b, fmt.Errorf("column %s is absent and may never be", c.ID)
		}
		return b, nil
	}
	if err := c.checkCell(cell, e.units[i]); err != nil {
		return b, err
	}
	return appendCell(b, c, cell), nil
}
