package world

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in ten-thousandths of a real. The client side has a type of its own on purpose.
type Money int64

// Rate is a percentage in ten-thousandths of a percent: 2.34 % is 23,400.
type Rate int64

// cent is one hundredth of a real.
const cent Money = 100

// Fixed prints the amount with exactly four decimals, as the card records do.
func (m Money) Fixed() string { return formatFixed4(int64(m)) }

// Fixed prints the rate with exactly four decimals of a percent.
func (r Rate) Fixed() string { return formatFixed4(int64(r)) }

// Cents prints the amount with exactly two decimals, as slips do. It panics on an amount finer than a
// cent: the world draws none for slips, so one is a bug here.
func (m Money) Cents() string {
	if m%cent != 0 {
		panic(fmt.Sprintf("world: %s is finer than a cent", m.Fixed()))
	}
	s := m.Fixed()
	return s[:len(s)-2]
}

func formatFixed4(v int64) string {
	b := make([]byte, 0, 24)
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	b = strconv.AppendInt(b, v/10000, 10)
	// 10000 + the fraction keeps its leading zeros; the 1 is overwritten by the dot.
	dot := len(b)
	b = strconv.AppendInt(b, 10000+v%10000, 10)
	b[dot] = '.'
	return string(b)
}

// ParseMoney reads a plain decimal with at most four decimals and no sign, up to 11 digits before the dot.
func ParseMoney(s string) (Money, error) {
	whole, frac, dotted := strings.Cut(s, ".")
	if whole == "" || len(whole) > 11 || len(frac) > 4 || dotted && frac == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return 0, fmt.Errorf("amount %q is not a plain decimal with at most four decimals", s)
	}
	v, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 4-len(frac)), 10, 64)
	return Money(v), err
}

// percentOf is amount × rate, rounded to cents half away from zero.
func percentOf(m Money, r Rate) Money { return percentOver(m, r, 1, 1) }

// percentOver is amount × rate × num/den, rounded once, to cents, half away from zero.
// Ten-thousandths times ten-thousandths of a percent over 10^6 are ten-thousandths; the last 100 makes cents.
func percentOver(m Money, r Rate, num, den int64) Money {
	return cent * Money(divHalfAway(int64(m)*int64(r)*num, 1_000_000*int64(cent)*den))
}

// divHalfAway divides, a tie going away from zero; den is positive.
func divHalfAway(num, den int64) int64 {
	if num < 0 {
		return -divHalfAway(-num, den)
	}
	return (num + den/2) / den
}
