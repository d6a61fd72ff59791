package ledger_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"concilia/store/ledger"
)

func TestExactAmountAndRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why          string
		text         string
		amount, rate string // or what the error says
	}{
		{"two decimals fit both", "2.34", "2.34", "2.3400"},
		{"zeros behind lose nothing", "2.340000000", "2.34", "2.3400"},
		{"five decimals fit a rate alone", "0.00001", "more than 4 decimals", "0.00001"},
		{"seven fit neither", "0.0000001", "more than 4 decimals", "more than 6 decimals"},
		{"nothing is nothing, however small", "0e-999", "0.00", "0.0000"},
		{"minus zero is zero", "-0.000", "0.00", "0.0000"},
		{"a rate is smaller than an amount may be", "1000000000000", "1000000000000.00", "beyond 1000000"},
		{"the largest of both, and more", "1000000000000.0001", "beyond 1000000000000", "beyond 1000000"},
		{"below the smallest", "-1000000000000.0001", "beyond 1000000000000", "beyond 1000000"},
		{"the smallest", "-1000000000000", "-1000000000000.00", "beyond 1000000"},
		{"digits that wrap an int64", "1844674407370955.1617", "beyond 1000000000000", "beyond 1000000"},
	} {
		d := decimal.RequireFromString(c.text)
		a, err := ledger.ExactAmount(d)
		if got := a.String(); err != nil && err.Error() != c.amount || err == nil && got != c.amount {
			t.Errorf("%s: amount %s, %v; want %s", c.why, got, err, c.amount)
		}
		r, err := ledger.ExactRate(d)
		if got := r.String(); err != nil && err.Error() != c.rate || err == nil && got != c.rate {
			t.Errorf("%s: rate %s, %v; want %s", c.why, got, err, c.rate)
		}
	}
}

// A decimal made by a program may have an exponent that would fill the memory if its digits were written out.
func TestExactOfHugeExponents(t *testing.T) {
	t.Parallel()
	if _, err := ledger.ExactAmount(decimal.New(1, 2_000_000_000)); err == nil || !strings.Contains(err.Error(), "beyond") {
		t.Errorf("two billion zeros: %v", err)
	}
	if _, err := ledger.ExactRate(decimal.New(-1, -2_000_000_000)); err == nil || !strings.Contains(err.Error(), "more than 6 decimals") {
		t.Errorf("two billion decimals: %v", err)
	}
	if a, err := ledger.ExactAmount(decimal.New(0, -2_000_000_000)); err != nil || a != 0 {
		t.Errorf("nothing: %s, %v", a, err)
	}
}

// FuzzExact: what an int64 at the scale holds within its bound is taken as it is, all else is refused. The reference is
// math/big's fraction of the same text.
func FuzzExact(f *testing.F) {
	for _, seed := range []string{
		"2.34", "-97.11", "0.00001", "1e3", "12345e-4", "1000000000000.0001", "9223372036854775807", "922337203685477.5808",
		"1e18", "0e999", "1.230000000", "-0", "999999.9999999", "1E-7", "18446744073709551617e-4",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 64 || !json.Valid([]byte(text)) || !isShortNumber(text) {
			return
		}
		d, err := decimal.NewFromString(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		a, err := ledger.ExactAmount(d)
		compareExact(t, text, int64(a), err, 10_000, int64(ledger.MaxAmount))
		r, err := ledger.ExactRate(d)
		compareExact(t, text, int64(r), err, ledger.RateScale, int64(ledger.MaxRate))
		// The two ways into an amount, from the service's answers and from people's files, agree.
		if parsed, other := ledger.ParseAmount(text); (other == nil) != isExact(text, 10_000, int64(ledger.MaxAmount)) || other == nil && parsed != a {
			t.Fatalf("%q: the hot parser has %s, %v; a decimal %s", text, parsed, other, a)
		}
	})
}

var shortNumber = regexp.MustCompile(`^-?[0-9.]+(?:[eE]([+-]?[0-9]{1,3}))?$`)

// isShortNumber leaves out what takes the reference itself too long.
func isShortNumber(text string) bool { return shortNumber.MatchString(text) }

// fraction is the exact value of a number times a scale.
func fraction(text string, scale int64) *big.Rat {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	v, _ := new(big.Rat).SetString(mantissa)
	e, _ := strconv.Atoi(exponent)
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil))
	if e < 0 {
		power.Inv(power)
	}
	return v.Mul(v, power).Mul(v, big.NewRat(scale, 1))
}

func isExact(text string, scale, limit int64) bool {
	v := fraction(text, scale)
	return v.IsInt() && v.Num().CmpAbs(big.NewInt(limit)) <= 0
}

func compareExact(t *testing.T, text string, got int64, err error, scale, limit int64) {
	t.Helper()
	if taken := err == nil; taken != isExact(text, scale, limit) {
		t.Fatalf("%q at scale %d: taken %v (%v), want %v", text, scale, taken, err, !taken)
	}
	if want := fraction(text, scale); err == nil && want.Cmp(new(big.Rat).SetInt64(got)) != 0 {
		t.Fatalf("%q at scale %d: %d, want %s", text, scale, got, want)
	}
}
