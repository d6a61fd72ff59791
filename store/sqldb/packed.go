package sqldb

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// PackedRow packs the values of a row into few bytes, which PackedFields reads again. It is the Row that they are given to.
type PackedRow struct{ b []byte }

// What a packed value begins with: NULL has nothing else, a number is a varint, and bytes have their length before them.
const (
	packedNull = iota
	packedInt
	packedBytes
)

// Reset begins a row. It overwrites the bytes of the one before.
func (p *PackedRow) Reset() { p.b = p.b[:0] }

// Packed returns the values of the row, until Reset.
func (p *PackedRow) Packed() []byte { return p.b }

// Int, Text, Bytes and Null set the next value: they are methods of Row.
func (p *PackedRow) Int(v int64) { p.b = binary.AppendVarint(append(p.b, packedInt), v) }

func (p *PackedRow) Text(v string) {
	p.b = append(binary.AppendUvarint(append(p.b, packedBytes), uint64(len(v))), v...)
}

func (p *PackedRow) Bytes(v []byte) {
	p.b = append(binary.AppendUvarint(append(p.b, packedBytes), uint64(len(v))), v...)
}

func (p *PackedRow) Null() { p.b = append(p.b, packedNull) }

// PackedFields gives the values of a packed row. One may open row after row.
type PackedFields struct {
	values []packedValue
	last   []string // of each column: rows often repeat the one before
}

type packedValue struct {
	kind   byte
	number int64
	bytes  []byte
}

var errPackedRow = errors.New("a packed row is broken off")

// Open begins a row, whose bytes are not to change as long as it is read.
func (f *PackedFields) Open(row []byte) error {
	f.values = f.values[:0]
	for len(row) > 0 {
		v := packedValue{kind: row[0]}
		row = row[1:]
		switch v.kind {
		case packedNull:
		case packedInt:
			n, size := binary.Varint(row)
			if size <= 0 {
				return errPackedRow
			}
			v.number, row = n, row[size:]
		case packedBytes:
			n, size := binary.Uvarint(row)
			if size <= 0 || n > uint64(len(row)-size) {
				return errPackedRow
			}
			v.bytes, row = row[size:size+int(n)], row[size+int(n):]
		default:
			return fmt.Errorf("a packed value of kind %d", v.kind)
		}
		f.values = append(f.values, v)
	}
	for len(f.last) < len(f.values) {
		f.last = append(f.last, "")
	}
	return nil
}

// Int, Text, Null and Bytes are methods of Fields.
func (f *PackedFields) Int(i int) int64 { return f.values[i].number }

func (f *PackedFields) Text(i int) string {
	if v := f.values[i].bytes; string(v) != f.last[i] {
		f.last[i] = string(v)
	}
	return f.last[i]
}

func (f *PackedFields) Null(i int) bool { return f.values[i].kind == packedNull }

func (f *PackedFields) Bytes(i int, into []byte) error {
	v := f.values[i].bytes
	if len(v) != len(into) {
		return fmt.Errorf("column %d: %d bytes instead of %d", i+1, len(v), len(into))
	}
	copy(into, v)
	return nil
}
