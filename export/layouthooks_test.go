package export

import (
	"bytes"
	"io"
	"slices"
)

// Bump gives every table of a job, as another version of this program would have it.
func (j *Job) Bump(fn func(*Table) *Table) { j.bump = fn }

// Later is a table in its next layout, with columns appended.
func Later(t *Table, columns ...Column) *Table {
	out := *t
	out.Layout, out.later = t.Layout+1, true
	for i := range columns {
		columns[i].Since = out.Layout
	}
	out.Columns = slices.Concat(t.Columns[:t.width()], columns, t.Columns[t.width():])
	return &out
}

// TableOf is the table of that id, and At is one in an older layout.
var (
	TableOf = tableByID
	At      = (*Table).at
)

// SpellTable writes rows of a table in a format with a file a table, and ReadTable reads them back.
func SpellTable(f Format, t *Table, rows []Row) ([]byte, error) {
	var out bytes.Buffer
	if f == CSV {
		w, err := newCSVWriter(&out, t)
		for i := 0; i < len(rows) && err == nil; i++ {
			err = w.add(t.fit(rows[i]))
		}
		if err != nil {
			return nil, err
		}
		err = w.close()
		return out.Bytes(), err
	}
	s, _ := spellingOf(f)
	b := s.head(nil, t, English)
	for _, row := range rows {
		row = t.fit(row)
		csv, err := appendCSVRow(nil, t, row, false)
		if err != nil {
			return nil, err
		}
		b = s.row(b, t, row, csv, English)
	}
	return b, nil
}

func ReadTable(f Format, in io.Reader, t *Table) (rows int64, err error) {
	var c counter
	if f == CSV {
		c, err = readCSV(in, t, nil)
		return c.rows, err
	}
	s, _ := spellingOf(f)
	c, err = s.read(in, t)
	return c.rows, err
}
