package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/store/ledger"
)

// newTable is a table without frames, for terminals and for tools that cut columns.
func newTable(w io.Writer) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = 0
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	return t
}

// reais prints an amount in cents for people, as English writes it: 1,234.56. Reports write it as Brazil does.
func reais(a ledger.Amount) string {
	s := a.Rounded(ledger.HalfAwayFromZero).Fixed(2)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, cents, _ := strings.Cut(s, ".")
	return sign + thousands(whole) + "." + cents
}

// thousands puts a comma before every three of the last digits.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// things prints a number of them, never negative, with their name: 1 case, 2,782 cases.
func things(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(int64(n)) + " " + many
}

// count prints a number of things, never negative, for people: 2,782.
func count(n int64) string { return thousands(strconv.FormatInt(n, 10)) }
