package readback

import (
	"fmt"
	"io"

	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/report"
	"concilia/store/ledger"
)

// EDIMeasures are what an EDI file of titles counts and adds up: its titles, the money columns of T and U, and the shares
// (Y-50). The ledger answers for each by a query that implements the layout's rules separately, so that a column that is filled
// wrongly is found although writer and reader agree on it.
var EDIMeasures = []struct{ ID, Unit string }{
	{"count", control.UnitCount},
	{"face", control.UnitBRL},
	{"paid", control.UnitBRL},
	{"net", control.UnitBRL},
	{"fees", control.UnitBRL},
	{"additions", control.UnitBRL},
	{"discounts", control.UnitBRL},
	{"other_expenses", control.UnitBRL},
	{"other_credits", control.UnitBRL},
	{"shares", control.UnitCount},
	{"shares_value", control.UnitBRL},
}

// EDIFigures returns the figures of a file by measure, from the totals of its writer or reader.
func EDIFigures(t cnab.Totals) func(string) ledger.Opt[int64] {
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

// EDISums returns the sums of the file in the format of the manifest.
func EDISums(t cnab.Totals) map[string]string {
	out, read := make(map[string]string), EDIFigures(t)
	for _, m := range EDIMeasures {
		switch {
		case m.ID == "count":
		case m.Unit == control.UnitCount:
			out[m.ID] = ledger.Amount(read(m.ID).V).Fixed(0)
		default:
			out[m.ID] = ledger.Amount(read(m.ID).V).Fixed(2)
		}
	}
	return out
}

// ReadEDI reads a file strictly and returns what it counts and adds up to.
func ReadEDI(r io.Reader) (cnab.File, error) {
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

// EDIItem returns the item of control for an EDI file.
func EDIItem(name string) string { return name + "." + report.EDI.Extension() }

// StatementFigures returns the figures of a statement by measure, from the totals of its writer or reader.
func StatementFigures(t cnab.Totals, opening, closing ledger.Amount) func(string) ledger.Opt[int64] {
	values := map[string]int64{
		"count": int64(t.Entries) * 10_000, "credits": int64(t.Credits), "debits": int64(t.Debits),
		"opening": int64(opening), "closing": int64(closing),
	}
	return func(measure string) ledger.Opt[int64] {
		v, ok := values[measure]
		return ledger.Opt[int64]{V: v, OK: ok}
	}
}

// StatementSums returns the sums of the file in the format of the manifest.
func StatementSums(t cnab.Totals, opening, closing ledger.Amount) map[string]string {
	return map[string]string{
		"credits": t.Credits.Fixed(2), "debits": t.Debits.Fixed(2), "opening": opening.Fixed(2), "closing": closing.Fixed(2),
	}
}

// FileFigures returns the figures of a file that was read, titles or statement, by measure.
func FileFigures(f *cnab.File) func(string) ledger.Opt[int64] {
	if !f.IsStatement() {
		return EDIFigures(f.Totals)
	}
	opening, closing := f.Balances()
	return StatementFigures(f.Totals, opening, closing)
}

// FileSums returns the rows and sums of a file in the format of the manifest.
func FileSums(f *cnab.File) (int64, map[string]string) {
	if !f.IsStatement() {
		return int64(f.Totals.Titles), EDISums(f.Totals)
	}
	opening, closing := f.Balances()
	return int64(f.Totals.Entries), StatementSums(f.Totals, opening, closing)
}
