package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/store/ledger"
)

// ediFile writes the titles of a kind, in as many files as they take.
type ediFile struct {
	job     *Job
	next    func() (*ediPart, error) // names the next file
	parts   []*ediPart               // the last one is open
	file    *os.File
	buf     *bufio.Writer
	w       *cnab.Writer
	omitted edi.OmittedRows
	rows    int64 // titles so far, over all files
}

// openNextFile opens the next file.
func (e *ediFile) openNextFile() error {
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

// closeFile closes the open file.
func (e *ediFile) closeFile() error {
	err := errors.Join(e.w.Close(), e.buf.Flush(), e.file.Close())
	e.parts[len(e.parts)-1].totals = e.w.Totals()
	return err
}

// ediMeasures are what an EDI file of titles counts and adds up: its titles, the money columns of T and U, and the shares
// (Y-50). The ledger answers for each by a query that follows the layout's rules for itself, so that a column that is filled
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
	case k == report.SlipsKind:
		return "slip-titles"
	case j.NetOfSplits:
		return "card-titles-net-of-splits"
	}
	return "card-titles"
}

// ediFigures are the count and sums of each of the files that hold the titles of a kind. The ledger answers for all of them
// together: its figure of one file is what the others leave of that, so what is missing or too much shows in each.
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
