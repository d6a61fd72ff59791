package staging

import (
	"errors"

	"concilia/export/table"
)

// DeferTable keeps the rows of a table in a temporary file until OpenTable is called for it.
func (s *Set) DeferTable(t *table.Table) (*DeferredRows, error) {
	rows, err := NewTempFile[table.Row](s.Path(t.ID + ".rows"))
	if err != nil {
		return nil, err
	}
	d := &DeferredRows{digest: table.NewDigester(t), rows: rows}
	s.Tables[t.ID] = &Table{table: t, digest: d.digest}
	return d, nil
}

// DeferredRows keeps the rows of a table, and their digest, until the table can be written.
type DeferredRows struct {
	digest *table.Digester
	rows   *TempFile[table.Row]
}

// Write keeps a row.
func (w *DeferredRows) Write(row table.Row) error {
	return errors.Join(w.digest.Add(row), w.rows.Add(&row))
}

// Each yields every row in the order of Write.
func (w *DeferredRows) Each(yield func(*table.Row) error) error { return w.rows.Each(yield) }

// Counter counts and sums the rows kept so far.
func (w *DeferredRows) Counter() *table.Counter { return &w.digest.Counter }

// Close closes the temporary file. It does nothing on nil.
func (w *DeferredRows) Close() error {
	if w == nil {
		return nil
	}
	return w.rows.Close()
}
