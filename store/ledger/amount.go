package ledger

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Amount is money in ten-thousandths of a real; BRL is the only currency. It may be negative.
type Amount int64

const (
	// Cent is one hundredth of a real.
	Cent Amount = 100
	// Real is one real.
	Real Amount = 10_000
	// MaxAmount is the largest amount that is parsed, positive or negative: a trillion reais. Hundreds of such amounts
	// add up without overflow, so the arithmetic within one record needs no check; totals over many use Add.
	MaxAmount Amount = 1_000_000_000_000 * Real
)

// Rounding is a way to round an exact value to whole cents.
type Rounding uint8

// HalfAwayFromZero rounds to the nearest cent, and ties away from zero, for negative values too: 0.005 becomes 0.01 and
// -0.005 becomes -0.01. It is the only rounding of the project.
const HalfAwayFromZero Rounding = iota

// ErrOverflow means that an amount is outside the range of its type.
var ErrOverflow = errors.New("amount overflows")

// ParseAmount reads a decimal number as JSON spells it, exponents included, with at most four decimals that are
// not zero. A number that does not fit exactly, or lies beyond MaxAmount, is an error.
func ParseAmount(s string) (Amount, error) {
	v, err := parseFixed(s, 4, int64(MaxAmount))
	return Amount(v), err
}

// ExactAmount is the amount a decimal number of reais stands for. One that has more than four decimals that are not zero,
// or lies beyond MaxAmount, is an error: nothing is rounded.
func ExactAmount(reais decimal.Decimal) (Amount, error) {
	v, err := exactly(reais, 4, int64(MaxAmount))
	return Amount(v), err
}

// String prints two decimals, and up to four only where they are needed: -0.10, 33.3333.
func (a Amount) String() string {
	switch {
	case a%Cent == 0:
		return a.Fixed(2)
	case a%10 == 0:
		return a.Fixed(3)
	default:
		return a.Fixed(4)
	}
}

// Fixed prints the amount with exactly places decimals, 0 to 4. Digits beyond them are cut, so round first.
func (a Amount) Fixed(places int) string {
	return string(a.Append(make([]byte, 0, 24), places))
}

// Append appends what Fixed prints to b.
func (a Amount) Append(b []byte, places int) []byte { return appendFixed(b, int64(a), 4, places) }

// Rounded returns the amount in whole cents.
func (a Amount) Rounded(r Rounding) Amount { return Amount(a.Cents(r)) * Cent }

// Cents returns the number of cents after rounding.
func (a Amount) Cents(Rounding) int64 {
	c, rest := int64(a/Cent), a%Cent
	switch {
	case rest >= Cent/2:
		return c + 1
	case rest <= -Cent/2:
		return c - 1
	}
	return c
}

// ExactCents returns the number of cents of an amount that is whole cents already, or an error.
func (a Amount) ExactCents() (int64, error) {
	if a%Cent != 0 {
		return 0, fmt.Errorf("%s is not whole cents", a)
	}
	return int64(a / Cent), nil
}

// FromCents is the amount of that many cents.
func FromCents(c int64) Amount { return Amount(c) * Cent }

// Abs is the amount without its sign.
func (a Amount) Abs() Amount {
	if a < 0 {
		return -a
	}
	return a
}

// Add returns a + b, or ErrOverflow. Totals over an unbounded number of rows use it.
func (a Amount) Add(b Amount) (Amount, error) {
	s := a + b
	if (s > a) != (b > 0) && b != 0 {
		return 0, fmt.Errorf("%s + %s: %w", a, b, ErrOverflow)
	}
	return s, nil
}

// MulDiv returns a × mul ÷ div as whole cents, rounded once from the exact 128-bit product. div must be
// positive. A rate in percent m of a is a.MulDiv(int64(m), RateScale*100, HalfAwayFromZero).
func (a Amount) MulDiv(mul, div int64, r Rounding) (Amount, error) {
	if div <= 0 {
		return 0, fmt.Errorf("%s × %d ÷ %d: the divisor must be positive", a, mul, div)
	}
	neg := (a < 0) != (mul < 0)
	hi, lo := bits.Mul64(magnitude(int64(a)), magnitude(mul))
	// The product is in ten-thousandths; cents are a hundred times larger.
	dhi, d := bits.Mul64(uint64(div), uint64(Cent))
	if dhi != 0 || hi >= d {
		return 0, fmt.Errorf("%s × %d ÷ %d: %w", a, mul, div, ErrOverflow)
	}
	q, rest := bits.Div64(hi, lo, d)
	if rest >= d-rest {
		q++
	}
	if q > uint64(MaxAmount) {
		return 0, fmt.Errorf("%s × %d ÷ %d: %w", a, mul, div, ErrOverflow)
	}
	cents := int64(q)
	if neg {
		cents = -cents
	}
	return FromCents(cents), nil
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}
