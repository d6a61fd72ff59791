package sqldb

import (
	"math"
	"strings"
	"testing"
)

// TestPackedRow: a row comes back as it was packed, by one reader after another row, and one that is broken off is an error.
func TestPackedRow(t *testing.T) {
	t.Parallel()
	var p PackedRow
	fields := &PackedFields{}
	for _, text := range []string{"", "x", strings.Repeat("ção ", 100)} {
		p.Reset()
		p.Int(math.MinInt64)
		p.Text(text)
		p.Null()
		p.Bytes([]byte{0, 255})
		p.Int(0)
		p.Int(math.MaxInt64)
		row := p.Packed()
		if err := fields.Open(row); err != nil {
			t.Fatal(err)
		}
		var b [2]byte
		if err := fields.Bytes(3, b[:]); err != nil || b != [2]byte{0, 255} {
			t.Errorf("bytes come back as %v, %v", b, err)
		}
		if fields.Bytes(3, make([]byte, 3)) == nil {
			t.Error("two bytes were taken for three")
		}
		if fields.Int(0) != math.MinInt64 || fields.Text(1) != text || fields.Int(4) != 0 || fields.Int(5) != math.MaxInt64 {
			t.Errorf("come back: %d, %q, %d, %d", fields.Int(0), fields.Text(1), fields.Int(4), fields.Int(5))
		}
		if !fields.Null(2) || fields.Null(1) || fields.Null(4) {
			t.Error("what is absent and what is empty or zero come back as each other")
		}
		for i := range row {
			if err := fields.Open(row[:i]); err == nil && len(fields.values) == 6 {
				t.Errorf("%d of %d bytes are a row", i, len(row))
			}
		}
	}
	if fields.Open([]byte{9}) == nil {
		t.Error("a value of no kind was read")
	}
}
