package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// slipSubjects are the titles of an EDI file of slips, and all slips of the set.
type slipSubjects struct {
	all     []string
	titles  []string
	own     map[string]string
	builder edi.TitleBuilder // of the file
}

func (x *slipSubjects) addSlip(s *ledger.Slip, title bool) {
	subject := s.Subject()
	x.all = append(x.all, subject)
	if !title {
		return
	}
	x.titles = append(x.titles, subject)
	if n, ok := edi.UsableOurNumber(s); ok {
		if x.own == nil {
			x.own = make(map[string]string)
		}
		x.own[subject] = n
	}
}

// slipNumbers reserves what an EDI file of the slips needs and opens it, or asks which slips have a number already.
func (r *rendering) slipNumbers(ctx context.Context) (map[string]string, *ediFile, error) {
	if r.target.Numbers == nil {
		return nil, nil, nil
	}
	known, err := r.target.Numbers.TitleNumbers(ctx, r.slipSubjects.all)
	if err != nil || !r.job.hasEDI(report.SlipsKind) {
		return known, nil, err
	}
	nsa, numbers, err := r.target.Numbers.ReserveEDI(ctx, r.ediName(string(report.SlipsKind)), r.slipSubjects.titles, r.slipSubjects.own)
	if err != nil {
		return nil, nil, err
	}
	for subject, n := range known {
		if _, ok := numbers[subject]; !ok {
			numbers[subject] = n
		}
	}
	out, err := r.openEDI(ctx, report.SlipsKind, nsa)
	if err != nil {
		return nil, nil, err
	}
	return numbers, out, nil
}

// stageTables puts the files of the tables that are asked for among the set's files.
func (r *rendering) stageTables(ctx context.Context) error {
	var files []*stagedFile
	for _, k := range r.job.Kinds {
		for _, t := range k.Tables() {
			if k == report.ControlKind || !slices.ContainsFunc(r.job.Formats, report.Format.IsPerTable) {
				continue
			}
			sql, err := r.ledgerSumsOf(ctx, t)
			if err != nil {
				return err
			}
			for _, w := range r.tables[t.ID].writtenFormats() {
				if !r.job.hasFormat(w.format) {
					continue
				}
				figs, err := newTableFigures(t.ID+"."+w.format.Extension(), t, sql, w.sums, r.distinctTotals(t))
				if err != nil {
					return err
				}
				files = append(files, r.stageTable(t, w, figs))
			}
		}
	}
	r.staged = append(files, r.staged...)
	return nil
}

// writtenFormat is what a table's file in one format counted, and how that file is read.
type writtenFormat struct {
	format report.Format
	sums   *table.Counter
	read   func(io.Reader, *table.Table) (table.Counter, error)
}

// writtenFormats are those of a table, csv first.
func (f *tableFile) writtenFormats() []writtenFormat {
	out := []writtenFormat{{report.CSV, f.writtenCounter(), func(in io.Reader, t *table.Table) (table.Counter, error) { return table.ReadCSV(in, t, nil) }}}
	for _, x := range f.otherFormats {
		out = append(out, writtenFormat{x.format, &x.sums, x.ReadBack})
	}
	return out
}

func (r *rendering) stageTable(t *table.Table, w writtenFormat, figs []Figure) *stagedFile {
	ext := w.format.Extension()
	return &stagedFile{
		local: r.stagingPath(t.ID + "." + ext), stem: t.ID, ext: ext, figures: figs,
		read: func(path string) (func(Figure) ledger.Opt[int64], error) {
			var sums table.Counter
			err := withFile(path, func(in io.Reader) (err error) {
				sums, err = w.read(in, t)
				return err
			})
			return answerByMeasure(counterReader(&sums)), err
		},
		file: File{Kind: report.DefinitionOfTable(t).Kind, Format: w.format, LayoutVersion: t.Layout, Rows: w.sums.Rows, Sums: w.sums.FormatSums()},
	}
}

// withFile reads a file once through.
func withFile(path string, fn func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(fn(bufio.NewReaderSize(f, 1<<16)), f.Close())
}

// hashFile returns the SHA-256 and the size of a file.
func hashFile(path string) (sum string, size int64, err error) {
	h := sha256.New()
	err = withFile(path, func(in io.Reader) (err error) {
		size, err = io.Copy(h, in)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// answerByMeasure answers for a file that has one table.
func answerByMeasure(read func(string) ledger.Opt[int64]) func(Figure) ledger.Opt[int64] {
	return func(f Figure) ledger.Opt[int64] { return read(f.Measure) }
}

// ledgerSumsOf asks the ledger once for each table.
func (r *rendering) ledgerSumsOf(ctx context.Context, t *table.Table) (report.Sums, error) {
	if s, ok := r.ledgerSums[t.ID]; ok {
		return s, nil
	}
	s, err := r.source.Sums(ctx, t.ID)
	if err != nil {
		return report.Sums{}, fmt.Errorf("sums of %s: %w", t.ID, err)
	}
	if c := r.contentOf(t); c != nil {
		s = c.LedgerSums(t, s)
	}
	r.ledgerSums[t.ID] = s
	return s, nil
}

// distinctTotals are the totals of a table's columns that count a thing once.
func (r *rendering) distinctTotals(t *table.Table) map[string]int64 {
	if c := r.contentOf(t); c != nil {
		return c.DistinctTotals(t)
	}
	return nil
}

// ediName is the name under which an EDI file will be published; what is its kind or a part of it.
func (r *rendering) ediName(what string) string {
	return r.fileName(what, report.EDI.Extension())
}
