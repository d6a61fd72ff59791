package table

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"

	"concilia/store/ledger"
)

// hashDigits is how many hex digits of a row's SHA-256 stand in its row_hash.
const hashDigits = 16

// appendCSVRow appends the cells in column order, without hash and line end. A digest skips what is assigned at
// emission.
func appendCSVRow(b []byte, t *Table, row Row, digest bool) ([]byte, error) {
	if len(row) != t.Width() {
		return b, fmt.Errorf("table %s: a row of %d cells, should be %d", t.ID, len(row), t.Width())
	}
	for i := range row {
		c, cell := &t.Columns[i], &row[i]
		if i > 0 {
			b = append(b, ',')
		}
		if digest && c.Undigested {
			continue
		}
		if !cell.OK {
			if c.Null == "" && c.Type.Numeric() {
				return b, fmt.Errorf("table %s: column %s is absent and may never be", t.ID, c.ID)
			}
			continue
		}
		if err := c.checkCell(cell); err != nil {
			return b, fmt.Errorf("table %s: %w", t.ID, err)
		}
		b = appendCell(b, c, cell)
	}
	return b, nil
}

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
	return appendQuoted(b, cell.S, ',')
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

// appendQuoted quotes as RFC 4180 asks, and puts an apostrophe before what a spreadsheet would run as a formula.
func appendQuoted(b []byte, s string, separator byte) []byte {
	danger := startsFormula(s)
	quote := false
	for i := range len(s) {
		if s[i] == separator || s[i] == '"' || s[i] == '\n' || s[i] == '\r' {
			quote = true
			break
		}
	}
	if quote {
		b = append(b, '"')
	}
	if danger {
		b = append(b, '\'')
	}
	if !quote {
		return append(b, s...)
	}
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// startsFormula says whether a spreadsheet would take the text for more than text.
func startsFormula(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r':
		return true
	}
	return false
}

// CSVWriter writes one table as csv and counts and adds up what it writes. A row is encoded, then written: its text may be
// digested and spelled otherwise in between.
type CSVWriter struct {
	Counter Counter // of the rows written

	w      *bufio.Writer
	line   []byte
	placed []byte // the line of a row whose hash stands between its cells
}

// NewCSVWriter writes the header line.
func NewCSVWriter(w io.Writer, t *Table) (*CSVWriter, error) {
	c := &CSVWriter{Counter: NewCounter(t), w: bufio.NewWriterSize(w, 1<<16), line: make([]byte, 0, 1024)}
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

// Encode is the text of a row without its hash; it holds until the next row. A row that does not fit the columns, or holds a
// number with more decimals than its column has, is an error.
func (c *CSVWriter) Encode(row Row) ([]byte, error) {
	text, err := appendCSVRow(c.line[:0], c.Counter.Table, row, false)
	c.line = text
	return text, err
}

// Write writes a row by the text that Encode made of it last, and counts it.
func (c *CSVWriter) Write(text []byte, row Row) error {
	t := c.Counter.Table
	line := append(appendHash(append(text, ','), text), '\n')
	if c.line = line; t.hashPosition() < t.Width() {
		c.placed = appendLine(c.placed[:0], t, row, text)
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
