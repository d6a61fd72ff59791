package render

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"

	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/edi"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/staging"
	"concilia/store/ledger"
)

// A statement lists what the service settled, in EDI and on basis credit only; it is of no bank account and has no payouts
// (cnab240 6.5). It has no table. Its entries are computed twice from the same rows: for the digest that decides whether a
// revision is written, and for the file.

// statementWriter digests and writes the statement of a set.
type statementWriter struct {
	*ediStager
	digest  string // of its entries
	closing ledger.Amount
}

// isAsked reports whether the set has a statement; it is known once digestSet has run.
func (s *statementWriter) isAsked() bool { return s.digest != "" }

// entrySums add up the entries of a statement.
type entrySums struct {
	credits, debits ledger.Amount
}

func (s *entrySums) addEntry(e *cnab.Entry) {
	if e.Debit {
		s.debits += e.Amount
	} else {
		s.credits += e.Amount
	}
}

// digestSet computes the digest of the entries in the set's period, and compares those of the earlier statements.
func (s *statementWriter) digestSet(ctx context.Context) error {
	if !s.Job.HasEDI(report.StatementKind) {
		return nil
	}
	terms := &s.Job.Statement
	now, sums, err := s.digestEntries(ctx, s.Job.Period)
	if err != nil {
		return err
	}
	s.digest, s.closing = now.digestOfPeriod(s.Job.Period), terms.Opening+sums.credits-sums.debits
	if len(terms.Earlier) == 0 {
		return nil
	}
	from := terms.Earlier[0].Period.From
	for _, e := range terms.Earlier {
		from = min(from, e.Period.From)
	}
	then, _, err := s.digestEntries(ctx, ledger.Period{From: from, To: s.Job.Period.From - 1})
	if err != nil {
		return err
	}
	for _, e := range terms.Earlier {
		if then.digestOfPeriod(e.Period) != e.Digest {
			s.ChangedStatements = append(s.ChangedStatements, e.Set)
		}
	}
	return nil
}

// dayDigests are running hashes of the entries of each day, cards and slips separately, so that they need not be merged.
type dayDigests [2]map[ledger.Date]hash.Hash

func (d *dayDigests) addEntry(side int, e *cnab.Entry) {
	if d[side] == nil {
		d[side] = make(map[ledger.Date]hash.Hash)
	}
	h := d[side][e.Booked]
	if h == nil {
		h = sha256.New()
		d[side][e.Booked] = h
	}
	fmt.Fprintf(h, "%t %d %q %q %q\n", e.Debit, int64(e.Amount), e.Category, e.Text, e.Document)
}

