package table

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// hashDigits is how many hex digits of a row's SHA-256 its row_hash has.
const hashDigits = 16

func appendCell(b []byte, c *Column, cell *Cell) []byte {
	switch cell.Type {
	case TypeInt:
		return strconv.AppendInt(b, cell.N, 10)
	case TypeMoney:
		if c.Type == TypeValue {
			return append(b, ledger.Amount(cell.N).String()...)
		}
		return ledger.Amount(cell.N).Append(b, c.Decimals)
	case TypeRate:
		return appendScaled(b, cell.N, TypeRate.Scale(), 4)
	case TypeNumber:
		if c.Type == TypeValue {
			return append(b, ledger.Amount(cell.N).String()...)
		}
		return ledger.Amount(cell.N).Append(b, c.Decimals)
	case TypeDate:
		return appendDate(b, ledger.Date(cell.N))
	case TypeDateTime:
		return appendClock(b, ledger.LocalTime(cell.N))
	}
	return appendQuoted(b, cell.S)
}

// appendScaled prints a number of 10^-scale with places decimals.
func appendScaled(b []byte, v int64, scale, places int) []byte {
	for ; scale > 4 && scale > places; scale-- {
		v /= 10
	}
	if scale > 4 {
		return append(b, ledger.Rate(v).Fixed(places)...)
	}
	return ledger.Amount(v).Append(b, places)
}

// appendDate is ledger.Date.String without the layout machinery: dates are in every row.
func appendDate(b []byte, d ledger.Date) []byte {
	y, m, day := d.Time().Date()
	b = append(b, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-')
	b = append(b, byte('0'+m/10), byte('0'+m%10), '-')
	return append(b, byte('0'+day/10), byte('0'+day%10))
}

// appendClock is ledger.LocalTime.String, quick for the whole seconds that nearly all times are.
func appendClock(b []byte, t ledger.LocalTime) []byte {
	if t%TicksPerSecond != 0 {
		return append(b, t.String()...)
	}
	s := int64(t % TicksPerDay / TicksPerSecond)
	b = append(appendDate(b, t.Date()), 'T')
	for i, v := range [...]int64{s / 3600, s / 60 % 60, s % 60} {
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, byte('0'+v/10), byte('0'+v%10))
	}
	return b
}

// appendQuoted quotes as RFC 4180 asks, whichever separator the reader goes by, and puts an apostrophe before what a
// spreadsheet would run as a formula: at the beginning of the text and after everything in it that some reader takes for
// the end of a cell.
func appendQuoted(b []byte, s string) []byte {
	guard := needsGuard(s)
	if !needsQuotes(s) {
		if guard {
			b = append(b, '\'')
		}
		return append(b, s...)
	}
	b = append(b, '"')
	if guard {
		b = append(b, '\'')
	}
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
		if endsCell(s[i]) && needsGuardWithin(s[i+1:]) {
			b = append(b, '\'')
		}
	}
	return append(b, '"')
}

// AppendText appends a text as every csv file has it: quoted where a reader could take a part of it for the end of a cell, and guarded
// where a spreadsheet would run it as a formula.
func AppendText(b []byte, s string) []byte { return appendQuoted(b, s) }

// AppendHash appends the row_hash of the text of a row without it.
func AppendHash(b, text []byte) []byte { return appendHash(b, text) }

func needsQuotes(s string) bool {
	for i := range len(s) {
		if s[i] == '"' || endsCell(s[i]) {
			return true
		}
	}
	return false
}

// endsCell says whether a character ends a cell for a reader of some separator, or a line.
func endsCell(c byte) bool { return c == ';' || c == ',' || c == '\t' || c == '\n' || c == '\r' }

// needsGuard says whether an apostrophe goes before a text: it may be run as a formula, or looks as if it had been guarded.
func needsGuard(s string) bool { return startsFormula(strings.TrimLeft(s, "'")) }

// needsGuardWithin is needsGuard for what follows the end of a cell: a reader may drop a quote before a formula.
func needsGuardWithin(s string) bool { return startsFormula(strings.TrimLeft(s, `'"`)) }

// formulaStarts are what a spreadsheet evaluates a text for, and what it passes over before it looks: control characters and
// characters without width.
var formulaStarts = []string{
	"=", "+", "-", "@", "\t", "\r", "\n", "\v", "\f", "\uff1d", "\uff0b", "\uff0d", "\uff20",
	"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff",
}

// startsFormula reports whether a spreadsheet may evaluate the text as a formula.
func startsFormula(s string) bool {
	return s != "" && (s[0] < '0' || s[0] == '=' || s[0] == '@' || s[0] >= 0x80) &&
		slices.ContainsFunc(formulaStarts, func(start string) bool { return strings.HasPrefix(s, start) })
}

// withoutGuards is a text as it was before appendQuoted put apostrophes into it.
func withoutGuards(s string) string {
	if strings.IndexByte(s, '\'') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		guard := s[i] == '\'' && (i == 0 && needsGuard(s[1:]) || i > 0 && endsCell(s[i-1]) && needsGuardWithin(s[i+1:]))
		if !guard {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// CSVWriter writes one table as csv and counts and adds up what it writes. A row is encoded, then written: its text may be
// digested and spelled otherwise in between.
type CSVWriter struct {
	Counter Counter // of the rows written

	w      *bufio.Writer
	rows   *rowEncoder
	hash   []byte // of the row encoded last; empty: not computed yet
	placed []byte // the line of a row whose hash is between its cells
}

// NewCSVWriter writes the header line.
func NewCSVWriter(w io.Writer, t *Table) (*CSVWriter, error) {
	c := &CSVWriter{Counter: NewCounter(t), w: bufio.NewWriterSize(w, 1<<16), rows: newRowEncoder(t)}
	_, err := c.w.Write(appendHeader(nil, t))
	return c, err
}

func appendHeader(b []byte, t *Table) []byte {
	for i := range t.Columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.Columns[t.columnAt(i)].ID...)
	}
	return append(b, '\n')
}

// Encode returns the text of a row without its hash, valid until the next row. A row that does not fit the columns, or has
// a number with more decimals than its column, is an error.
func (c *CSVWriter) Encode(row Row) ([]byte, error) {
	c.hash = c.hash[:0]
	return c.rows.encodeRow(row)
}

// Hash returns the row_hash of the text that Encode made last, valid until the next row.
func (c *CSVWriter) Hash(text []byte) []byte {
	if len(c.hash) == 0 {
		c.hash = appendHash(c.hash, text)
	}
	return c.hash
}

// Write writes a row by the text that Encode made of it last, and counts it.
func (c *CSVWriter) Write(text []byte, row Row) error {
	t := c.Counter.Table
	hash := c.Hash(text)
	line := append(append(append(text, ','), hash...), '\n')
	if t.hashPosition() < t.Width() {
		c.placed = appendLine(c.placed[:0], t, row, text, hash)
		line = c.placed
	}
	if _, err := c.w.Write(line); err != nil {
		return err
	}
	return c.Counter.Add(row)
}

// appendHash appends the row_hash of that text.
func appendHash(b, text []byte) []byte {
	sum := sha256.Sum256(text)
	return hex.AppendEncode(b, sum[:hashDigits/2])
}

// Flush writes what is still buffered; the caller closes the file.
func (c *CSVWriter) Flush() error { return c.w.Flush() }
