package export

import (
	"fmt"

	"concilia/store/ledger"
)

// Type says how the cells of a column are spelled and what their sum is counted in.
type Type uint8

// The types of columns. The unit in brackets is that of Cell.N and of the column's sum.
const (
	TypeText     Type = iota
	TypeEnum          // an English id; labelled in the workbook
	TypeList          // sorted, joined by |
	TypeInt           // plain digits (ones)
	TypeMoney         // two or four decimals (ten-thousandths)
	TypeRate          // percent, four decimals (millionths)
	TypeNumber        // two or four decimals (ten-thousandths)
	TypeValue         // an amount, a date or a text, as each cell says
	TypeDate          // YYYY-MM-DD (a ledger.Date)
	TypeDateTime      // local civil time as sent (a ledger.LocalTime)
	TypeHash          // the hash of the row, always the last of Table.Columns; files may have it before others (Column.Since)
)

// Numeric says whether a column of the type has a sum.
func (t Type) Numeric() bool {
	return t == TypeInt || t == TypeMoney || t == TypeRate || t == TypeNumber
}

// Column is one column of a table: its id in machine formats, its headers for people, and how it is spelled.
type Column struct {
	ID       string
	Header   string // pt-BR
	HeaderEN string
	Type     Type
	Decimals int
	// Null says when a cell is absent; empty means that every row has a value.
	Null string
	// Labels are the pt-BR words for the ids of an enum, where there are any.
	Labels map[string]string
	// Ratio marks averages, percentages and counts of cases: their sums tie writer and file, and the ledger's own
	// figure only when it gives one.
	Ratio bool
	// Once marks counts of distinct things that may stand on several lines: the total counts each once, and that is
	// the ledger's figure too, beside the sum of the lines.
	Once bool
	// Undigested marks what is assigned at emission, so that it is no reason for a new revision.
	Undigested bool
	// NoTotal marks numbers whose sum means nothing to people, though it ties: ordinals, and what repeats row by row.
	NoTotal bool
	// NoTotalSince is the layout since which that is so, where it came after the first.
	NoTotalSince int
	// Since is the layout that appended the column; 0 and 1 are the first. Columns stand in the order of their layouts.
	Since int
	// WordsSince is the layout since which files for people spell the cells in the language, where that came after the first:
	// Labels hold from then on, and numbers and dates among the texts of a value column are spelled as such.
	WordsSince int
	// Mark makes the workbook show what is not zero: the column holds differences.
	Mark bool
}

// Table is one table of a report kind: what the ledger answers for, as rows. Its columns are only ever appended.
type Table struct {
	ID      string
	Kind    Kind
	Sheet   string // pt-BR name of its sheet; the English one is the id
	Layout  int    // layout_version, counted from 1
	Columns []Column

	later bool // in tests: nobody fills its last columns yet
}

// totals says whether the workbook shows a total of the column.
func (c *Column) totals() bool {
	return c.Type.Numeric() && c.Type != TypeRate && !c.NoTotal && c.NoTotalSince == 0 && !c.Ratio && !c.Once && c.Type != TypeNumber
}

// width is the number of cells a row of the table has: every column but the hash.
func (t *Table) width() int { return len(t.Columns) - 1 }

// newRow returns a row of absent cells.
func (t *Table) newRow() Row { return make(Row, t.width()) }

// Cell is one value of a row. The zero Cell is absent, which is never 0.
type Cell struct {
	N    int64  // number, date or time, in the unit of the column's type
	X    int64  // of rounded money: the amount before rounding, in ten-thousandths
	S    string // of texts
	Type Type   // which of the members hold it
	OK   bool
}

// Row is the cells of one row, in column order, without the hash.
type Row []Cell

// Text is a text as kept; an empty one is absent.
func Text(s string) Cell { return Cell{S: s, Type: TypeText, OK: s != ""} }

// Int is a count.
func Int(n int64) Cell { return Cell{N: n, Type: TypeInt, OK: true} }

// Cents is an amount shown in whole cents, rounded half away from zero here and nowhere else.
func Cents(a ledger.Amount) Cell {
	return Cell{N: int64(a.Rounded(ledger.HalfAwayFromZero)), X: int64(a), Type: TypeMoney, OK: true}
}

// Exact is an amount shown with four decimals.
func Exact(a ledger.Amount) Cell {
	return Cell{N: int64(a), X: int64(a), Type: TypeMoney, OK: true}
}

// Total is a sum of printed cents, with the same sum before rounding beside it.
func Total(printed, exact ledger.Amount) Cell {
	return Cell{N: int64(printed), X: int64(exact), Type: TypeMoney, OK: true}
}

// Pct is a rate in percent, shown with four decimals, rounded half away from zero.
func Pct(r ledger.Rate) Cell {
	return Cell{N: roundTo(int64(r), 100), Type: TypeRate, OK: true}
}

// Number is a plain number in ten-thousandths.
func Number(n int64) Cell { return Cell{N: n, Type: TypeNumber, OK: true} }

// Day is a date; no date is absent.
func Day(d ledger.Date) Cell { return Cell{N: int64(d), Type: TypeDate, OK: d != 0} }

// Clock is a local civil time; no time is absent.
func Clock(t ledger.LocalTime) Cell { return Cell{N: int64(t), Type: TypeDateTime, OK: t != 0} }

func optCents(o ledger.Opt[ledger.Amount]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Cents(o.V)
}

func optInt(o ledger.Opt[int64]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Int(o.V)
}

func optPct(o ledger.Opt[ledger.Rate], u ledger.Unit) Cell {
	if !o.OK {
		return Cell{}
	}
	return Pct(o.V.Percent(u))
}

// roundTo rounds v to a multiple of unit, half away from zero.
func roundTo(v, unit int64) int64 {
	rest := v % unit
	switch {
	case rest >= unit-rest:
		return v - rest + unit
	case -rest >= unit+rest:
		return v - rest - unit
	}
	return v - rest
}

// holds says whether a present cell fits the column: the right type, and no digit that the column would cut.
func (c *Column) holds(cell *Cell) error {
	fits := cell.Type == c.Type
	switch c.Type {
	case TypeEnum, TypeList:
		fits = cell.Type == TypeText
	case TypeValue:
		fits = true
	}
	if !fits {
		return fmt.Errorf("column %s holds no cell of type %d", c.ID, cell.Type)
	}
	unit := c.unit()
	if cell.Type == c.Type && unit > 1 && cell.N%unit != 0 {
		return fmt.Errorf("column %s: a number with more than %d decimals", c.ID, c.Decimals)
	}
	return nil
}

// scale is the number of decimals of Cell.N.
func (t Type) scale() int {
	switch t {
	case TypeMoney, TypeNumber:
		return 4
	case TypeRate:
		return 6
	}
	return 0
}

// unit is the smallest step of Cell.N that the column prints.
func (c *Column) unit() int64 {
	u := int64(1)
	for range c.Type.scale() - c.Decimals {
		u *= 10
	}
	return u
}

// figure turns a sum of the column into the ten-thousandths that control shows.
func (c *Column) figure(sum int64) int64 {
	switch c.Type {
	case TypeInt:
		return sum * 10_000
	case TypeRate:
		return sum / 100
	}
	return sum
}

// appendSum prints a sum of the column with its decimals.
func (c *Column) appendSum(b []byte, sum int64) []byte {
	if c.Type == TypeInt {
		return ledger.Amount(sum*10_000).Append(b, 0)
	}
	return appendScaled(b, sum, c.Type.scale(), c.Decimals)
}

func optExact(o ledger.Opt[ledger.Amount]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Exact(o.V)
}
