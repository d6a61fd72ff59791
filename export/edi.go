package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// leftOut is what an EDI file does not say, or says in another place than its payments; control counts it.
type leftOut struct {
	rows            int64         // not written
	gross           ledger.Amount // their face value
	takenBack       int64         // movements 28
	takenBackMoney  ledger.Amount
	onCancelled     int64 // money that stayed on cancelled titles
	onCancelledSum  ledger.Amount
	sharesLeft      int64 // negative shares: no column holds them
	sharesLeftMoney ledger.Amount
}

// ediFile writes one EDI file.
type ediFile struct {
	file *os.File
	buf  *bufio.Writer
	w    *cnab.Writer
	nsa  int
	left leftOut
}

func newEDIFile(path string, j *Job, nsa int) (*ediFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	e := &ediFile{file: f, buf: bufio.NewWriterSize(f, 1<<16)}
	e.w, err = cnab.NewWriter(e.buf, cnab.Header{Account: j.Block.CNAB(), Profile: j.EDIProfile, AsOf: j.AsOf, NSA: nsa})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return e, nil
}

func (e *ediFile) close() error {
	return errors.Join(e.w.Close(), e.buf.Flush(), e.file.Close())
}

// ediFigures are the count and sums of an EDI file. The ledger answers for the titles and their face value; the
// other columns follow from rules of the file and tie writer and reader.
func ediFigures(name string, t cnab.Totals, titles int64, face ledger.Amount) []Figure {
	figs := []Figure{
		{Measure: "count", Unit: unitCount, Ledger: ledger.Some(titles * 10_000)},
		{Measure: "face", Unit: unitBRL, Ledger: ledger.Some(int64(face))},
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
	for _, f := range ediFigures("", t, 0, 0) {
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
		Identities: true,
	})
	if err != nil {
		return f, fmt.Errorf("read back: %w", err)
	}
	return f, nil
}

// balance moves what would be negative in an unsigned column to the opposite one, so that the identities of the
// payment still hold: fee and other expenses against other credits, additions against discount.
func balance(t *cnab.Title) {
	if t.Additions < 0 {
		t.Discount -= t.Additions
		t.Additions = 0
	}
	for _, m := range []*ledger.Amount{&t.Fee, &t.OtherExpenses} {
		if *m < 0 {
			t.OtherCredits -= *m
			*m = 0
		}
	}
	if t.Net < 0 {
		t.OtherCredits -= t.Net
		t.Net = 0
	}
}
