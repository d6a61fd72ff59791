package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"concilia/export/cnab"
	"concilia/export/report"
	"concilia/store/ledger"
)

// ediPart is one file of a kind's titles. A file holds at most 999,999 records (cnab240 R11): past them the titles go on
// in another file of the set, with a number (NSA) of its own.
type ediPart struct {
	name, path string // installments, installments-2
	nsa        int
	totals     cnab.Totals
}

// partName names the files of a kind: its own name, then name-2, name-3.
func partName(k report.Kind, part int) string {
	if part == 1 {
		return string(k)
	}
	return string(k) + "-" + strconv.Itoa(part)
}

// openEDI begins the titles of a kind; the number of its first file is reserved, those of later ones are when they begin.
func (r *rendering) openEDI(ctx context.Context, k report.Kind, nsa int) (*ediFile, error) {
	e := &ediFile{job: r.job}
	e.next = func() (*ediPart, error) {
		p := &ediPart{name: partName(k, len(e.parts)+1), nsa: nsa}
		p.path = r.stagingPath(p.name + "." + report.EDI.Extension())
		if len(e.parts) == 0 {
			return p, nil
		}
		var err error
		p.nsa, _, err = r.target.Numbers.ReserveEDI(ctx, r.ediName(p.name), nil, nil)
		return p, err
	}
	return e, e.openNextFile()
}

// writeTitle writes the title of a subject, in another file when this one is full.
func (e *ediFile) writeTitle(subject string, t *cnab.Title) error {
	times := 1
	if e.job.repeat != nil {
		times = e.job.repeat("titles", e.rows)
	}
	e.rows++
	if e.job.editTitle != nil {
		e.job.editTitle(t)
	}
	for range times {
		if err := e.writeOrContinue(t); err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
	}
	return nil
}

func (e *ediFile) writeOrContinue(t *cnab.Title) error {
	err := e.w.WriteTitle(*t)
	if !errors.Is(err, cnab.ErrFileFull) || e.w.Totals().Titles == 0 {
		return err
	}
	if err := e.closeFile(); err != nil {
		return err
	}
	if err := e.openNextFile(); err != nil {
		return err
	}
	return e.w.WriteTitle(*t)
}

// stageEDI ends the EDI files of a kind and puts them among the set's.
func (r *rendering) stageEDI(ctx context.Context, k report.Kind, e *ediFile) error {
	if err := e.closeFile(); err != nil {
		return fmt.Errorf("edi of %s: %w", k, err)
	}
	sql, err := r.source.Sums(ctx, r.job.titleTable(k))
	if err != nil {
		return fmt.Errorf("sums of the titles of %s: %w", k, err)
	}
	figs, err := ediFigures(e.parts, sql)
	if err != nil {
		return err
	}
	r.ediOmissions = append(r.ediOmissions, ediOmissions{file: ediItem(string(k)), OmittedRows: e.omitted})
	for i, p := range e.parts {
		r.staged = append(r.staged, newStagedEDI(k, p, figs[i]))
	}
	return nil
}

// ediItem is what control calls an EDI file.
func ediItem(name string) string { return name + "." + report.EDI.Extension() }

func newStagedEDI(k report.Kind, p *ediPart, figs []Figure) *stagedFile {
	return &stagedFile{
		local: p.path, stem: p.name, ext: report.EDI.Extension(), figures: figs,
		read: func(path string) (func(Figure) ledger.Opt[int64], error) {
			var f cnab.File
			err := withFile(path, func(in io.Reader) (err error) {
				f, err = readEDI(in)
				return err
			})
			return answerByMeasure(ediReader(f.Totals)), err
		},
		file: File{
			Kind: k, Format: report.EDI, LayoutVersion: 1, Rows: int64(p.totals.Titles), Sums: ediSums(p.totals), NSA: &p.nsa,
		},
	}
}

// stemWithoutPart is what a file is of, without the number of its part: a later revision's file stands for all parts.
func (n fileName) stemWithoutPart() string {
	if at := strings.LastIndexByte(n.stem, '-'); at > 0 && n.ext == report.EDI.Extension() {
		if _, err := strconv.Atoi(n.stem[at+1:]); err == nil {
			return n.stem[:at]
		}
	}
	return n.stem
}

// WithoutPart is a published name without the number of its part. Another name stays as it is.
func WithoutPart(name string) string {
	n, ok := parseFileName(name)
	if !ok {
		return name
	}
	return n.stemWithoutPart() + name[len(n.stem):]
}
