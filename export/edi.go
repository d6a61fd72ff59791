package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/store/ledger"
)

// ediFile writes the titles of a kind, in as many files as they take.
type ediFile struct {
	job   *Job
	next  func() (*ediPart, error) // names the next file
	parts []*ediPart               // the last one is open
	file  *os.File
	buf   *bufio.Writer
	w     *cnab.Writer
	left  edi.LeftOut
	rows  int64 // titles so far, over all files
}

// begin opens the next file.
func (e *ediFile) begin() error {
	p, err := e.next()
	if err != nil {
		return err
	}
	if e.file, err = os.Create(p.path); err != nil {
		return err
	}
	e.parts, e.buf = append(e.parts, p), bufio.NewWriterSize(e.file, 1<<16)
	e.w, err = cnab.NewWriter(e.buf, cnab.Header{
		Account: e.job.Block.CNAB(), Profile: e.job.EDIProfile, AsOf: e.job.AsOf, NSA: p.nsa, MaxRecords: e.job.maxRecords,
	})
	if err != nil {
		return errors.Join(err, e.file.Close())
	}
	return nil
}

// end closes the open file.
func (e *ediFile) end() error {
	err := errors.Join(e.w.Close(), e.buf.Flush(), e.file.Close())
	e.parts[len(e.parts)-1].totals = e.w.Totals()
	return err
}

// ediFigures are the count and sums of an EDI file. The ledger answers for the titles and their face value, but for a file
// that others of the set go on from; the other columns follow from rules of the file and tie writer and reader.
func ediFigures(name string, t cnab.Totals, titles ledger.Opt[int64], face ledger.Opt[ledger.Amount]) []Figure {
	figs := []Figure{
		{Measure: "count", Unit: unitCount, Ledger: ledger.Opt[int64]{V: titles.V * 10_000, OK: titles.OK}},
		{Measure: "face", Unit: unitBRL, Ledger: ledger.Opt[int64]{V: int64(face.V), OK: face.OK}},
		{Measure: "paid", Unit: unitBRL},
		{Measure: "net", Unit: unitBRL},
		{Measure: "fees", Unit: unitBRL},
		{Measure: "additions", Unit: unitBRL},
		{Measure: "discounts", Unit: unitBRL},
		{Measure: "other_expenses", Unit: unitBRL},
		{Measure: "other_credits", Unit: unitBRL},
		{Measure: "shares", Unit: unitCount},
		{Measure: "shares_value", Unit: unitBRL},
	}
	read := ediReader(t)
	for i := range figs {
		figs[i].File = name
		figs[i].Writer = read(figs[i].Measure).V
	}
	return figs
}

// ediReader answers for the totals that the writer or the reader of a file kept.
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

// ediSums are the sums of the file as the manifest spells them.
func ediSums(t cnab.Totals) map[string]string {
	out := make(map[string]string)
	for _, f := range ediFigures("", t, ledger.Opt[int64]{}, ledger.Opt[ledger.Amount]{}) {
		switch {
		case f.Measure == "count":
		case f.Unit == unitCount:
			out[f.Measure] = ledger.Amount(f.Writer).Fixed(0)
		default:
			out[f.Measure] = ledger.Amount(f.Writer).Fixed(2)
		}
	}
	return out
}

// readEDI reads a file strictly and returns what it counts and adds up to.
func readEDI(r io.Reader) (cnab.File, error) {
	f, err := cnab.Read(r, cnab.ReadOptions{
		Title:      func(int, cnab.Title) error { return nil },
		Entry:      func(int, cnab.Entry) error { return nil },
		Identities: true,
	})
	if err != nil {
		return f, fmt.Errorf("read back: %w", err)
	}
	return f, nil
}
