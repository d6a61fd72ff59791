package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// stageTables adds the requested files of tables to the staged files.
func (r *rendering) stageTables(ctx context.Context) error {
	var files []*stagedFile
	for _, k := range r.job.Kinds {
		for _, t := range k.Tables() {
			if k == report.ControlKind || !slices.ContainsFunc(r.job.formatsOf(k), report.Format.IsPerTable) {
				continue
			}
			sql, err := r.ledgerSumsOf(ctx, t)
			if err != nil {
				return err
			}
			for _, w := range r.tables[t.ID].writtenFormats() {
				if !slices.Contains(r.job.formatsOf(k), w.format) {
					continue
				}
				figs, err := control.NewTableFigures(t.ID+"."+w.format.Extension(), t, sql, w.sums, r.distinctTotals(t))
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

// writtenFormat is a written file of a table: its format, its counters, and the reader for that format.
type writtenFormat struct {
	format report.Format
	sums   *table.Counter
	read   func(io.Reader, *table.Table) (table.Counter, error)
}

// writtenFormats returns the files of a table, csv first.
func (f *tableFile) writtenFormats() []writtenFormat {
	out := []writtenFormat{{report.CSV, f.writtenCounter(), func(in io.Reader, t *table.Table) (table.Counter, error) { return table.ReadCSV(in, t, nil) }}}
	for _, x := range f.otherFormats {
		out = append(out, writtenFormat{x.Format, &x.sums, x.ReadBack})
	}
	return out
}

func (r *rendering) stageTable(t *table.Table, w writtenFormat, figs []control.Figure) *stagedFile {
	ext := w.format.Extension()
	return &stagedFile{
		local: r.stagingPath(t.ID + "." + ext), stem: t.ID, ext: ext, figures: figs,
		read: func(path string) (func(control.Figure) ledger.Opt[int64], error) {
			var sums table.Counter
			err := readback.WithFile(path, func(in io.Reader) (err error) {
				sums, err = w.read(in, t)
				return err
			})
			return readback.ByMeasure(readback.TableFigures(&sums)), err
		},
		file: manifest.File{Kind: report.DefinitionOfTable(t).Kind, Format: w.format, LayoutVersion: t.Layout, Rows: w.sums.Rows, Sums: w.sums.FormatSums()},
	}
}

// fileHash is the SHA-256, in hex, and the size of a file.
type fileHash struct {
	sum  string
	size int64
}

// hashedFile is a new file in staging that is hashed as it is written, so that what lies there later can be held against what was
// written.
type hashedFile struct {
	file *os.File
	hash hash.Hash
	size int64
	keep func(fileHash)
}

// createFile makes a file of the set in staging. Its hash is known once it is closed.
func (r *rendering) createFile(path string) (*hashedFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &hashedFile{file: f, hash: sha256.New(), keep: func(h fileHash) { r.written[path] = h }}, nil
}

func (f *hashedFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	f.hash.Write(b[:n])
	f.size += int64(n)
	return n, err
}

func (f *hashedFile) Close() error {
	f.keep(fileHash{hex.EncodeToString(f.hash.Sum(nil)), f.size})
	return f.file.Close()
}

// hashFile returns the SHA-256 and the size of a file.
func hashFile(path string) (is fileHash, err error) {
	h := sha256.New()
	err = readback.WithFile(path, func(in io.Reader) (err error) {
		is.size, err = io.Copy(h, in)
		return err
	})
	is.sum = hex.EncodeToString(h.Sum(nil))
	return is, err
}

// ledgerSumsOf asks the ledger for the sums of a table, once.
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

// distinctTotals returns the totals of a table's columns that count distinct values.
func (r *rendering) distinctTotals(t *table.Table) map[string]int64 {
	if c := r.contentOf(t); c != nil {
		return c.DistinctTotals(t)
	}
	return nil
}

// ediName returns the name that an EDI file will be published under; what is its kind, with the number of its part.
func (r *rendering) ediName(what string) string {
	return r.fileName(what, report.EDI.Extension())
}

// tempFile keeps values read from the ledger in staging until they are written: titles get their numbers only after the
// decision that a revision is written. It avoids reading the ledger a second time.
type tempFile[T any] struct {
	file *os.File
	buf  *bufio.Writer
	enc  *gob.Encoder
}

func newTempFile[T any](path string) (*tempFile[T], error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	return &tempFile[T]{file: f, buf: buf, enc: gob.NewEncoder(buf)}, nil
}

// add appends a value. It must not be called after reader or each.
func (s *tempFile[T]) add(v *T) error {
	if err := s.enc.Encode(v); err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	return nil
}

// reader returns a function that reads the values one by one, in the order of add.
func (s *tempFile[T]) reader() (next func(*T) error, err error) {
	if err := s.buf.Flush(); err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	dec := gob.NewDecoder(bufio.NewReaderSize(s.file, 1<<16))
	return func(v *T) error {
		if err := dec.Decode(v); err != nil {
			return fmt.Errorf("staging: %w", err)
		}
		return nil
	}, nil
}

// each yields every value in the order of add.
func (s *tempFile[T]) each(yield func(*T) error) error {
	next, err := s.reader()
	if err != nil {
		return err
	}
	for {
		var v T // a new one, because gob does not overwrite members with zero values
		err := next(&v)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := yield(&v); err != nil {
			return err
		}
	}
}

// close closes the file. It does nothing on nil.
func (s *tempFile[T]) close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}

// deferredTitle is a title of an installment that has no number yet.
type deferredTitle struct {
	Subject string
	Title   cnab.Title
}

// deferredSlip is a slip that has no number yet, and its title.
type deferredSlip struct {
	Subject   string
	Title     *cnab.Title // nil: the slip has no title
	OurNumber string
	Reference string
}
