package table

import (
	"fmt"
	"slices"
)

// Table says what the rows of one table consist of.
type Table struct {
	ID      string   // in file names, manifests and errors
	Sheet   string   // pt-BR name of its sheet
	SheetEN string   // English one, where it is not the id
	Layout  int      // layout_version, counted from 1
	Columns []Column // the hash last, and before it those that are appended
}

// Width is the number of cells a row of the table has: every column but the hash.
func (t *Table) Width() int { return len(t.Columns) - 1 }

// NewRow returns a row of absent cells.
func (t *Table) NewRow() Row { return make(Row, t.Width()) }

// ColumnIndex is the place of a column, -1 for one the table does not have.
func (t *Table) ColumnIndex(id string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == id })
}

// SheetName is the name of the table's sheet.
func (t *Table) SheetName(l Language) string {
	switch {
	case l != English:
		return t.Sheet
	case t.SheetEN != "":
		return t.SheetEN
	}
	return t.ID
}

// CheckLayout refuses a layout that only a newer version of this program can read.
func (t *Table) CheckLayout(layout int) error {
	if layout <= t.Layout {
		return nil
	}
	return fmt.Errorf("table %s has layout %d there, and this version knows it up to %d: use the version that made it", t.ID, layout, t.Layout)
}
