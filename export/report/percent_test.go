package report

import (
	"math"
	"testing"

	"concilia/store/ledger"
)

// A share has four decimals, and is never more than a file can say: a cent of gross with a hundred reais of charges was written, and the set
// refused when it was read back.
func TestPercentOf(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		says        string
		part, whole ledger.Amount
		want        string
	}{
		{"a share", 2_3400, 100_0000, "2.340000"},
		{"half of the last decimal goes away from zero", 1, 2_000_000, "0.000100"},
		{"the same below zero", -1, 2_000_000, "-0.000100"},
		{"both negative", -2_3400, -100_0000, "2.340000"},
		{"just what a file can say", 100_0000, 100, "1000000.000000"},
		{"more than that", -100_0100, 100, "-1000000.000000"},
		{"more than 64 bits hold", math.MaxInt64, -1, "-1000000.000000"},
		{"the least amount", math.MinInt64, 1, "-1000000.000000"},
	} {
		cell := percentOf(x.part, x.whole)
		if got := ledger.Rate(cell.N).Fixed(6); !cell.OK || got != x.want {
			t.Errorf("%s: %s, want %s", x.says, got, x.want)
		}
	}
	if cell := percentOf(1, 0); cell.OK {
		t.Errorf("a share of nothing is %d", cell.N)
	}
}
