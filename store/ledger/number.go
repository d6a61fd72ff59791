package ledger

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"
)

// parseFixed reads a JSON number into an integer of 10^-scale, exactly, with |v| <= limit.
func parseFixed(s string, scale int, limit int64) (int64, error) {
	p := numberParser{text: s}
	if err := p.scanNumber(); err != nil {
		return 0, err
	}
	v, err := p.toScaled(scale, limit)
	if err != nil {
		return 0, err
	}
	return v, nil
}

// scaleExactly returns a decimal as an integer of 10^-scale, with |v| <= limit. It checks the number of digits first, so that
// a large exponent never makes a long number.
func scaleExactly(d decimal.Decimal, scale int32, limit int64) (int64, error) {
	digits, shift := int64(d.NumDigits()), int64(d.Exponent())+int64(scale)
	switch {
	case d.IsZero():
		return 0, nil
	case shift < 0 && -shift >= digits:
		return 0, DecimalsError(scale)
	case digits+shift > 19:
		return 0, beyondError(limit, scale)
	}
	scaled := d.Shift(scale)
	if !scaled.IsInteger() {
		return 0, DecimalsError(scale)
	}
	whole := scaled.BigInt()
	if !whole.IsInt64() || whole.Int64() > limit || whole.Int64() < -limit {
		return 0, beyondError(limit, scale)
	}
	return whole.Int64(), nil
}

// DecimalsError is how many decimals a type holds of a number that has more.
type DecimalsError int

func (e DecimalsError) Error() string { return fmt.Sprintf("more than %d decimals", int(e)) }

func beyondError(limit int64, scale int32) error {
	return fmt.Errorf("beyond %s", appendFixed(nil, limit, int(scale), 0))
}

// numberParser splits a JSON number into sign, digits and exponent.
type numberParser struct {
	text   string
	neg    bool
	digits []byte // without leading zeros
	exp    int    // the value is digits × 10^exp
}

// maxNumberText bounds the text of a number in bytes; no real amount needs more.
const maxNumberText = 64

func (p *numberParser) scanNumber() error {
	s := p.text
	bad := func(why string) error { return fmt.Errorf("%.40q: %s", p.text, why) }
	if len(s) == 0 {
		return errors.New("empty: not a number")
	}
	if len(s) > maxNumberText {
		return bad("too long for a number")
	}
	i := 0
	if s[0] == '-' {
		p.neg = true
		i++
	}
	whole := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == whole || (s[whole] == '0' && i > whole+1) {
		return bad("not a number")
	}
	digits := append(make([]byte, 0, len(s)), s[whole:i]...)
	if i < len(s) && s[i] == '.' {
		i++
		frac := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == frac {
			return bad("not a number")
		}
		digits = append(digits, s[frac:i]...)
		p.exp = frac - i
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e < -1000 || e > 1000 {
			return bad("not a number")
		}
		p.exp += e
		i = len(s)
	}
	if i != len(s) {
		return bad("not a number")
	}
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	p.digits = digits
	return nil
}

func (p *numberParser) toScaled(scale int, limit int64) (int64, error) {
	digits, shift := p.digits, p.exp+scale
	for shift < 0 && len(digits) > 0 {
		if digits[len(digits)-1] != '0' {
			return 0, fmt.Errorf("%.40q: more than %d decimals", p.text, scale)
		}
		digits = digits[:len(digits)-1]
		shift++
	}
	if len(digits) == 0 {
		return 0, nil
	}
	if len(digits)+shift > 19 {
		return 0, fmt.Errorf("%.40q: beyond %s", p.text, string(appendFixed(nil, limit, scale, 0)))
	}
	var v uint64
	for _, d := range digits {
		v = v*10 + uint64(d-'0')
	}
	for range shift {
		v *= 10
	}
	if v > uint64(limit) {
		return 0, fmt.Errorf("%.40q: beyond %s", p.text, string(appendFixed(nil, limit, scale, 0)))
	}
	if p.neg {
		return -int64(v), nil
	}
	return int64(v), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// appendFixed prints an integer of 10^-scale with places decimals; digits beyond places are cut, digits the
// scale does not hold are zeros.
func appendFixed(b []byte, v int64, scale, places int) []byte {
	u := absUint64(v)
	cut := min(places, scale)
	for range scale - cut {
		u /= 10
	}
	if v < 0 && u != 0 {
		b = append(b, '-')
	}
	unit := uint64(1)
	for range cut {
		unit *= 10
	}
	b = strconv.AppendUint(b, u/unit, 10)
	if places == 0 {
		return b
	}
	b = append(b, '.')
	for range places {
		b = append(b, '0')
	}
	rest, last := u%unit, len(b)-1-(places-cut)
	for i := range cut {
		b[last-i] = byte('0' + rest%10)
		rest /= 10
	}
	return b
}

// CountText names a number of things: 1 set, 15 sets.
func CountText[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(int64(n), 10) + " " + many
}
