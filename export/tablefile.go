package export

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
)

// tableFile writes a table to staging, with its counters and its digest. The csv is written whatever formats are requested,
// since the workbook is made from it.
type tableFile struct {
	job          *Job
	table        *table.Table
	file         *hashedFile
	csv          *table.CSVWriter
	otherFormats []*formattedFile // the other requested formats with a file for each table
	digest       *table.Digester
	hash         string
	// undigested: a column of the table is left out of its digest.
	undigested bool
}

// openTable creates the files of a table. A digest computed before is kept.
func (r *rendering) openTable(t *table.Table) error {
	f, err := r.createFile(r.stagingPath(t.ID + ".csv"))
	if err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	w, err := table.NewCSVWriter(f, t)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	more, err := r.openFormats(t)
	if err != nil {
		for _, x := range more {
			err = errors.Join(err, x.file.Close())
		}
		return errors.Join(fmt.Errorf("staging: %w", err), f.Close())
	}
	old := r.tables[t.ID]
	r.tables[t.ID] = &tableFile{
		job: r.job, table: t, file: f, csv: w, otherFormats: more, digest: table.NewDigester(t),
		undigested: slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Undigested }),
	}
	if old != nil {
		r.tables[t.ID].hash = old.contentDigest()
	}
	return nil
}

// Write writes a row.
func (f *tableFile) Write(row table.Row) error { return f.addRow(row) }

// Counter counts and sums the rows written so far.
func (f *tableFile) Counter() *table.Counter { return f.writtenCounter() }

// addRow writes a row, encoded once for file and digest if they have the same columns.
func (f *tableFile) addRow(row table.Row) error { return f.addRowWithWords(row, row) }

// addRowWithWords is addRow for a row that files for people show in words.
func (f *tableFile) addRowWithWords(row, inWords table.Row) error {
	text, err := f.csv.Encode(row)
	if err != nil {
		return err
	}
	if f.undigested {
		err = f.digest.Add(row)
	} else {
		err = f.digest.AddText(text, row)
	}
	if err != nil {
		return err
	}
	times := 1
	if f.job.repeat != nil {
		times = f.job.repeat(f.table.ID, f.csv.Counter.Rows)
	}
	for range times {
		if err := f.csv.Write(text, row); err != nil {
			return err
		}
		for _, x := range f.otherFormats {
			if err := x.writeRow(row, inWords, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// writtenCounter counts and sums the written rows.
func (f *tableFile) writtenCounter() *table.Counter { return &f.csv.Counter }

// contentDigest returns the digest of the table.
func (f *tableFile) contentDigest() string {
	if f.hash == "" {
		f.hash = f.digest.Sum()
	}
	return f.hash
}

// closeTables closes the files of every open table.
func (r *rendering) closeTables() error {
	var errs []error
	for _, t := range r.tables {
		if t.file != nil {
			errs = append(errs, t.csv.Flush(), t.file.Close())
			for _, x := range t.otherFormats {
				errs = append(errs, x.close())
			}
			t.file = nil
		}
	}
	return errors.Join(errs...)
}

// formattedFile writes a table to staging in one text format, with separate counters.
type formattedFile struct {
	report.TextFormat
	language table.Language
	file     *hashedFile
	w        *bufio.Writer
	line     []byte
	sums     table.Counter
}

// openFormats creates the files of a table in the requested text formats.
func (r *rendering) openFormats(t *table.Table) ([]*formattedFile, error) {
	var out []*formattedFile
	kind := report.DefinitionOfTable(t).Kind
	for _, s := range report.TextFormats() {
		if !slices.Contains(r.job.formatsOf(kind), s.Format) || !r.job.hasKind(kind) {
			continue
		}
		f, err := r.createFile(r.stagingPath(t.ID + "." + s.Format.Extension()))
		if err != nil {
			return out, err
		}
		x := &formattedFile{
			TextFormat: s, language: r.job.Language, file: f, w: bufio.NewWriterSize(f, 1<<16), sums: table.NewCounter(t),
		}
		out = append(out, x)
		if _, err := x.w.Write(s.AppendHeader(nil, t, x.language)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// writeRow writes a row, in words if the format is for people.
func (x *formattedFile) writeRow(row, inWords table.Row, csv []byte) error {
	shown := row
	if x.Format == report.CSVBR {
		shown = inWords
	}
	x.line = x.AppendRow(x.line[:0], x.sums.Table, shown, csv, x.language)
	if _, err := x.w.Write(x.line); err != nil {
		return err
	}
	return x.sums.Add(row)
}

func (x *formattedFile) close() error { return errors.Join(x.w.Flush(), x.file.Close()) }
