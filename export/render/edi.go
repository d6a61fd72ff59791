package render

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/edi"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/staging"
	"concilia/store/ledger"
)

// ediStager opens the EDI files of a set, and adds them to its staged files when they are written.
type ediStager struct {
	*staging.Set
	numbers export.Numbers // nil: none are reserved
}

// ediFile writes the titles of a kind, in one or more files.
type ediFile struct {
	job     *export.Job
	next    func() (*ediPart, error) // names the next file
	parts   []*ediPart               // the last one is open
	create  func(path string) (*staging.HashedFile, error)
	file    *staging.HashedFile
	buf     *bufio.Writer
	w       *cnab.Writer
	omitted edi.OmittedRows
	rows    int64 // titles so far, over all files
	remark  string
}

// openNextFile creates the next file and writes its header.
func (e *ediFile) openNextFile() error {
	p, err := e.next()
	if err != nil {
		return err
	}
	if e.file, err = e.create(p.path); err != nil {
		return err
	}
	e.parts, e.buf = append(e.parts, p), bufio.NewWriterSize(e.file, 1<<16)
	e.w, err = cnab.NewWriter(e.buf, cnab.Header{
		Account: e.job.Block.CNAB(), Profile: e.job.EDIProfile, AsOf: e.job.AsOf, NSA: p.nsa, MaxRecords: e.job.Hooks.MaxRecords,
		Remark: e.remark,
	})
	if err != nil {
		err = errors.Join(err, e.file.Close())
		e.file = nil
	}
	return err
}

// closeFile closes the open file.
func (e *ediFile) closeFile() error {
	err := errors.Join(e.w.Close(), e.buf.Flush(), e.file.Close())
	e.file = nil
	e.parts[len(e.parts)-1].totals = e.w.Totals()
	return err
}

// titleTable names the sums that the ledger answers for an EDI file of titles.
func titleTable(j *export.Job, k report.Kind) string {
	switch {
	case k == report.CardEventsKind, k == report.SlipEventsKind:
		return string(k) + "-titles"
	case k == report.SlipsKind:
		return "slip-titles"
	case j.NetOfSplits:
		return "card-titles-net-of-splits"
	}
	return "card-titles"
}

// ediFigures returns the count and sums of each file with titles of a kind. The ledger's figures are of all files together:
// its figure of one file is that sum less what was written to the others, so a missing title is a difference in every file.
func ediFigures(parts []*ediPart, sql report.Sums) ([][]control.Figure, error) {
	out := make([][]control.Figure, len(parts))
	for _, m := range readback.EDIMeasures {
		whole, ok := sql.Columns[m.ID]
		switch {
		case m.ID == "count":
			whole = sql.Rows * 10_000
		case !ok:
			return nil, fmt.Errorf("the ledger gives no sum of %s of titles: it can't be proven", m.ID)
		case m.Unit == control.UnitCount:
			whole *= 10_000
		}
		var written int64
		for _, p := range parts {
			written += readback.EDIFigures(p.totals)(m.ID).V
		}
		for i, p := range parts {
			own := readback.EDIFigures(p.totals)(m.ID).V
			f := control.Figure{File: readback.EDIItem(p.name), Measure: m.ID, Unit: m.Unit, Writer: own, Ledger: ledger.Some(whole - (written - own))}
			if len(parts) > 1 {
				f.Note = control.TextNote("other_parts")
			}
			out[i] = append(out[i], f)
		}
	}
	return out, nil
}

// ediPart is one file of a kind's titles. A file holds at most 999,999 records (cnab240 R11): past them the titles go on
// in another file of the set, with a number (NSA) of its own.
type ediPart struct {
	name, path string // installments, installments-2
	nsa        int
	totals     cnab.Totals
}

// openEDI opens the first EDI file of a kind, whose number is reserved; the numbers of later files are reserved when they are
// opened.
func (s *ediStager) openEDI(ctx context.Context, k report.Kind, nsa int) (*ediFile, error) {
	e := &ediFile{job: s.Job, create: s.CreateFile}
	e.next = func() (*ediPart, error) {
		p := &ediPart{name: manifest.PartName(k, len(e.parts)+1), nsa: nsa}
		p.path = s.Path(p.name + "." + report.EDI.Extension())
		if len(e.parts) == 0 {
			return p, nil
		}
		var err error
		p.nsa, _, err = s.numbers.ReserveEDI(ctx, s.ediName(p.name), nil, nil)
		return p, err
	}
	return e, e.openNextFile()
}

// writeTitle writes the title of a subject.
func (e *ediFile) writeTitle(subject string, t *cnab.Title) error {
	times := 1
	if e.job.Hooks.Repeat != nil {
		times = e.job.Hooks.Repeat("titles", e.rows)
	}
	e.rows++
	if e.job.Hooks.EditTitle != nil {
		e.job.Hooks.EditTitle(t)
	}
	for range times {
		if err := e.writeOrContinue(t); err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
	}
	return nil
}

// writeOrContinue writes a title, in a new file if the open one is full.
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

// stageEDI closes the EDI files of a kind and adds them to the staged files.
func (s *ediStager) stageEDI(ctx context.Context, k report.Kind, e *ediFile) error {
	if err := e.closeFile(); err != nil {
		return fmt.Errorf("edi of %s: %w", k, err)
	}
	sql, err := s.Source.Sums(ctx, titleTable(s.Job, k))
	if err != nil {
		return fmt.Errorf("sums of the titles of %s: %w", k, err)
	}
	figs, err := ediFigures(e.parts, sql)
	if err != nil {
		return err
	}
	s.EDIOmissions = append(s.EDIOmissions, staging.EDIOmissions{File: readback.EDIItem(string(k)), OmittedRows: e.omitted})
	for i, p := range e.parts {
		s.Files = append(s.Files, newStagedEDI(k, p, figs[i]))
	}
	return nil
}

func newStagedEDI(k report.Kind, p *ediPart, figs []control.Figure) *staging.File {
	return &staging.File{
		Local: p.path, Stem: p.name, Ext: report.EDI.Extension(), Figures: figs,
		Read: func(path string) (func(control.Figure) ledger.Opt[int64], error) {
			var f cnab.File
			err := readback.WithFile(path, func(in io.Reader) (err error) {
				f, err = readback.ReadEDI(in)
				return err
			})
			return readback.ByMeasure(readback.EDIFigures(f.Totals)), err
		},
		File: manifest.File{
			Kind: k, Format: report.EDI, LayoutVersion: 1, Rows: int64(p.totals.Titles), Sums: readback.EDISums(p.totals), NSA: &p.nsa,
		},
	}
}

// ediName returns the name that an EDI file will be published under; what is its kind, with the number of its part.
func (s *ediStager) ediName(what string) string {
	return fileName(s.Set, what, report.EDI.Extension())
}