// digestOfPeriod returns the digest of the days of a period that have entries.
func (d *dayDigests) digestOfPeriod(p ledger.Period) string {
	h := sha256.New()
	for side := range d {
		for _, day := range slices.Sorted(maps.Keys(d[side])) {
			if p.Contains(day) {
				fmt.Fprintf(h, "%d %s %x\n", side, day, d[side][day].Sum(nil))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digestEntries digests and adds up the entries of a period.
func (s *statementWriter) digestEntries(ctx context.Context, p ledger.Period) (*dayDigests, entrySums, error) {
	d, sums := &dayDigests{}, entrySums{}
	err := s.forEachCardEntry(ctx, p, func(e cnab.Entry) error {
		d.addEntry(0, &e)
		sums.addEntry(&e)
		return nil
	})
	if err != nil {
		return nil, sums, err
	}
	err = s.forEachSlipEntry(ctx, p, func(e cnab.Entry) error {
		d.addEntry(1, &e)
		sums.addEntry(&e)
		return nil
	})
	return d, sums, err
}

// forEachCardEntry yields the entries of installments in order of date and subject. It keeps those of one date in memory.
func (s *statementWriter) forEachCardEntry(ctx context.Context, p ledger.Period, yield func(cnab.Entry) error) error {
	type keyed struct {
		subject string
		entry   cnab.Entry
	}
	var day []keyed
	flush := func() error {
		slices.SortFunc(day, func(a, b keyed) int { return cmp.Compare(a.subject, b.subject) })
		for _, k := range day {
			if err := yield(k.entry); err != nil {
				return fmt.Errorf("%s: %w", k.subject, err)
			}
		}
		day = day[:0]
		return nil
	}
	err := s.Source.CreditedCards(ctx, p, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		subject := v.Key().Subject()
		if e == nil {
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", subject)
		}
		if len(day) > 0 && day[0].entry.Booked != v.Effective {
			if err := flush(); err != nil {
				return err
			}
		}
		if entry, ok := edi.CardEntry(v, e); ok {
			day = append(day, keyed{subject, entry})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// forEachSlipEntry yields the entries of slips in order of date and subject.
func (s *statementWriter) forEachSlipEntry(ctx context.Context, p ledger.Period, yield func(cnab.Entry) error) error {
	return s.Source.CreditedSlips(ctx, p, func(slip *ledger.Slip, e *ledger.SlipExpectation) error {
		if e == nil {
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", slip.Subject())
		}
		for _, entry := range edi.SlipEntries(slip, e, s.Job.Statement.Net) {
			if err := yield(entry); err != nil {
				return fmt.Errorf("%s: %w", slip.Subject(), err)
			}
		}
		return nil
	})
}

// statementRemark is the remark in the file header: movements of the service, no bank statement.
const statementRemark = "MOVIMENTO SERVICO"

// stageFiles writes the statement and adds it to the staged files.
func (s *statementWriter) stageFiles(ctx context.Context) error {
	if !s.isAsked() {
		return nil
	}
	parts := &statementParts{ediStager: s.ediStager, opening: cnab.Opening{Day: s.Job.Period.From - 1, Balance: s.Job.Statement.Opening}}
	if err := s.fillParts(ctx, parts); err != nil {
		return fmt.Errorf("edi of %s: %w", report.StatementKind, errors.Join(err, parts.closeOpenFile()))
	}
	sql, err := s.Source.Sums(ctx, s.Job.Statement.Table())
	if err != nil {
		return fmt.Errorf("sums of %s: %w", report.StatementKind, err)
	}
	parts.stageParts(sql)
	return nil
}

// fillParts writes the entries in order of date, cards before slips. The entries of the slips of the period are in
// memory; those of cards are not.
func (s *statementWriter) fillParts(ctx context.Context, w *statementParts) error {
	j := s.Job
	if err := w.openPart(ctx); err != nil {
		return err
	}
	var slips []cnab.Entry
	err := s.forEachSlipEntry(ctx, j.Period, func(e cnab.Entry) error {
		slips = append(slips, e)
		return nil
	})
	if err != nil {
		return err
	}
	// before writes the slips of the days before that one.
	before := func(d ledger.Date) error {
		for len(slips) > 0 && slips[0].Booked < d {
			if err := w.writeEntry(ctx, slips[0]); err != nil {
				return err
			}
			slips = slips[1:]
		}
		return nil
	}
	err = s.forEachCardEntry(ctx, j.Period, func(e cnab.Entry) error {
		if err := before(e.Booked); err != nil {
			return err
		}
		return w.writeEntry(ctx, e)
	})
	if err == nil {
		err = before(j.Period.To + 1)
	}
	if err != nil {
		return err
	}
	return w.closePart(func(s *cnab.StatementWriter) error { return s.Close(j.Period.To) })
}

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
	*ediStager
	parts   []statementPart
	opening cnab.Opening // of the next file
	w       *cnab.StatementWriter
	file    *staging.HashedFile // that w writes, buffered in buf; nil between files
	buf     *bufio.Writer
}

// openPart reserves the next number and opens the next file.
func (s *statementParts) openPart(ctx context.Context) (err error) {
	j := s.Job
	p := statementPart{name: manifest.PartName(report.StatementKind, len(s.parts)+1), opening: s.opening.Balance}
	p.path = s.Path(p.name + "." + report.EDI.Extension())
	if p.nsa, _, err = s.numbers.ReserveEDI(ctx, s.ediName(p.name), nil, nil); err != nil {
		return err
	}
	if s.file, err = s.CreateFile(p.path); err != nil {
		return err
	}
	s.buf = bufio.NewWriterSize(s.file, 1<<16)
	s.w, err = cnab.NewStatementWriter(s.buf, cnab.Header{
		Account: j.Block.CNAB(), Profile: j.EDIProfile, AsOf: j.AsOf, NSA: p.nsa, Remark: statementRemark, MaxRecords: j.Hooks.MaxRecords,
	}, s.opening)
	s.parts = append(s.parts, p)
	return err
}

// writeEntry writes one entry, in a new file if the open one is full.
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

// closePart writes the end of the open file with the closing function, closes it and keeps its totals.
func (s *statementParts) closePart(closing func(*cnab.StatementWriter) error) error {
	err := errors.Join(closing(s.w), s.buf.Flush(), s.file.Close())
	s.file = nil
	p := &s.parts[len(s.parts)-1]
	p.totals, p.closing = s.w.Totals(), s.w.Balance()
	return err
}

// closeOpenFile closes the file that is open after an error.
func (s *statementParts) closeOpenFile() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// stageParts adds the files to the staged files. The ledger's figures are of all files together: its figures of one file are
// those sums less what was written to the others, and its balances start at the opening of the first file.
func (s *statementParts) stageParts(sql report.Sums) {
	opening := s.Job.Statement.Opening
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
		figs := []control.Figure{
			{Measure: "count", Unit: control.UnitCount, Ledger: ledger.Some(count * 10_000)},
			{Measure: "credits", Unit: control.UnitBRL, Ledger: ledger.Some(int64(credits))},
			{Measure: "debits", Unit: control.UnitBRL, Ledger: ledger.Some(int64(debits))},
			{Measure: "opening", Unit: control.UnitBRL, Ledger: ledger.Some(int64(opening))},
			{Measure: "closing", Unit: control.UnitBRL, Ledger: ledger.Some(int64(opening + credits - debits))},
		}
		written := readback.StatementFigures(p.totals, p.opening, p.closing)
		for k := range figs {
			figs[k].File, figs[k].Writer = readback.EDIItem(p.name), written(figs[k].Measure).V
			if len(s.parts) > 1 {
				figs[k].Note = control.TextNote("other_parts")
			}
		}
		opening += p.totals.Credits - p.totals.Debits
		s.Files = append(s.Files, p.newStagedFile(figs))
	}
}

func (p *statementPart) newStagedFile(figs []control.Figure) *staging.File {
	return &staging.File{
		Local: p.path, Stem: p.name, Ext: report.EDI.Extension(), Figures: figs,
		Read: func(path string) (func(control.Figure) ledger.Opt[int64], error) {
			var f cnab.File
			err := readback.WithFile(path, func(in io.Reader) (err error) {
				f, err = readback.ReadEDI(in)
				return err
			})
			return readback.ByMeasure(readback.FileFigures(&f)), err
		},
		File: manifest.File{
			Kind: report.StatementKind, Format: report.EDI, LayoutVersion: 1, Rows: int64(p.totals.Entries),
			Sums: readback.StatementSums(p.totals, p.opening, p.closing), NSA: &p.nsa,
		},
	}
}
