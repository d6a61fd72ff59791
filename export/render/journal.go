package render

import (
	"context"
	"errors"
	"fmt"
	"io"

	"concilia/export/control"
	"concilia/export/journal"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/export/staging"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// journalWriter writes the files of a set's journal.
type journalWriter struct {
	*staging.Set
	files []*journalFile // none: the set has no journal
}

// journalFile is a file of the journal in the format of an accountant's program, or an office's own CSV.
type journalFile struct {
	format report.Format
	path   string
	file   *staging.HashedFile
	out    *journal.Writer
}

// openFiles starts the files of the journal that are asked for.
func (w *journalWriter) openFiles() error {
	if w.Job.Journal == nil {
		return nil
	}
	for _, f := range w.Job.FormatsOf(report.JournalKind) {
		if !f.IsOfBooks() && !w.Job.IsOwnCSV(report.JournalKind, f) {
			continue
		}
		x := &journalFile{format: f, path: w.Path("entries." + f.Extension())}
		var err error
		if x.file, err = w.CreateFile(x.path); err != nil {
			return err
		}
		w.files = append(w.files, x)
		if x.out, err = journal.NewWriter(x.file, journal.Format(f), w.Job.Journal.Chart, w.Job.Journal.NewHead(w.Job)); err != nil {
			return err
		}
	}
	return nil
}

// makeEntryWriter returns what writes entries to the files; nil: there are none.
func (w *journalWriter) makeEntryWriter() func(*bookkeeping.Entry) error {
	if len(w.files) == 0 {
		return nil
	}
	return func(e *bookkeeping.Entry) error {
		for _, x := range w.files {
			if err := x.out.Write(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// closeFiles closes files that were not staged.
func (w *journalWriter) closeFiles() (err error) {
	for _, x := range w.files {
		if x.file != nil {
			err = errors.Join(err, x.file.Close())
		}
		x.file = nil
	}
	return err
}

// Names of the journal's sums: of its entries, and of the rows of an office's own CSV, which are lines, as in the table, or pairs. Each
// has how many there are, their debits and their credits.
const (
	journalEntries = "journal-entries"
	journalPairs   = "journal-pairs"
)

// sumsOf names the sums that a file is proved by.
func (x *journalFile) sumsOf(c *journal.Chart) string {
	switch {
	case x.format != report.CSV:
		return journalEntries
	case c.Layout == journal.ByPair:
		return journalPairs
	}
	return othersides.JournalTable.ID
}

// stageFiles ends the files, and refuses a journal that has other balances than the rows.
func (w *journalWriter) stageFiles(ctx context.Context) error {
	if w.Job.Journal == nil {
		return nil
	}
	for i := range w.Job.Journal.Balances {
		if b := &w.Job.Journal.Balances[i]; !w.Job.Journal.Chained && b.Residual() != 0 {
			rest := b.Residual()
			w.Identities = append(w.Identities, report.Identity{
				Name: "journal " + string(b.Role) + " " + b.Brand, Formula: "entries = rows", Printed: rest, Exact: rest,
			})
		}
	}
	for _, x := range w.files {
		sums, err := w.Source.Sums(ctx, x.sumsOf(w.Job.Journal.Chart))
		if err != nil {
			return err
		}
		err = errors.Join(x.out.Close(), x.file.Close())
		x.file = nil
		if err != nil {
			return fmt.Errorf("journal in %s: %w", x.format, err)
		}
		w.Files = append(w.Files, newStagedJournal(x, w.Job.Journal.Chart, &sums))
	}
	return nil
}

func newStagedJournal(x *journalFile, c *journal.Chart, sums *report.Sums) *staging.File {
	item := string(report.JournalKind) + "." + x.format.Extension()
	written := readback.JournalFigures(x.out.Totals)
	var columns []string
	if x.format == report.CSV {
		columns = c.OwnValues()
	}
	f := &staging.File{
		Local: x.path, Stem: string(report.JournalKind), Ext: x.format.Extension(),
		Read: func(path string) (func(control.Figure) ledger.Opt[int64], error) {
			var t journal.Totals
			err := readback.WithFile(path, func(in io.Reader) (err error) {
				t, err = readback.ReadJournal(in, x.format, columns)
				return err
			})
			return readback.ByMeasure(readback.JournalFigures(t)), err
		},
		File: manifest.File{
			Kind: report.JournalKind, Format: x.format, LayoutVersion: 1, Rows: x.out.Totals.Entries, Sums: readback.JournalSums(x.out.Totals),
			Columns: columns,
		},
	}
	for _, m := range []struct {
		id, unit string
		ledger   int64
	}{
		{"count", control.UnitCount, sums.Rows * 10_000},
		{"debit", control.UnitBRL, sums.Columns["debit"]},
		{"credit", control.UnitBRL, sums.Columns["credit"]},
	} {
		f.Figures = append(f.Figures, control.Figure{File: item, Measure: m.id, Unit: m.unit, Writer: written(m.id).V, Ledger: ledger.Some(m.ledger)})
	}
	return f
}
