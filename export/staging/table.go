package staging

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
)

// Table writes a table to staging, with its counters and its digest. The csv is written whatever formats are requested,
// since workbook and page are made from it, but for a kind that has neither, or that the set only needs for another.
type Table struct {
	job          *export.Job
	table        *table.Table
	file         *HashedFile
	csv          *table.CSVWriter
	isUnread     bool             // nothing is made from the csv: rows are encoded and counted, and not written to it
	otherFormats []*formattedFile // the other requested formats with a file for each table
	// behind returns what the csv adds up to, read back while it was written; nil: it is read later, if at all.
	behind func() (table.Counter, error)
	digest *table.Digester
	hash   string
	// undigested: a column of the table is left out of its digest.
	undigested bool
	copied     copiedLines // in the csv
}

// OpenTable creates the files of a table. A digest computed before is kept.
func (s *Set) OpenTable(t *table.Table) error {
	f, err := s.CreateFile(s.Path(t.ID + ".csv"))
	if err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	w, err := table.NewCSVWriter(f, t)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	kind := kindlist.DefinitionOfTable(t).Kind
	var behind func() (table.Counter, error)
	isAsked := s.Job.HasKind(kind) && slices.Contains(s.Job.FormatsOf(kind), report.CSV) && !s.Job.IsOwnCSV(kind, report.CSV)
	if s.readsBehind() && isAsked {
		behind, err = s.readBehind(f, func(in io.Reader) (table.Counter, error) { return table.ReadCSV(in, t, nil) })
	}
	var more []*formattedFile
	if err == nil {
		more, err = s.openFormats(t)
	}
	if err != nil {
		for _, x := range more {
			err = errors.Join(err, x.file.Close())
		}
		return errors.Join(fmt.Errorf("staging: %w", err), f.Close())
	}
	old := s.Tables[t.ID]
	s.Tables[t.ID] = &Table{
		job: s.Job, table: t, file: f, csv: w, otherFormats: more, behind: behind, digest: table.NewDigester(t),
		undigested: slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Undigested }),
		isUnread:   !isAsked && !s.isShown(kind),
	}
	if old != nil {
		s.Tables[t.ID].hash = old.ContentDigest()
	}
	return nil
}

// isShown reports whether something is made from the csv of a kind's tables: a workbook, a page, or control.
func (s *Set) isShown(k report.Kind) bool {
	return k == report.ControlKind || s.Job.HasKind(k) && (kindlist.HasFormat(k, report.XLSX) || kindlist.HasFormat(k, report.HTML))
}

// Write writes a row, encoded once for file and digest if they have the same columns.
func (f *Table) Write(row table.Row) error { return f.WriteInWords(row, row) }

// WriteInWords is Write for a row that files for people show in words.
func (f *Table) WriteInWords(row, inWords table.Row) error {
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
	if f.job.Hooks.Repeat != nil {
		times = f.job.Hooks.Repeat(f.table.ID, f.csv.Counter.Rows)
	}
	for range times {
		if f.isUnread {
			err = f.csv.Counter.Add(row)
		} else {
			err = f.csv.Write(text, row)
		}
		if err != nil {
			return err
		}
		for _, x := range f.otherFormats {
			if err := x.writeRow(row, inWords, f.csv.Hash(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Counter counts and sums the rows written so far.
func (f *Table) Counter() *table.Counter { return &f.csv.Counter }

// ContentDigest returns the digest of the table.
func (f *Table) ContentDigest() string {
	if f.hash == "" {
		f.hash = f.digest.Sum()
	}
	return f.hash
}

// CloseTables closes the files of every open table.
func (s *Set) CloseTables() error {
	var errs []error
	for _, t := range s.Tables {
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
	file     *HashedFile
	w        *bufio.Writer
	line     []byte
	sums     table.Counter
	behind   func() (table.Counter, error) // as that of Table
	copied   copiedLines
}

// openFormats creates the files of a table in the requested text formats.
func (s *Set) openFormats(t *table.Table) ([]*formattedFile, error) {
	var out []*formattedFile
	kind := kindlist.DefinitionOfTable(t).Kind
	for _, format := range report.TextFormats() {
		if !slices.Contains(s.Job.FormatsOf(kind), format.Format) || !s.Job.HasKind(kind) {
			continue
		}
		f, err := s.CreateFile(s.Path(t.ID + "." + format.Format.Extension()))
		if err != nil {
			return out, err
		}
		x := &formattedFile{
			TextFormat: format, language: s.Job.Language, file: f, w: bufio.NewWriterSize(f, 1<<16), sums: table.NewCounter(t),
		}
		out = append(out, x)
		if s.readsBehind() {
			if x.behind, err = s.readBehind(f, func(in io.Reader) (table.Counter, error) { return format.ReadBack(in, t) }); err != nil {
				return out, err
			}
		}
		if _, err := x.w.Write(format.AppendHeader(nil, t, x.language)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// writeRow writes a row, in words if the format is for people.
func (x *formattedFile) writeRow(row, inWords table.Row, hash []byte) error {
	shown := row
	if x.Format == report.CSVBR {
		shown = inWords
	}
	x.line = x.AppendRow(x.line[:0], x.sums.Table, shown, hash, x.language)
	if _, err := x.w.Write(x.line); err != nil {
		return err
	}
	return x.sums.Add(row)
}

func (x *formattedFile) close() error { return errors.Join(x.w.Flush(), x.file.Close()) }
