package table

import (
	"strings"

	"concilia/store/ledger"
)

// InferType gives a cell of a value column the type that its text speaks of: a csv keeps the text alone, and people add up, sort
// and read numbers and days. A text that is neither stays one.
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

// IsDecimal says whether a text is a plain number with two to four decimals, as amounts and rates are written: 1 and 007 are
// statuses and numbers of something.
func IsDecimal(s string) bool {
	whole, decimals, cut := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	plain := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return cut && len(decimals) >= 2 && len(decimals) <= 4 && whole != "" && plain(whole) && plain(decimals) &&
		(len(whole) == 1 || whole[0] != '0')
}

// appendBRText is a text as csv-br has it. In a value column a rate comes as a text: with its point, Excel in Brazil takes
// 2.3400 for a text, or for twenty-three thousand.
func appendBRText(b []byte, c *Column, s string, l Language) []byte {
	if c.Type == TypeValue && IsDecimal(s) {
		return append(b, strings.Replace(s, ".", ",", 1)...)
	}
	return appendQuoted(b, c.Label(l, s), ';')
}
