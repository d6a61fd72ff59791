package report

import (
	"math"
	"math/bits"

	"concilia/export/table"
	"concilia/store/ledger"
)

// percentOf is part ÷ whole in millionths of a percent, rounded to four decimals; absent when whole is 0.
func percentOf(part, whole ledger.Amount) table.Cell {
	if whole == 0 {
		return table.Cell{}
	}
	return table.Cell{N: divideRounded(int64(part), 1_000_000, int64(whole)) * 100, Type: table.TypeRate, OK: true}
}

// divideRounded is a × mul ÷ div from the exact 128-bit product, rounded half away from zero. A quotient beyond int64,
// which no share of two totals reaches, is its greatest value.
func divideRounded(a, mul, div int64) int64 {
	neg := (a < 0) != (div < 0)
	hi, lo := bits.Mul64(magnitudeOf(a), magnitudeOf(mul))
	d := magnitudeOf(div)
	if hi >= d {
		return math.MaxInt64
	}
	q, rest := bits.Div64(hi, lo, d)
	if rest >= d-rest {
		q++
	}
	if q > math.MaxInt64/1000 {
		return math.MaxInt64 / 1000
	}
	if neg {
		return -int64(q)
	}
	return int64(q)
}

func magnitudeOf(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}
