package world_test

import (
	"slices"
	"testing"

	"concilia/cmd/sandbox/world"
)

// TestNoDayStandsOut holds what a worker's volume alarm would: no day is further from the median of its
// eight earlier same weekdays than five times their median deviation, taken as at least 10 % or five rows.
func TestNoDayStandsOut(t *testing.T) {
	t.Parallel()
	for _, o := range []world.Options{{Seed: 1, Days: 150, Plant: true}, {Seed: 2, Days: 90, Installments: 9000, Plant: true}} {
		w := draw(t, o)
		for _, a := range w.Accounts() {
			rows, gross := map[world.Date]int64{}, map[world.Date]int64{}
			for i := range w.Installments(a.Number, 1, w.AsOf()) {
				d := world.DateOf(i.Moment)
				rows[d]++
				gross[d] += int64(i.Gross)
			}
			first := w.AsOf() - world.Date(o.Days)
			for d := first + 8*7; d < w.AsOf(); d++ {
				outside(t, "rows", d, rows, 5)
				outside(t, "gross", d, gross, 0)
			}
		}
	}
}

func outside(t *testing.T, what string, d world.Date, of map[world.Date]int64, least int64) {
	t.Helper()
	var earlier, off []int64
	for i := world.Date(1); i <= 8; i++ {
		earlier = append(earlier, of[d-7*i])
	}
	middle := median(earlier)
	for _, x := range earlier {
		off = append(off, max(x-middle, middle-x))
	}
	spread := max(median(off), middle/10, least)
	if x := of[d]; max(x-middle, middle-x) > 5*spread {
		t.Errorf("%s of %s: %d, median %d, spread %d", what, d, x, middle, spread)
	}
}

func median(of []int64) int64 {
	s := slices.Sorted(slices.Values(of))
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}
