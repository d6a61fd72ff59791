package ledger

import (
	"errors"
	"fmt"
	"math/big"
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

// ParseAmount reads a decimal number in JSON syntax, exponents included, with at most four decimals that are
// not zero. A number that does not fit exactly, or lies beyond MaxAmount, is an error.
func ParseAmount(s string) (Amount, error) {
	v, err := parseFixed(s, 4, int64(MaxAmount))
	return Amount(v), err
}

// ExactAmount converts a decimal number of reais to an amount. One that has more than four decimals that are not zero,
// or lies beyond MaxAmount, is an error: nothing is rounded.
func ExactAmount(reais decimal.Decimal) (Amount, error) {
	v, err := scaleExactly(reais, 4, int64(MaxAmount))
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

// FromCents returns the amount of c cents.
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
	hi, lo := bits.Mul64(absUint64(int64(a)), absUint64(mul))
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

func absUint64(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}

// Rate is a rate in millionths of the number that the service sends: 2.34 is 2 340 000. The profile decides whether that
// is a percentage or a fraction.
type Rate int64

const (
	// RateScale is the rate 1.
	RateScale = 1_000_000
	// MaxRate is the largest rate that is parsed, positive or negative.
	MaxRate Rate = 1_000_000 * RateScale
)

// Unit is what the number of a rate means.
type Unit int64

// The two units of a rate. The zero Unit is invalid.
const (
	Percent  Unit = 100 // 2.34 means 2.34 %
	Fraction Unit = 1   // 0.0234 means 2.34 %
)

// ParseRate reads a decimal number in JSON syntax, with at most six decimals that are not zero.
func ParseRate(s string) (Rate, error) {
	v, err := parseFixed(s, 6, int64(MaxRate))
	return Rate(v), err
}

// ExactRate converts a decimal number to a rate. One that has more than six decimals that are not zero, or lies beyond
// MaxRate, is an error: nothing is rounded.
func ExactRate(number decimal.Decimal) (Rate, error) {
	v, err := scaleExactly(number, 6, int64(MaxRate))
	return Rate(v), err
}

// String prints at least four decimals, and up to six where they are needed: 2.3400.
func (r Rate) String() string {
	switch {
	case r%100 == 0:
		return r.Fixed(4)
	case r%10 == 0:
		return r.Fixed(5)
	default:
		return r.Fixed(6)
	}
}

// Fixed prints the rate with exactly places decimals; digits beyond them are cut.
func (r Rate) Fixed(places int) string { return string(appendFixed(nil, int64(r), 6, places)) }

// Percent returns the rate as a number of percent whatever its unit.
func (r Rate) Percent(u Unit) Rate {
	if u == Fraction {
		return r * 100
	}
	return r
}

// Abs is the rate without its sign.
func (r Rate) Abs() Rate {
	if r < 0 {
		return -r
	}
	return r
}

// ShareOf returns the rate's share of a in whole cents: rd2(a × r ÷ u).
func (r Rate) ShareOf(a Amount, u Unit, round Rounding) (Amount, error) {
	return a.MulDiv(int64(r), RateScale*int64(u), round)
}

// Opt is an optional value: absent if it was null, an empty string, or not sent. The zero Opt is absent.
type Opt[T any] struct {
	V  T
	OK bool // false: absent, and V is the zero value
}

// Some is a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, OK: true} }

// Or returns the value, or def when it is absent.
func (o Opt[T]) Or(def T) T {
	if o.OK {
		return o.V
	}
	return def
}

// PercentOf is what part of whole the amount is, in percent with four decimals, half away from zero; absent when whole is 0.
func (a Amount) PercentOf(whole Amount) Opt[Rate] {
	if whole == 0 {
		return Opt[Rate]{}
	}
	const tenThousandths = 100 * 10_000
	twice := new(big.Int).Mul(big.NewInt(int64(a.Abs())), big.NewInt(2*tenThousandths))
	quotient := twice.Add(twice, big.NewInt(int64(whole.Abs()))).Quo(twice, big.NewInt(2*int64(whole.Abs())))
	if !quotient.IsInt64() || quotient.Int64() > int64(MaxRate)/100 {
		return Opt[Rate]{}
	}
	rate := Rate(quotient.Int64() * 100)
	if (a < 0) != (whole < 0) {
		rate = -rate
	}
	return Some(rate)
}
