package table

import "slices"

// Table says what the rows of one table consist of. The last column is the hash of the row; others are only ever appended.
type Table struct {
	ID      string   // in file names, manifests and errors
	Sheet   string   // pt-BR name of its sheet
	SheetEN string   // English one, where it is not the id
	Layout  int      // layout_version, counted from 1
	Columns []Column // the hash last
}

// Width is the number of cells a row of the table has: every column but the hash.
func (t *Table) Width() int { return len(t.Columns) - 1 }

// NewRow returns a row of absent cells.
func (t *Table) NewRow() Row { return make(Row, t.Width()) }

// Is says whether two are one table, in whatever layouts.
func (t *Table) Is(other *Table) bool { return t.ID == other.ID }

// Index is the place of a column, -1 for one the table does not have.
func (t *Table) Index(id string) int {
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
