package staging

import (
	"context"
	"io"
	"slices"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
)

// StageTables adds the requested files of tables to the staged files.
func (s *Set) StageTables(ctx context.Context) error {
	var files []*File
	for _, k := range s.Job.Kinds {
		for _, t := range s.TablesOf(k) {
			if k == report.ControlKind || !slices.ContainsFunc(s.Job.FormatsOf(k), report.Format.IsPerTable) {
				continue
			}
			sql, err := s.LedgerSumsOf(ctx, t)
			if err != nil {
				return err
			}
			for _, w := range s.Tables[t.ID].writtenFormats() {
				if !slices.Contains(s.Job.FormatsOf(k), w.format) || s.Job.IsOwnCSV(k, w.format) {
					continue
				}
				figs, err := control.NewTableFigures(t.ID+"."+w.format.Extension(), t, sql, w.sums, s.DistinctTotals(t))
				if err != nil {
					return err
				}
				files = append(files, s.stageTable(t, w, figs))
			}
		}
	}
	s.Files = append(files, s.Files...)
	return nil
}

// writtenFormat is a written file of a table: its format, its counters, and the reader for that format.
type writtenFormat struct {
	format report.Format
	sums   *table.Counter
	read   func(io.Reader, *table.Table) (table.Counter, error)
	behind func() (table.Counter, error) // as that of Table
	copied *copiedLines
}

// writtenFormats returns the files of a table, csv first.
func (f *Table) writtenFormats() []writtenFormat {
	out := []writtenFormat{{report.CSV, f.Counter(), func(in io.Reader, t *table.Table) (table.Counter, error) { return table.ReadCSV(in, t, nil) }, f.behind, &f.copied}}
	for _, x := range f.otherFormats {
		out = append(out, writtenFormat{x.Format, &x.sums, x.ReadBack, x.behind, &x.copied})
	}
	return out
}

// readBack returns what the rows of the file at a path add up to. One that was read back while it was written is not read again: its hash
// reports whether it is still the same.
func (w *writtenFormat) readBack(path string, t *table.Table) (sums table.Counter, err error) {
	if w.behind != nil {
		return w.behind()
	}
	if len(w.copied.parts) > 0 {
		return w.readBackRest(path, t)
	}
	err = readback.WithFile(path, func(in io.Reader) (err error) {
		sums, err = w.read(in, t)
		return err
	})
	return sums, err
}

// TableFiles returns the files of a table in the requested formats, csv first, without figures that prove them.
func (s *Set) TableFiles(t *table.Table) []*File {
	var files []*File
	for _, w := range s.Tables[t.ID].writtenFormats() {
		files = append(files, s.stageTable(t, w, nil))
	}
	return files
}

func (s *Set) stageTable(t *table.Table, w writtenFormat, figs []control.Figure) *File {
	ext := w.format.Extension()
	return &File{
		Local: s.Path(t.ID + "." + ext), Stem: t.ID, Ext: ext, Figures: figs,
		Read: func(path string) (func(control.Figure) ledger.Opt[int64], error) {
			sums, err := w.readBack(path, t)
			return readback.ByMeasure(readback.TableFigures(&sums)), err
		},
		File: manifest.File{Kind: kindlist.DefinitionOfTable(t).Kind, Format: w.format, LayoutVersion: t.Layout, Rows: w.sums.Rows, Sums: w.sums.FormatSums()},
	}
}
