package rules_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// compound is what a year's first installment of so much, anticipated by so many days, costs by the compound formula.
func compound(t testing.TB, gross ledger.Amount, rate ledger.Rate, days int) ledger.Amount {
	t.Helper()
	e := world{contract: "none", change: func(o *rules.Options) {
		o.Profile.Anticipation = agreements.AnticipationInterpretation{Formula: agreements.AnticipationCompound, Base: agreements.AnticipationOnGross}
	}}.env(t)
	h := rows()[:1]
	i := &h[0].Current().Installment
	i.Gross, i.Anticipation, i.AnticipationRate, i.ReceivedType = gross, some("1"), ledger.Some(rate), "Antecipado"
	i.Effective = i.Forecast - ledger.Date(days)
	return rules.NewSale(e, h[0].Current().SaleKey(), h, true).Rows[0].ExpectedAnticipation
}

// Whole months are rational: the exact value is known, and a cost never strays from its cent but on a tie.
func TestCompoundOfWholeMonths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		gross := ledger.Amount(rapid.Int64Range(1, 10_000_000_000).Draw(r, "gross"))
		rate := ledger.Rate(rapid.Int64Range(0, 20_000_000).Draw(r, "rate"))
		months := rapid.IntRange(1, 12).Draw(r, "months")
		exact := new(big.Rat).SetInt64(1)
		for range months {
			exact.Quo(exact, new(big.Rat).Add(big.NewRat(1, 1), big.NewRat(int64(rate), 100_000_000)))
		}
		exact.Sub(big.NewRat(1, 1), exact)
		exact.Mul(exact, big.NewRat(int64(gross), int64(ledger.Cent)))
		off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(int64(compound(t, gross, rate, 30*months)/ledger.Cent)))
		// Half a cent, and what the twenty-eighth digit of the power is worth.
		if off.Abs(off).Cmp(big.NewRat(5_000_000_001, 10_000_000_000)) > 0 {
			r.Fatalf("off by %s cents", off.FloatString(12))
		}
	})
}

// By the formula, worked out with other tools to fifty digits.
func TestCompoundOfDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gross, rate, want string
		days              int
	}{
		{"100", "1.09", "0.47", 13},
		{"1000000", "1.09", "17196.07", 48},
		{"1000000000", "2.345678", "772564.67", 1},
		{"333.33", "0", "0", 90},
		{"100", "0.0001", "0", 1},
	} {
		if got := compound(t, reais(c.gross), must(ledger.ParseRate(c.rate)), c.days); got != reais(c.want) {
			t.Errorf("%s at %s for %d days: %s, want %s", c.gross, c.rate, c.days, got, c.want)
		}
	}
}
