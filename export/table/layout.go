package table

import (
	"fmt"
	"slices"
)

// A table grows at its end: a later layout appends columns (Column.Since), or spells those it has in words
// (Column.WordsSince), and what was published in an older one is rendered, and read, with the columns it had (reports D.0,
// Cells).

// At is the table in an older layout: without the columns of later ones. In its own, or in one that nobody named, it is
// the table itself.
func (t *Table) At(layout int) *Table {
	if layout <= 0 || layout >= t.Layout {
		return t
	}
	old := *t
	old.Layout = layout
	old.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Since > layout })
	for i := range old.Columns {
		c := &old.Columns[i]
		if c.WordsSince > layout {
			c.Labels, c.WordsSince = nil, 0
		}
		if c.NoTotalSince > layout {
			c.NoTotalSince = 0
		}
	}
	return &old
}

// Knows refuses a layout that only a newer version of this program can read or render.
func (t *Table) Knows(layout int) error {
	if layout <= t.Layout {
		return nil
	}
	return fmt.Errorf("table %s has layout %d there, and this version knows it up to %d: use the version that made it", t.ID, layout, t.Layout)
}

// hashAt is the position of row_hash in a line: it ends the columns of layout 1, and those of later layouts follow it.
func (t *Table) hashAt() int {
	at := t.Width()
	for at > 0 && t.Columns[at-1].Since > 1 {
		at--
	}
	return at
}

// placed is the column at a position of a line, as an index of Columns, where the hash is the last.
func (t *Table) placed(i int) int {
	switch at := t.hashAt(); {
	case i == at:
		return t.Width()
	case i > at:
		return i - 1
	}
	return i
}

// appendPlaced appends the line of a row of a later layout: its text, with the hash where it stands.
func appendPlaced(b []byte, t *Table, row Row, text []byte) []byte {
	var later []byte
	for i := t.hashAt(); i < t.Width(); i++ {
		if later = append(later, ','); row[i].OK {
			later = appendCell(later, &t.Columns[i], &row[i])
		}
	}
	b = append(append(b, text[:len(text)-len(later)]...), ',')
	return append(append(appendHash(b, text), later...), '\n')
}
