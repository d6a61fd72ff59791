package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// subjects are the titles of an EDI file of slips, and all slips of the set.
type subjects struct {
	all    []string
	titles []string
	own    map[string]string
}

func (x *subjects) add(s *ledger.Slip, edi bool) {
	subject := s.Subject()
	x.all = append(x.all, subject)
	if !edi {
		return
	}
	if _, ok := slipMovement(s); !ok {
		return
	}
	x.titles = append(x.titles, subject)
	if n, ok := ownNumber(s); ok {
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
	known, err := r.target.Numbers.TitleNumbers(ctx, r.subjects.all)
	if err != nil || !r.job.edi(SlipsKind) {
		return known, nil, err
	}
	nsa, numbers, err := r.target.Numbers.ReserveEDI(ctx, r.ediName(SlipsKind), r.subjects.titles, r.subjects.own)
	if err != nil {
		return nil, nil, err
	}
	for subject, n := range known {
		if _, ok := numbers[subject]; !ok {
			numbers[subject] = n
		}
	}
	edi, err := newEDIFile(r.path("slips.ret"), r.job, nsa)
	if edi != nil {
		edi.nsa = nsa
	}
	return numbers, edi, err
}

// stageEDI ends an EDI file. Its titles and face value must be the ledger's, less what was not written.
func (r *rendering) stageEDI(ctx context.Context, k Kind, e *ediFile) error {
	if err := e.close(); err != nil {
		return fmt.Errorf("edi of %s: %w", k, err)
	}
	sql, err := r.sums(ctx, specOf(k).tables[0])
	if err != nil {
		return err
	}
	face, titles := ledger.Amount(sql.Columns["value"]), sql.Rows-e.left.rows
	if k == InstallmentsKind {
		face = ledger.FromCents(sql.Columns["gross_cents"])
	}
	name, totals := string(k)+".ret", e.w.Totals()
	r.left = append(r.left, left{file: name, leftOut: e.left})
	r.staged = append(r.staged, &stagedFile{
		local: e.file.Name(), what: string(k), ext: EDI.extension(),
		figures: ediFigures(name, totals, titles, face-e.left.gross),
		read: func(path string) (func(Figure) ledger.Opt[int64], error) {
			var f cnab.File
			err := withFile(path, func(in io.Reader) (err error) {
				f, err = readEDI(in)
				return err
			})
			return byMeasure(ediReader(f.Totals)), err
		},
		file: File{
			Kind: k, Format: EDI, LayoutVersion: 1, Rows: int64(totals.Titles), Sums: ediSums(totals), NSA: &e.nsa,
		},
	})
	return nil
}

// stageTables puts the csv files that are asked for among the set's files.
func (r *rendering) stageTables(ctx context.Context) error {
	var files []*stagedFile
	for _, k := range r.job.Kinds {
		for _, t := range specOf(k).tables {
			if k == ControlKind || !r.job.wants(CSV) {
				continue
			}
			written := r.tables[t.ID].sums()
			sql, err := r.sums(ctx, t)
			if err != nil {
				return err
			}
			figs, err := figures(t.ID+".csv", t, sql, written, r.once(t))
			if err != nil {
				return err
			}
			files = append(files, r.stageCSV(t, written, figs))
		}
	}
	r.staged = append(files, r.staged...)
	return nil
}

func (r *rendering) stageCSV(t *Table, written *counter, figs []Figure) *stagedFile {
	return &stagedFile{
		local: r.path(t.ID + ".csv"), what: t.ID, ext: CSV.extension(), figures: figs,
		read: func(path string) (func(Figure) ledger.Opt[int64], error) {
			var sums counter
			err := withFile(path, func(in io.Reader) (err error) {
				sums, err = readCSV(in, t, nil)
				return err
			})
			return byMeasure(sums.reader()), err
		},
		file: File{Kind: t.Kind, Format: CSV, LayoutVersion: t.Layout, Rows: written.rows, Sums: written.spelled()},
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

// byMeasure answers for a file that has one table.
func byMeasure(read func(string) ledger.Opt[int64]) func(Figure) ledger.Opt[int64] {
	return func(f Figure) ledger.Opt[int64] { return read(f.Measure) }
}

// sums asks the ledger once for each table.
func (r *rendering) sums(ctx context.Context, t *Table) (Sums, error) {
	if s, ok := r.ledger[t.ID]; ok {
		return s, nil
	}
	s, err := r.feed.Sums(ctx, t.ID)
	if err != nil {
		return Sums{}, fmt.Errorf("sums of %s: %w", t.ID, err)
	}
	if t == summaryTable && r.job.NetOfSplits {
		// What is kept is what is received when splits are taken out before; the ledger does not know the reading.
		s.Columns = maps.Clone(s.Columns)
		s.Columns["net_kept"] = s.Columns["received"]
	}
	r.ledger[t.ID] = s
	return s, nil
}

// once are the totals of a table's columns that count a thing once.
func (r *rendering) once(t *Table) map[string]int64 {
	if t != summaryTable {
		return nil
	}
	return map[string]int64{"sales": r.summary.total.sales}
}

// ediName is the name under which the EDI file of a kind will be published.
func (r *rendering) ediName(k Kind) string {
	j := r.job
	return Name(string(k), j.Account, j.Basis, j.Period, j.Filter.Canonical(), r.result.Revision, EDI.extension())
}
