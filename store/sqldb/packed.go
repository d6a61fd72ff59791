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
	row    []byte
	values []int    // where each begins in the row
	last   []string // of each column: rows often repeat the one before
}

var errPackedRow = errors.New("a packed row is broken off")

// Open begins a row, whose bytes are not to change as long as it is read.
func (f *PackedFields) Open(row []byte) error {
	f.row, f.values = row, f.values[:0]
	for at := 0; at < len(row); {
		f.values = append(f.values, at)
		kind := row[at]
		at++
		switch kind {
		case packedNull:
		case packedInt:
			_, size := binary.Varint(row[at:])
			if size <= 0 {
				return errPackedRow
			}
			at += size
		case packedBytes:
			n, size := binary.Uvarint(row[at:])
			if size <= 0 || n > uint64(len(row)-at-size) {
				return errPackedRow
			}
			at += size + int(n)
		default:
			return fmt.Errorf("a packed value of kind %d", kind)
		}
	}
	for len(f.last) < len(f.values) {
		f.last = append(f.last, "")
	}
	return nil
}

// bytesOf returns the bytes of a value, none of one that has none.
func (f *PackedFields) bytesOf(i int) []byte {
	at := f.values[i]
	if f.row[at] != packedBytes {
		return nil
	}
	n, size := binary.Uvarint(f.row[at+1:])
	at += 1 + size
	return f.row[at : at+int(n)]
}

// Int, Text, Null and Bytes are methods of Fields.
func (f *PackedFields) Int(i int) int64 {
	at := f.values[i]
	if f.row[at] != packedInt {
		return 0
	}
	n, _ := binary.Varint(f.row[at+1:])
	return n
}

func (f *PackedFields) Text(i int) string {
	if v := f.bytesOf(i); string(v) != f.last[i] {
		f.last[i] = string(v)
	}
	return f.last[i]
}

func (f *PackedFields) Null(i int) bool { return f.row[f.values[i]] == packedNull }

func (f *PackedFields) Bytes(i int, into []byte) error {
	v := f.bytesOf(i)
	if len(v) != len(into) {
		return fmt.Errorf("column %d: %d bytes instead of %d", i+1, len(v), len(into))
	}
	copy(into, v)
	return nil
}
