package export

import (
	"slices"
	"strconv"

	"concilia/export/table"
)

// summedIn is the table in the layout that a workbook's sums tell of: sheets have no other mark of it.
func summedIn(t *table.Table, sums map[string]string) *table.Table {
	for v := t.Layout; v > 1; v-- {
		missing := slices.ContainsFunc(t.Columns, func(c table.Column) bool {
			_, ok := sums[t.ID+"."+c.ID]
			return !ok && c.Since > 1 && c.Since <= v && c.Type.Numeric()
		})
		if !missing {
			return t.At(v)
		}
	}
	return t.At(1)
}

// table is a table in the layout that the job has it in: the newest, or that of the revision that is wanted again.
func (j *Job) table(t *table.Table) *table.Table {
	if j.bump != nil {
		t = j.bump(t)
	}
	if j.Again == nil {
		return t
	}
	return t.At(j.Again.Layouts[t.ID])
}

// tables are those of a kind, in the job's layouts.
func (j *Job) tables(k Kind) []*table.Table {
	var out []*table.Table
	for _, t := range specOf(k).tables {
		out = append(out, j.table(t))
	}
	return out
}

// The newest looks of the files that are one per set. They are no content: a set whose rows are the same stands as it was
// published, and comes out again in the looks of then.
const (
	// 2: the lone figure of the agenda, the scale of charts, print; 3: claims with all that they need; 4: units and signs of
	// tables, what the bridge is of, codes whole, usual terms.
	pageLayout = 4
	// 2: rows as high as their sentences, headings over their numbers; 3: whose claims they are; 4: units and signs of tables,
	// what the bridge is of, all of the agenda on the dashboard.
	bookLayout = 4
)

// bookFile is the workbook in staging; published it is settlement_….xlsx.
const bookFile = string(Settlement) + ".xlsx"

// looks is the layout of a file that is one per set: its newest, or that of the revision that is wanted again.
func (j *Job) looks(file string) int {
	newest := map[string]int{pageFile: pageLayout, bookFile: bookLayout}[file]
	if j.Again == nil {
		return newest
	}
	return max(1, j.Again.Layouts[file]) // recipes of before there were two say nothing of it
}

// layouts are the layout versions of the job's tables, by id, and of the files that are one per set.
func (j *Job) layouts() map[string]int {
	out := make(map[string]int)
	for file, format := range map[string]Format{pageFile: HTML, bookFile: XLSX} {
		if j.wants(format) {
			out[file] = j.looks(file)
		}
	}
	for _, k := range j.Kinds {
		for _, t := range j.tables(k) {
			out[t.ID] = t.Layout
		}
	}
	return out
}

// several is a number of things with their name. Files that are one per set wrote "1 dias" before layout 3, and do when they
// are rendered in it again: exact is false there.
func several[N int | int64](exact bool, n N, one, many string) string {
	if n == 1 && exact {
		many = one
	}
	return strconv.FormatInt(int64(n), 10) + " " + many
}

// fit makes a row that was filled for the newest layout one of the table's.
func (j *Job) fit(t *table.Table, row table.Row) table.Row {
	switch width := t.Width(); {
	case len(row) > width:
		return row[:width]
	case len(row) < width && j.bump != nil: // nobody fills the columns of a version to come
		return append(row, make(table.Row, width-len(row))...)
	}
	return row
}
