package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
)

// Digester makes the content digest of one table: its id, layout and canonical rows, then its totals. Columns that are
// Undigested are left out of the rows.
type Digester struct {
	Counter Counter // of the rows so far

	h    hash.Hash
	line []byte
}

// NewDigester is a digester of no rows yet.
func NewDigester(t *Table) *Digester {
	d := &Digester{Counter: NewCounter(t), h: sha256.New(), line: make([]byte, 0, 1024)}
	fmt.Fprintf(d.h, "%s %d\n", t.ID, t.Layout)
	return d
}

// Add takes a row.
func (d *Digester) Add(row Row) error {
	line, err := appendCSVRow(d.line[:0], d.Counter.Table, row, true)
	if err != nil {
		return err
	}
	d.line = line
	return d.AddText(line, row)
}

// AddText takes a row whose canonical text is known: its csv text, when no column is Undigested.
func (d *Digester) AddText(text []byte, row Row) error {
	d.h.Write(text)
	d.h.Write(lineEnd)
	return d.Counter.Add(row)
}

var lineEnd = []byte{'\n'}

// Sum is the SHA-256 in hex, asked for once and after the last row.
func (d *Digester) Sum() string {
	b := strconv.AppendInt([]byte("rows "), d.Counter.Rows, 10)
	for i := range d.Counter.Printed {
		if c := &d.Counter.Table.Columns[i]; c.Type.Numeric() {
			b = append(append(append(b, ' '), c.ID...), '=')
			b = c.AppendSum(b, d.Counter.Printed[i])
		}
	}
	d.h.Write(append(b, '\n'))
	return hex.EncodeToString(d.h.Sum(nil))
}
