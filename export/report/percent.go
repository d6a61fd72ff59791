package report

import (
	"math"
	"math/bits"

	"concilia/export/table"
	"concilia/store/ledger"
)

// percentOf is part ÷ whole in millionths of a percent, rounded to four decimals; absent when whole is 0. One beyond ledger.MaxRate, which
// means nothing any more, is that limit: files with a greater one could not be read back.
func percentOf(part, whole ledger.Amount) table.Cell {
	if whole == 0 {
		return table.Cell{}
	}
	const limit = int64(ledger.MaxRate) / 100
	n := min(max(divideRounded(int64(part), 1_000_000, int64(whole)), -limit), limit)
	return table.Cell{N: n * 100, Type: table.TypeRate, OK: true}
}

// divideRounded is a × mul ÷ div from the exact 128-bit product, rounded half away from zero. It is never beyond math.MaxInt64 / 100 in
// either direction, so that a caller may scale it by 100.
func divideRounded(a, mul, div int64) int64 {
	sign := int64(1)
	if (a < 0) != (div < 0) {
		sign = -1
	}
	hi, lo := bits.Mul64(magnitudeOf(a), magnitudeOf(mul))
	d := magnitudeOf(div)
	if hi >= d {
		return sign * (math.MaxInt64 / 100)
	}
	q, rest := bits.Div64(hi, lo, d)
	if rest >= d-rest {
		q++
	}
	return sign * int64(min(q, math.MaxInt64/100))
}

func magnitudeOf(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}
