package control

import (
	"fmt"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// MismatchCode is the code of a set whose files differ from the ledger. It is critical: nothing is published.
const MismatchCode = "REPORT_TIE_FAILED"

// Figure is one count or sum of one file from three sources, in ten-thousandths whatever its unit.
type Figure struct {
	File    string            // the file's kind or table and its format: installments.csv
	Measure string            // count, or the id of a column
	Unit    string            // of control
	Ledger  ledger.Opt[int64] // by a separate query of the ledger; absent only if Unlisted
	Writer  int64             // counted while the file was written
	Read    ledger.Opt[int64] // from the file read back; absent before that, and if Unlisted
	Note    Note              // how the ledger's figure was computed, if the query is not of this file alone
	// Unlisted is true for a figure that is compared, but not listed in control: a sum without a meaning, such as that of rates
	// or versions, or one that the file does not contain.
	Unlisted bool
}

// Residual returns the largest of the three figures less the smallest.
func (f *Figure) Residual() int64 {
	lo, hi := f.Writer, f.Writer
	for _, o := range []ledger.Opt[int64]{f.Ledger, f.Read} {
		if o.OK {
			lo, hi = min(lo, o.V), max(hi, o.V)
		}
	}
	return hi - lo
}

// MismatchError says why a set is refused: a figure of a file that differs between its sources, or a Problem with the
// file or the totals as a whole. Nothing of the set was published.
type MismatchError struct {
	Figure
	Problem error // nil: the figure differs
}

// Error describes which of the three figures differs from the others.
func (e *MismatchError) Error() string {
	if e.Problem != nil {
		return fmt.Sprintf("%s: %v; nothing of the set is published", e.File, e.Problem)
	}
	return fmt.Sprintf("%s, %s: %s (ledger %s, writer %s, file %s); nothing of the set is published",
		e.File, e.Measure, e.describeDifference(), FormatFigure(e.Ledger), FormatFigure(ledger.Some(e.Writer)), FormatFigure(e.Read))
}

// Unwrap returns the problem.
func (e *MismatchError) Unwrap() error { return e.Problem }

// describeDifference describes which of the three figures differs from the others.
func (e *MismatchError) describeDifference() string {
	onDisk := e.Read.OK && e.Read.V == e.Writer
	switch {
	case e.Measure == "count" && e.Ledger.OK && onDisk && e.Writer < e.Ledger.V:
		return "rows that the ledger counts are missing"
	case e.Measure == "count" && e.Ledger.OK && onDisk && e.Writer > e.Ledger.V:
		return "there are more rows than the ledger counts"
	case e.Ledger.OK && e.Read.OK && e.Ledger.V == e.Read.V:
		return "the writer's counters differ from the ledger and the file"
	case e.Ledger.OK && e.Writer != e.Ledger.V && (!e.Read.OK || onDisk):
		return "the ledger's query differs from what was written"
	case e.Read.OK && !onDisk && (!e.Ledger.OK || e.Ledger.V == e.Writer):
		return "the file read back differs from what was written"
	}
	return "ledger, writer and file all differ"
}

// Code returns MismatchCode.
func (e *MismatchError) Code() string { return MismatchCode }

// FormatFigure prints a figure of control with four decimals; "none" if there is none.
func FormatFigure(o ledger.Opt[int64]) string {
	if !o.OK {
		return "none"
	}
	return ledger.Amount(o.V).Fixed(4)
}

// OfTheSet is the suffix of the measure that counts the distinct values of a column, each counted once for the whole set.
const OfTheSet = " of the set"

// NewTableFigures returns the count and the numeric columns of a table's file, by ledger and writer. distinct has the totals of
// the columns that count distinct values.
func NewTableFigures(file string, t *table.Table, sql report.Sums, written *table.Counter, distinct map[string]int64) ([]Figure, error) {
	out := []Figure{{
		File: file, Measure: "count", Unit: UnitCount, Ledger: ledger.Some(sql.Rows * 10_000), Writer: written.Rows * 10_000,
	}}
	for i := range written.Printed {
		c := &t.Columns[i]
		if !c.Type.Numeric() {
			continue
		}
		f := Figure{File: file, Measure: c.ID, Unit: unitOf(c), Writer: report.InTenThousandths(c, written.Printed[i]), Unlisted: !c.Summed()}
		v, ok := sql.Columns[c.ID]
		if !ok && !c.Ratio {
			return nil, fmt.Errorf("the ledger gives no sum of %s in table %s: it can't be proven", c.ID, t.ID)
		}
		if ok {
			f.Ledger = ledger.Some(report.InTenThousandths(c, v))
		}
		out = append(out, f)
		if c.Distinct {
			id := c.ID + OfTheSet
			out = append(out, Figure{
				File: file, Measure: id, Unit: unitOf(c), Ledger: ledger.Some(report.InTenThousandths(c, sql.Columns[id])), Writer: report.InTenThousandths(c, distinct[c.ID]),
				Unlisted: true,
			})
		}
	}
	return out, nil
}

// CompareReadBack sets the figures read back from the file. It fails with the first figure that differs.
func CompareReadBack(figs []Figure, read func(Figure) ledger.Opt[int64]) error {
	var first error
	for i := range figs {
		f := &figs[i]
		f.Read = read(*f)
		if first == nil && f.Residual() != 0 {
			first = &MismatchError{Figure: *f}
		}
	}
	return first
}

// unitOf returns the unit of the column in control.
func unitOf(c *table.Column) string {
	switch c.Type {
	case table.TypeMoney:
		return UnitBRL
	case table.TypeRate:
		return unitPct
	}
	return UnitCount
}

// CheckIdentity refuses an identity with a residual at four decimals.
func CheckIdentity(i *report.Identity) error {
	if i.Exact == 0 {
		return nil
	}
	return &MismatchError{
		Figure: Figure{File: "identity " + i.Name}, Problem: fmt.Errorf("%s leaves %s", i.Formula, i.Exact.Fixed(4)),
	}
}
