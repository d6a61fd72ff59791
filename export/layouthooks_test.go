package export

import (
	"slices"

	"concilia/export/table"
)

// Bump gives every table of a job, as another version of this program would have it.
func (j *Job) Bump(fn func(*table.Table) *table.Table) { j.bump = fn }

// Later is a table in its next layout, with columns appended.
func Later(t *table.Table, columns ...table.Column) *table.Table {
	out := *t
	out.Layout++
	for i := range columns {
		columns[i].Since = out.Layout
	}
	out.Columns = slices.Concat(t.Columns[:t.Width()], columns, t.Columns[t.Width():])
	return &out
}

// TableOf is the table of that id.
var TableOf = tableByID
