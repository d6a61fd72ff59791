package xlsx

import (
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
