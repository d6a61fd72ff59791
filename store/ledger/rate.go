package ledger

import "github.com/shopspring/decimal"

// Rate is a rate in millionths of the number as the service spells it: 2.34 is 2 340 000. Whether that is a percentage
// or a fraction is decided by the profile.
type Rate int64

const (
	// RateScale is the rate that is spelled 1.
	RateScale = 1_000_000
	// MaxRate is the largest rate that is parsed, positive or negative.
	MaxRate Rate = 1_000_000 * RateScale
)

// Unit says what the number of a rate means.
type Unit int64

// The two readings of a rate's unit. The zero Unit is not one of them.
const (
	Percent  Unit = 100 // 2.34 means 2.34 %
	Fraction Unit = 1   // 0.0234 means 2.34 %
)

// ParseRate reads a decimal number as JSON spells it, with at most six decimals that are not zero.
func ParseRate(s string) (Rate, error) {
	v, err := parseFixed(s, 6, int64(MaxRate))
	return Rate(v), err
}

// ExactRate is the rate a decimal number stands for. One that has more than six decimals that are not zero, or lies beyond
// MaxRate, is an error: nothing is rounded.
func ExactRate(number decimal.Decimal) (Rate, error) {
	v, err := exactly(number, 6, int64(MaxRate))
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

// Of returns the rate's share of a in whole cents: rd2(a × r ÷ u).
func (r Rate) Of(a Amount, u Unit, round Rounding) (Amount, error) {
	return a.MulDiv(int64(r), RateScale*int64(u), round)
}
