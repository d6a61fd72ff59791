package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/store/ledger"
)

// ediFile writes the titles of a kind, in one or more files.
type ediFile struct {
	job     *Job
	next    func() (*ediPart, error) // names the next file
	parts   []*ediPart               // the last one is open
	create  func(path string) (*hashedFile, error)
	file    *hashedFile
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
		Account: e.job.Block.CNAB(), Profile: e.job.EDIProfile, AsOf: e.job.AsOf, NSA: p.nsa, MaxRecords: e.job.maxRecords,
		Remark: e.remark,
	})
	if err != nil {
		return errors.Join(err, e.file.Close())
	}
	return nil
}

// closeFile closes the open file.
func (e *ediFile) closeFile() error {
	err := errors.Join(e.w.Close(), e.buf.Flush(), e.file.Close())
	e.parts[len(e.parts)-1].totals = e.w.Totals()
	return err
}

// ediMeasures are what an EDI file of titles counts and adds up: its titles, the money columns of T and U, and the shares
// (Y-50). The ledger answers for each by a query that implements the layout's rules separately, so that a column that is filled
// wrongly is found although writer and reader agree on it.
var ediMeasures = []struct{ id, unit string }{
	{"count", unitCount},
	{"face", unitBRL},
	{"paid", unitBRL},
	{"net", unitBRL},
	{"fees", unitBRL},
	{"additions", unitBRL},
	{"discounts", unitBRL},
	{"other_expenses", unitBRL},
	{"other_credits", unitBRL},
	{"shares", unitCount},
	{"shares_value", unitBRL},
}

// titleTable names the sums that the ledger answers for an EDI file of titles.
func (j *Job) titleTable(k report.Kind) string {
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
func ediFigures(parts []*ediPart, sql report.Sums) ([][]Figure, error) {
	out := make([][]Figure, len(parts))
	for _, m := range ediMeasures {
		whole, ok := sql.Columns[m.id]
		switch {
		case m.id == "count":
			whole = sql.Rows * 10_000
		case !ok:
			return nil, fmt.Errorf("the ledger gives no sum of %s of titles: it can't be proven", m.id)
		case m.unit == unitCount:
			whole *= 10_000
		}
		var written int64
		for _, p := range parts {
			written += ediReader(p.totals)(m.id).V
		}
		for i, p := range parts {
			own := ediReader(p.totals)(m.id).V
			f := Figure{File: ediItem(p.name), Measure: m.id, Unit: m.unit, Writer: own, Ledger: ledger.Some(whole - (written - own))}
			if len(parts) > 1 {
				f.note = noteText("other_parts")
			}
			out[i] = append(out[i], f)
		}
	}
	return out, nil
}

// ediReader returns the figures of a file by measure, from the totals of its writer or reader.
func ediReader(t cnab.Totals) func(string) ledger.Opt[int64] {
	values := map[string]int64{
		"count": int64(t.Titles) * 10_000, "face": int64(t.Face), "paid": int64(t.Paid), "net": int64(t.Net),
		"fees": int64(t.Fee), "additions": int64(t.Additions), "discounts": int64(t.Discount),
		"other_expenses": int64(t.OtherExpenses), "other_credits": int64(t.OtherCredits),
		"shares": int64(t.Splits) * 10_000, "shares_value": int64(t.SplitAmount),
	}
	return func(measure string) ledger.Opt[int64] {
		v, ok := values[measure]
		return ledger.Opt[int64]{V: v, OK: ok}
	}
}

// ediSums returns the sums of the file in the format of the manifest.
func ediSums(t cnab.Totals) map[string]string {
	out, read := make(map[string]string), ediReader(t)
	for _, m := range ediMeasures {
		switch {
		case m.id == "count":
		case m.unit == unitCount:
			out[m.id] = ledger.Amount(read(m.id).V).Fixed(0)
		default:
			out[m.id] = ledger.Amount(read(m.id).V).Fixed(2)
		}
	}
	return out
}

// readEDI reads a file strictly and returns what it counts and adds up to.
func readEDI(r io.Reader) (cnab.File, error) {
	f, err := cnab.Read(r, cnab.ReadOptions{
		OnTitle:          func(int, cnab.Title) error { return nil },
		OnEntry:          func(int, cnab.Entry) error { return nil },
		StrictIdentities: true,
	})
	if err != nil {
		return f, fmt.Errorf("read back: %w", err)
	}
	return f, nil
}

// ediPart is one file of a kind's titles. A file holds at most 999,999 records (cnab240 R11): past them the titles go on
// in another file of the set, with a number (NSA) of its own.
type ediPart struct {
	name, path string // installments, installments-2
	nsa        int
	totals     cnab.Totals
}

// PartName names the files of a kind: its own name, then name-2, name-3.
func PartName(k report.Kind, part int) string {
	if part == 1 {
		return string(k)
	}
	return string(k) + "-" + strconv.Itoa(part)
}

// openEDI opens the first EDI file of a kind, whose number is reserved; the numbers of later files are reserved when they are
// opened.
func (r *rendering) openEDI(ctx context.Context, k report.Kind, nsa int) (*ediFile, error) {
	e := &ediFile{job: r.job, create: r.createFile}
	e.next = func() (*ediPart, error) {
		p := &ediPart{name: PartName(k, len(e.parts)+1), nsa: nsa}
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

// writeTitle writes the title of a subject.
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

// ediItem returns the item of control for an EDI file.
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

// stemWithoutPart returns the stem without the number of a part: one file of a later revision replaces all parts.
func (n fileName) stemWithoutPart() string {
	if at := strings.LastIndexByte(n.stem, '-'); at > 0 && n.ext == report.EDI.Extension() {
		if _, err := strconv.Atoi(n.stem[at+1:]); err == nil {
			return n.stem[:at]
		}
	}
	return n.stem
}

// WithoutPart returns a published name without the number of its part. Another name is returned unchanged.
func WithoutPart(name string) string {
	n, ok := parseFileName(name)
	if !ok {
		return name
	}
	return n.stemWithoutPart() + name[len(n.stem):]
}
