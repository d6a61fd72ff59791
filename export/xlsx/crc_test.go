package xlsx

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

// TestCRCCombine combines the checksums of two pieces and compares with that of the whole.
func TestCRCCombine(t *testing.T) {
	t.Parallel()
	whole := []byte(strings.Repeat("parcela 1 de 12;", 5000))
	for _, cut := range []int{0, 1, 7, 64, 4096, 79999, len(whole)} {
		a, b := whole[:cut], whole[cut:]
		got := crcCombine(crc32.ChecksumIEEE(a), crc32.ChecksumIEEE(b), int64(len(b)))
		if want := crc32.ChecksumIEEE(whole); got != want {
			t.Errorf("cut at %d: %08x, want %08x", cut, got, want)
		}
	}
}

// TestCompressorReuse compresses pieces one after another with one compressor: each has the bytes that a new one makes of it.
func TestCompressorReuse(t *testing.T) {
	t.Parallel()
	var piece strings.Builder
	for i := range 40_000 { // more than the window of a compressor, and more than a block
		fmt.Fprintf(&piece, `<c r="A%d"><v>%d</v></c>`, i, i*7919%10_007)
	}
	whole := piece.String()
	reused := &Workbook{}
	for _, text := range []string{whole, "", "short", whole[:70_000], whole[1:], whole[500:600], whole} {
		for _, last := range []bool{false, true} {
			var got, want bytes.Buffer
			p, err := reused.compressPiece(&got, []byte(text), last)
			q, again := new(Workbook).compressPiece(&want, []byte(text), last)
			if err != nil || again != nil {
				t.Fatal(err, again)
			}
			if p != q || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%d bytes, last %t: %d bytes after other pieces, %d at first", len(text), last, got.Len(), want.Len())
			}
		}
	}
}

// TestColumnName names columns on both sides of each further letter.
func TestColumnName(t *testing.T) {
	t.Parallel()
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 16383: "XFD"} {
		if got := columnName(i); got != want {
			t.Errorf("column %d: %s, want %s", i, got, want)
		}
		if column, row, err := splitRef([]byte(want + "7")); column != i || row != 7 || err != nil {
			t.Errorf("%s7: column %d, row %d, %v", want, column, row, err)
		}
	}
}

// TestContinuation keeps names of further sheets within the limit.
func TestContinuation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		n    int
		want string
	}{
		{"Parcelas", 1, "Parcelas"},
		{"Parcelas", 2, "Parcelas (2)"},
		{"abcdefghijklmnopqrstuvwxyz12345", 12, "abcdefghijklmnopqrstuvwxyz (12)"},
		{"abcdefghijklmnopqrstuvwxy z2345", 2, "abcdefghijklmnopqrstuvwxy z (2)"},
	} {
		if got := continuationName(c.name, c.n); got != c.want || checkName(got) != nil {
			t.Errorf("%q, %d: %q, want %q", c.name, c.n, got, c.want)
		}
	}
}
