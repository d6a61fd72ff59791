package export

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"concilia/export/cnab"
	"concilia/export/report"
	"concilia/store/ledger"
)

// statementPart is one file of a statement. It holds at most 999,999 records (cnab240 R11): past them the entries go on in
// statement-2, with a number (NSA) of its own, which opens with the partial balance that the one before closed with.
type statementPart struct {
	name, path       string
	nsa              int
	totals           cnab.Totals
	opening, closing ledger.Amount
}

// statementParts writes the files of a statement, one after the other.
type statementParts struct {
	r       *rendering
	parts   []statementPart
	opening cnab.Opening // of the next file
	w       *cnab.StatementWriter
	file    *os.File // that w writes, buffered in buf; nil between files
	buf     *bufio.Writer
}

// openPart opens the next file, under the next number.
func (s *statementParts) openPart(ctx context.Context) (err error) {
	j := s.r.job
	p := statementPart{name: partName(report.StatementKind, len(s.parts)+1), opening: s.opening.Balance}
	p.path = s.r.stagingPath(p.name + "." + report.EDI.Extension())
	if p.nsa, _, err = s.r.target.Numbers.ReserveEDI(ctx, s.r.ediName(p.name), nil, nil); err != nil {
		return err
	}
	if s.file, err = os.Create(p.path); err != nil {
		return err
	}
	s.buf = bufio.NewWriterSize(s.file, 1<<16)
	s.w, err = cnab.NewStatementWriter(s.buf, cnab.Header{
		Account: j.Block.CNAB(), Profile: j.EDIProfile, AsOf: j.AsOf, NSA: p.nsa, Remark: statementRemark, MaxRecords: j.maxRecords,
	}, s.opening)
	s.parts = append(s.parts, p)
	return err
}

// writeEntry writes one entry, in another file when this one is full.
func (s *statementParts) writeEntry(ctx context.Context, e cnab.Entry) error {
	err := s.w.WriteEntry(e)
	if !errors.Is(err, cnab.ErrFileFull) || s.w.Totals().Entries == 0 {
		return err
	}
	err = s.closePart(func(w *cnab.StatementWriter) (err error) {
		s.opening, err = w.CloseFull()
		return err
	})
	if err == nil {
		err = s.openPart(ctx)
	}
	if err != nil {
		return err
	}
	return s.w.WriteEntry(e)
}

// closePart closes the open file as it is told, and keeps what it holds.
func (s *statementParts) closePart(closing func(*cnab.StatementWriter) error) error {
	err := errors.Join(closing(s.w), s.buf.Flush(), s.file.Close())
	s.file = nil
	p := &s.parts[len(s.parts)-1]
	p.totals, p.closing = s.w.Totals(), s.w.Balance()
	return err
}

// closeOpenFile closes a file that was not ended: an error came before.
func (s *statementParts) closeOpenFile() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// stageParts puts the files among the set's. The ledger answers for all of them together: its figures of one file are what the
// others leave of that, and its balances are the opening of the whole, moved on by the files before.
func (s *statementParts) stageParts(sql report.Sums) {
	opening := s.r.job.Statement.Opening
	var all cnab.Totals
	for i := range s.parts {
		t := &s.parts[i].totals
		all.Entries, all.Credits, all.Debits = all.Entries+t.Entries, all.Credits+t.Credits, all.Debits+t.Debits
	}
	for i := range s.parts {
		p := &s.parts[i]
		count := sql.Rows - int64(all.Entries-p.totals.Entries)
		credits := ledger.Amount(sql.Columns["credits"]) - (all.Credits - p.totals.Credits)
		debits := ledger.Amount(sql.Columns["debits"]) - (all.Debits - p.totals.Debits)
		figs := []Figure{
			{Measure: "count", Unit: unitCount, Ledger: ledger.Some(count * 10_000)},
			{Measure: "credits", Unit: unitBRL, Ledger: ledger.Some(int64(credits))},
			{Measure: "debits", Unit: unitBRL, Ledger: ledger.Some(int64(debits))},
			{Measure: "opening", Unit: unitBRL, Ledger: ledger.Some(int64(opening))},
			{Measure: "closing", Unit: unitBRL, Ledger: ledger.Some(int64(opening + credits - debits))},
		}
		written := statementReader(p.totals, p.opening, p.closing)
		for k := range figs {
			figs[k].File, figs[k].Writer = ediItem(p.name), written(figs[k].Measure).V
			if len(s.parts) > 1 {
				figs[k].note = noteText("other_parts")
			}
		}
		opening += p.totals.Credits - p.totals.Debits
		s.r.staged = append(s.r.staged, p.newStagedFile(figs))
	}
}

func (p *statementPart) newStagedFile(figs []Figure) *stagedFile {
	return &stagedFile{
		local: p.path, stem: p.name, ext: report.EDI.Extension(), figures: figs,
		read: func(path string) (func(Figure) ledger.Opt[int64], error) {
			var f cnab.File
			err := withFile(path, func(in io.Reader) (err error) {
				f, err = readEDI(in)
				return err
			})
			return answerByMeasure(ediFileReader(&f)), err
		},
		file: File{
			Kind: report.StatementKind, Format: report.EDI, LayoutVersion: 1, Rows: int64(p.totals.Entries),
			Sums: statementSums(p.totals, p.opening, p.closing), NSA: &p.nsa,
		},
	}
}
