package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
)

// digester makes the content digest of one table: its id, layout and canonical rows, then its totals.
type digester struct {
	table *Table
	h     hash.Hash
	line  []byte
	sums  counter
}

func newDigester(t *Table) *digester {
	d := &digester{table: t, h: sha256.New(), line: make([]byte, 0, 1024), sums: newCounter(t)}
	fmt.Fprintf(d.h, "%s %d\n", t.ID, t.Layout)
	return d
}

func (d *digester) add(row Row) error {
	row = d.table.fit(row)
	line, err := appendCSVRow(d.line[:0], d.table, row, true)
	if err != nil {
		return err
	}
	d.line = line
	return d.addText(line, row)
}

// addText takes a row whose canonical text is known: its csv text, when no column is left out of digests.
func (d *digester) addText(text []byte, row Row) error {
	d.h.Write(text)
	d.h.Write(lineEnd)
	return d.sums.add(row)
}

var lineEnd = []byte{'\n'}

func (d *digester) sum() string {
	b := strconv.AppendInt([]byte("rows "), d.sums.rows, 10)
	for i := range d.sums.printed {
		if c := &d.table.Columns[i]; c.Type.Numeric() {
			b = append(append(append(b, ' '), c.ID...), '=')
			b = c.appendSum(b, d.sums.printed[i])
		}
	}
	d.h.Write(append(b, '\n'))
	return hex.EncodeToString(d.h.Sum(nil))
}

// digestOf is the SHA-256 of named parts, in order of their names.
func digestOf(parts map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(h, "%q %q\n", k, parts[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}
