package export

import (
	"math"
	"math/bits"

	"concilia/store/ledger"
)

// money is a sum of printed cents with the sum of the exact amounts beside it. A sum that leaves its range is
// remembered and refused when it is asked for.
type money struct {
	printed, exact ledger.Amount
	overflow       bool
}

// add adds an amount, rounded to cents here.
func (m *money) add(a ledger.Amount) { m.addBoth(a.Rounded(ledger.HalfAwayFromZero), a) }

// addBoth adds an amount whose printed cents follow from other printed cents.
func (m *money) addBoth(printed, exact ledger.Amount) {
	p, ok := addChecked(int64(m.printed), int64(printed))
	x, okExact := addChecked(int64(m.exact), int64(exact))
	if !ok || !okExact {
		m.overflow = true
		return
	}
	m.printed, m.exact = ledger.Amount(p), ledger.Amount(x)
}

func (m *money) err() error {
	if m.overflow {
		return ledger.ErrOverflow
	}
	return nil
}

func (m money) cell() Cell { return Total(m.printed, m.exact) }

// percentOf is part ÷ whole in millionths of a percent, rounded to four decimals; absent when whole is 0.
func percentOf(part, whole ledger.Amount) Cell {
	if whole == 0 {
		return Cell{}
	}
	return Cell{N: divide(int64(part), 1_000_000, int64(whole)) * 100, Type: TypeRate, OK: true}
}

// divide is a × mul ÷ div from the exact 128-bit product, rounded half away from zero. A quotient beyond int64,
// which no share of two totals reaches, is its greatest value.
func divide(a, mul, div int64) int64 {
	neg := (a < 0) != (div < 0)
	hi, lo := bits.Mul64(absolute(a), absolute(mul))
	d := absolute(div)
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

func absolute(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}
