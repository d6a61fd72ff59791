package export

import (
	"fmt"
	"slices"
	"strconv"
)

// A table grows at its end: a later layout appends columns (Column.Since), or spells those it has in words
// (Column.WordsSince), and what was published in an older one is rendered, and read, with the columns it had (reports D.0,
// Cells).

// at is the table in an older layout: without the columns of later ones. In its own, or in one that nobody named, it is
// the table itself.
func (t *Table) at(layout int) *Table {
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

// knows refuses a layout that only a newer version of this program can read or render.
func (t *Table) knows(layout int) error {
	if layout <= t.Layout {
		return nil
	}
	return fmt.Errorf("table %s has layout %d there, and this version knows it up to %d: use the version that made it", t.ID, layout, t.Layout)
}

// summedIn is the table in the layout that a workbook's sums tell of: sheets have no other mark of it.
func (t *Table) summedIn(sums map[string]string) *Table {
	for v := t.Layout; v > 1; v-- {
		missing := slices.ContainsFunc(t.Columns, func(c Column) bool {
			_, ok := sums[t.ID+"."+c.ID]
			return !ok && c.Since > 1 && c.Since <= v && c.Type.Numeric()
		})
		if !missing {
			return t.at(v)
		}
	}
	return t.at(1)
}

// is says whether two are one table, in whatever layouts.
func (t *Table) is(other *Table) bool { return t.ID == other.ID }

// hashAt is the position of row_hash in a line: it ends the columns of layout 1, and those of later layouts follow it.
func (t *Table) hashAt() int {
	at := t.width()
	for at > 0 && t.Columns[at-1].Since > 1 {
		at--
	}
	return at
}

// placed is the column at a position of a line, as an index of Columns, where the hash is the last.
func (t *Table) placed(i int) int {
	switch at := t.hashAt(); {
	case i == at:
		return t.width()
	case i > at:
		return i - 1
	}
	return i
}

// appendPlaced appends the line of a row of a later layout: its text, with the hash where it stands.
func appendPlaced(b []byte, t *Table, row Row, text []byte) []byte {
	var later []byte
	for i := t.hashAt(); i < t.width(); i++ {
		if later = append(later, ','); row[i].OK {
			later = appendCell(later, &t.Columns[i], &row[i])
		}
	}
	b = append(append(b, text[:len(text)-len(later)]...), ',')
	return append(append(appendHash(b, text), later...), '\n')
}

// fit makes a row that was filled for the newest layout one of this table's.
func (t *Table) fit(row Row) Row {
	switch width := t.width(); {
	case len(row) > width:
		return row[:width]
	case len(row) < width && t.later:
		return append(row, make(Row, width-len(row))...)
	}
	return row
}

// table is a table in the layout that the job has it in: the newest, or that of the revision that is wanted again.
func (j *Job) table(t *Table) *Table {
	if j.bump != nil {
		t = j.bump(t)
	}
	if j.Again == nil {
		return t
	}
	return t.at(j.Again.Layouts[t.ID])
}

// tables are those of a kind, in the job's layouts.
func (j *Job) tables(k Kind) []*Table {
	var out []*Table
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
