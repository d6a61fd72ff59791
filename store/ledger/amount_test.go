package ledger_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"concilia/store/ledger"
)

func TestParseAmount(t *testing.T) {
	for _, tt := range []struct {
		why  string
		text string
		want ledger.Amount
		err  string
	}{
		{"the service prints four decimals", "100.0000", 1_000_000, ""},
		{"two decimals are the same amount", "100.00", 1_000_000, ""},
		{"an integer is reais", "100", 1_000_000, ""},
		{"a third of a sale keeps its four decimals", "33.3333", 333_333, ""},
		{"a negative amount is a claw-back", "-97.11", -971_100, ""},
		{"minus zero is zero", "-0.0000", 0, ""},
		{"an exponent moves the point right", "1.5E+2", 1_500_000, ""},
		{"an exponent moves the point left", "12345e-4", 12_345, ""},
		{"an exponent may name zeros that are not there", "0e99", 0, ""},
		{"zeros beyond four decimals lose nothing", "1.230000000", 12_300, ""},
		{"the largest amount", "1000000000000", ledger.MaxAmount, ""},
		{"a fifth decimal does not fit", "0.00001", 0, "more than 4 decimals"},
		{"a fifth decimal does not fit by exponent either", "1e-5", 0, "more than 4 decimals"},
		{"one above the largest amount", "1000000000000.0001", 0, "beyond"},
		{"an exponent cannot overflow in silence", "1e18", 0, "beyond"},
		{"digits cannot overflow in silence", "99999999999999999999", 0, "beyond"},
		{"empty is no number", "", 0, "not a number"},
		{"a comma is no point", "1,23", 0, "not a number"},
		{"thousands are not separated", "1.234,56", 0, "not a number"},
		{"JSON has no plus sign", "+1", 0, "not a number"},
		{"JSON has no leading zeros", "01", 0, "not a number"},
		{"JSON has no bare point", "1.", 0, "not a number"},
		{"JSON has no bare fraction", ".5", 0, "not a number"},
		{"an exponent needs digits", "1e", 0, "not a number"},
		{"not a number is no number", "NaN", 0, "not a number"},
		{"blanks are not trimmed", " 1", 0, "not a number"},
		{"a number of endless digits is refused unread", strings.Repeat("1", 65), 0, "too long"},
	} {
		got, err := ledger.ParseAmount(tt.text)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: ParseAmount(%q) = %v, %v; want an error saying %q", tt.why, tt.text, got, err, tt.err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: ParseAmount(%q) = %v, %v; want %v", tt.why, tt.text, got, err, tt.want)
		}
	}
}

func TestCentsAreHalfAwayFromZero(t *testing.T) {
	for _, tt := range []struct {
		why  string
		in   ledger.Amount
		want int64
	}{
		{"a tie goes up", 50, 1},
		{"a negative tie goes down", -50, -1},
		{"below a tie stays", 49, 0},
		{"a negative one below a tie stays", -49, 0},
		{"2.675 is 2.68", 26_750, 268},
		{"-2.675 is -2.68", -26_750, -268},
	} {
		if got := tt.in.Cents(ledger.HalfAwayFromZero); got != tt.want {
			t.Errorf("%s: %s rounds to %d cents, want %d", tt.why, tt.in, got, tt.want)
		}
	}
}

func amounts() *rapid.Generator[ledger.Amount] {
	return rapid.Custom(func(t *rapid.T) ledger.Amount {
		return ledger.Amount(rapid.Int64Range(-int64(ledger.MaxAmount), int64(ledger.MaxAmount)).Draw(t, "amount"))
	})
}

func dec(a ledger.Amount) decimal.Decimal { return decimal.New(int64(a), -4) }

func TestAmountAgreesWithDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := amounts().Draw(t, "a")
		if back, err := ledger.ParseAmount(a.String()); err != nil || back != a {
			t.Fatalf("ParseAmount(%q) = %v, %v", a.String(), back, err)
		}
		if got, want := a.Fixed(4), dec(a).StringFixed(4); got != want && want != "-0.0000" {
			t.Fatalf("Fixed(4) = %s, want %s", got, want)
		}
		if got, want := a.Rounded(ledger.HalfAwayFromZero), dec(a).Round(2); !dec(got).Equal(want) {
			t.Fatalf("%s rounds to %s, want %s", a, got, want)
		}
		b := amounts().Draw(t, "b")
		if sum, err := a.Add(b); err != nil || !dec(sum).Equal(dec(a).Add(dec(b))) {
			t.Fatalf("%s + %s = %s, %v", a, b, sum, err)
		}
	})
}

func TestMulDivAgreesWithDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := amounts().Draw(t, "a")
		mul := rapid.Int64Range(-1_000_000_000_000, 1_000_000_000_000).Draw(t, "mul")
		div := rapid.Int64Range(1, 4_000_000_000_000).Draw(t, "div")
		got, err := a.MulDiv(mul, div, ledger.HalfAwayFromZero)
		exact := dec(a).Mul(decimal.NewFromInt(mul))
		// DivRound rounds half away from zero from the exact quotient, as we must.
		want := exact.DivRound(decimal.NewFromInt(div), 2)
		if want.Abs().GreaterThan(dec(ledger.MaxAmount * 100)) {
			if err == nil {
				t.Fatalf("%s × %d ÷ %d = %s, want an overflow", a, mul, div, got)
			}
			return
		}
		if err != nil {
			if want.Abs().LessThanOrEqual(dec(ledger.MaxAmount)) {
				t.Fatalf("%s × %d ÷ %d: %v, want %s", a, mul, div, err, want)
			}
			return
		}
		if !dec(got).Equal(want) {
			t.Fatalf("%s × %d ÷ %d = %s, want %s", a, mul, div, got, want)
		}
	})
}

func TestAmountOverflowIsAnError(t *testing.T) {
	if _, err := ledger.Amount(math.MaxInt64).Add(1); !errors.Is(err, ledger.ErrOverflow) {
		t.Errorf("the largest integer plus one: %v, want an overflow", err)
	}
	if _, err := ledger.Amount(math.MinInt64).Add(-1); !errors.Is(err, ledger.ErrOverflow) {
		t.Errorf("the smallest integer less one: %v, want an overflow", err)
	}
	if _, err := ledger.MaxAmount.MulDiv(math.MaxInt64, 1, ledger.HalfAwayFromZero); !errors.Is(err, ledger.ErrOverflow) {
		t.Errorf("a product beyond 128 bits of cents: %v, want an overflow", err)
	}
	if _, err := ledger.Real.MulDiv(1, 0, ledger.HalfAwayFromZero); err == nil {
		t.Error("dividing by zero is accepted")
	}
}

func TestRateOf(t *testing.T) {
	for _, tt := range []struct {
		why  string
		a    string
		r    string
		u    ledger.Unit
		want string
	}{
		{"2.99 % of 100 is 2.99", "100", "2.99", ledger.Percent, "2.99"},
		{"the same rate as a fraction", "100", "0.0299", ledger.Fraction, "2.99"},
		{"2.49 % of 333.33 rounds down", "333.33", "2.49", ledger.Percent, "8.30"},
		{"2.49 % of 30 is a tie's neighbour", "30", "2.49", ledger.Percent, "0.75"},
		{"a rate of a negative amount keeps its sign", "-100", "2.345", ledger.Percent, "-2.35"},
		{"922 million at 100 % needs 128 bits", "922337203.68", "100", ledger.Percent, "922337203.68"},
	} {
		a, err := ledger.ParseAmount(tt.a)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ledger.ParseRate(tt.r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.ShareOf(a, tt.u, ledger.HalfAwayFromZero)
		if err != nil || got.String() != tt.want {
			t.Errorf("%s: %s of %s = %s, %v; want %s", tt.why, tt.r, tt.a, got, err, tt.want)
		}
	}
}

func TestParseRate(t *testing.T) {
	r, err := ledger.ParseRate("2.3400")
	if err != nil || r != 2_340_000 || r.String() != "2.3400" {
		t.Errorf("ParseRate(2.3400) = %d (%s), %v", r, r, err)
	}
	if got := ledger.Rate(23_400).Percent(ledger.Fraction); got != 2_340_000 {
		t.Errorf("0.0234 as a fraction is %s percent", got)
	}
	if _, err := ledger.ParseRate("0.0000001"); err == nil {
		t.Error("a seventh decimal is accepted")
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, s := range []string{"0.0000", "-1e-4", "1E+2", "1.", "99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ledger.ParseAmount(s)
		if err != nil {
			return
		}
		want, err := decimal.NewFromString(s)
		if err != nil || !dec(a).Equal(want) {
			t.Fatalf("ParseAmount(%q) = %s, decimal says %s, %v", s, a, want, err)
		}
	})
}
