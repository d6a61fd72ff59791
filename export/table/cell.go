package table

import (
	"strings"

	"concilia/store/ledger"
)

// Cell is one value of a row. The zero Cell is absent, which is never 0.
type Cell struct {
	N    int64  // number, date or time, in the unit of the column's type
	X    int64  // of rounded money: the amount before rounding, in ten-thousandths
	S    string // of texts
	Type Type   // its type, which determines the member with its value
	OK   bool
}

// The unit of a date and time in Cell.N: ticks of a ledger.LocalTime.
const (
	TicksPerSecond = 10_000_000
	TicksPerDay    = 86_400 * TicksPerSecond
)

// Row is the cells of one row, in column order, without the hash.
type Row []Cell

// Text is a text as kept; an empty one is absent.
func Text(s string) Cell { return Cell{S: s, Type: TypeText, OK: s != ""} }

// Int is a count.
func Int(n int64) Cell { return Cell{N: n, Type: TypeInt, OK: true} }

// Cents is an amount shown in whole cents, rounded half away from zero.
func Cents(a ledger.Amount) Cell {
	return Cell{N: int64(a.Rounded(ledger.HalfAwayFromZero)), X: int64(a), Type: TypeMoney, OK: true}
}

// Exact is an amount shown with four decimals.
func Exact(a ledger.Amount) Cell {
	return Cell{N: int64(a), X: int64(a), Type: TypeMoney, OK: true}
}

// Total is a sum of printed cents, with the same sum before rounding.
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

// OptCents is Cents of an amount that may be absent.
func OptCents(o ledger.Opt[ledger.Amount]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Cents(o.V)
}

// OptExact is Exact of an amount that may be absent.
func OptExact(o ledger.Opt[ledger.Amount]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Exact(o.V)
}

// OptInt is Int of a count that may be absent.
func OptInt(o ledger.Opt[int64]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Int(o.V)
}

// OptPct is Pct of a rate that may be absent, written in the unit.
func OptPct(o ledger.Opt[ledger.Rate], u ledger.Unit) Cell {
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

// InferType returns a cell of a value column with the type of its text: a date, an amount, or else a text. Values in a csv
// are untyped text; in a workbook or page, people add up and sort numbers and dates.
func (c *Column) InferType(v Cell) Cell {
	if c.Type != TypeValue || !v.OK || v.Type != TypeText {
		return v
	}
	if d, err := ledger.ParseDate(v.S); err == nil && d.String() == v.S {
		return Day(d)
	}
	if a, err := ledger.ParseAmount(v.S); err == nil && IsDecimal(v.S) {
		return Exact(a)
	}
	return v
}

// IsDecimal reports whether a text is a plain number with two to four decimals, as amounts and rates are written. Texts
// such as 1 and 007 are codes.
func IsDecimal(s string) bool {
	whole, decimals, cut := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	plain := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return cut && len(decimals) >= 2 && len(decimals) <= 4 && whole != "" && plain(whole) && plain(decimals) &&
		(len(whole) == 1 || whole[0] != '0')
}

// appendBRText appends a text for csv-br. A number in a value column gets a decimal comma: Excel in Brazil reads 2.3400 as
// a text, or as twenty-three thousand.
func appendBRText(b []byte, c *Column, s string, l Language) []byte {
	if c.Type == TypeValue && IsDecimal(s) {
		return append(b, strings.Replace(s, ".", ",", 1)...)
	}
	return appendQuoted(b, c.Label(l, s))
}

// Money is a sum of printed cents with the sum of the exact amounts. A sum that leaves its range is remembered, and
// Err refuses it. The zero Money is the sum of nothing.
type Money struct {
	Printed, Exact ledger.Amount
	overflow       bool
}

// Add adds an amount, rounded to cents here.
func (m *Money) Add(a ledger.Amount) { m.AddRounded(a.Rounded(ledger.HalfAwayFromZero), a) }

// AddRounded adds an amount whose printed cents follow from other printed cents.
func (m *Money) AddRounded(printed, exact ledger.Amount) {
	p, ok := addChecked(int64(m.Printed), int64(printed))
	x, okExact := addChecked(int64(m.Exact), int64(exact))
	if !ok || !okExact {
		m.overflow = true
		return
	}
	m.Printed, m.Exact = ledger.Amount(p), ledger.Amount(x)
}

// Merge adds another sum.
func (m *Money) Merge(other *Money) {
	m.AddRounded(other.Printed, other.Exact)
	m.overflow = m.overflow || other.overflow
}

// Err is ledger.ErrOverflow when a sum left its range.
func (m *Money) Err() error {
	if m.overflow {
		return ledger.ErrOverflow
	}
	return nil
}

// Cell is the sum as a cell of cents.
func (m Money) Cell() Cell { return Total(m.Printed, m.Exact) }

// addChecked is a + b, and whether that is in range.
func addChecked(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) || b == 0
}

// DateText prints a date as people of the language write it: 2026-11-18 in English, 18/11/2026 in Portuguese.
func DateText(d ledger.Date, l Language) string {
	if l == English {
		return d.String()
	}
	return d.Brazilian()
}
