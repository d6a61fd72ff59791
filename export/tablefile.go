package export

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// tableFile is a table on its way to staging: its csv bytes, its counters, its digest. The csv is written whatever
// formats are asked for, since the workbook is made from it.
type tableFile struct {
	table  *Table
	row    Row // for callers to fill
	file   *os.File
	csv    *csvWriter
	more   []*spelledFile // the other formats with a file a table, as asked for
	digest *digester
	hash   string
	// undigested: a column of the table is left out of its digest.
	undigested bool
	repeat     func(table string, row int64) int // in tests
}

// open begins the csv of a table; a digest made before stays.
func (r *rendering) open(t *Table) error {
	t = r.job.table(t)
	f, err := os.Create(r.path(t.ID + ".csv"))
	if err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	w, err := newCSVWriter(f, t)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	more, err := r.spell(t)
	if err != nil {
		for _, x := range more {
			err = errors.Join(err, x.file.Close())
		}
		return errors.Join(fmt.Errorf("staging: %w", err), f.Close())
	}
	old := r.tables[t.ID]
	r.tables[t.ID] = &tableFile{
		table: t, row: t.newRow(), file: f, csv: w, more: more, digest: newDigester(t), repeat: r.job.repeat,
		undigested: slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Undigested }),
	}
	if old != nil {
		r.tables[t.ID].hash = old.sum()
	}
	return nil
}

// add writes a row, which is encoded once for file and digest wherever they agree.
func (f *tableFile) add(row Row) error {
	row = f.table.fit(row)
	text, err := f.csv.encode(row)
	if err != nil {
		return err
	}
	if f.undigested {
		err = f.digest.add(row)
	} else {
		err = f.digest.addText(text, row)
	}
	if err != nil {
		return err
	}
	times := 1
	if f.repeat != nil {
		times = f.repeat(f.table.ID, f.csv.sums.rows)
	}
	for range times {
		if err := f.csv.write(text, row); err != nil {
			return err
		}
		for _, x := range f.more {
			if err := x.add(row, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// sums counts what was written.
func (f *tableFile) sums() *counter { return &f.csv.sums }

// sum is the table's digest.
func (f *tableFile) sum() string {
	if f.hash == "" {
		f.hash = f.digest.sum()
	}
	return f.hash
}

// closeTables ends every csv that is open.
func (r *rendering) closeTables() error {
	var errs []error
	for _, t := range r.tables {
		if t.file != nil {
			errs = append(errs, t.csv.close(), t.file.Close())
			for _, x := range t.more {
				errs = append(errs, x.close())
			}
			t.file = nil
		}
	}
	return errors.Join(errs...)
}
