package world

import (
	"math/big"
	"sync"
)

// anticipationCost is what installment gross costs when it is paid on effective instead of forecast.
func (r *Interpretation) anticipationCost(gross Money, f feeSet, effective, forecast Date) Money {
	base := gross - f.mdr
	switch r.AnticipationBase {
	case BaseGross:
		base = gross
	case BaseNetOfFees:
		base -= f.trn + f.antifraud
	}
	days := int64(forecast - effective)
	switch r.Anticipation {
	case AnticipationFlat:
		return percentOf(base, anticipation)
	case AnticipationCompound:
		return compoundCost(base, days)
	}
	return percentOver(base, anticipation, days, termDays)
}

// fixedPointDecimals is how many decimals discount factors are worked out to: far more than can move a cent.
const fixedPointDecimals = 40

// compoundCost is base × (1 − (1 + rate)^(−days/30)), rounded once, to cents half away from zero.
func compoundCost(base Money, days int64) Money {
	one := fixedPointOne()
	num := new(big.Int).Sub(one, discountFactor(days))
	num.Mul(num, big.NewInt(int64(base)))
	den := new(big.Int).Mul(one, big.NewInt(int64(cent)))
	num.Add(num, new(big.Int).Rsh(den, 1))
	return cent * Money(num.Quo(num, den).Int64())
}

// discountFactor is (1 + rate)^(−days/30), scaled, by squaring.
func discountFactor(days int64) *big.Int {
	one, power, out := fixedPointOne(), dailyFactor(), fixedPointOne()
	times := func(x, y *big.Int) *big.Int { return new(big.Int).Quo(new(big.Int).Mul(x, y), one) }
	for ; days > 0; days /= 2 {
		if days%2 == 1 {
			out = times(out, power)
		}
		power = times(power, power)
	}
	return out
}

// dailyFactor is the 30th root of 1/(1 + rate), scaled and cut: the largest x with x^30 × (1 + rate) ≤ 1.
// Its bits are found from the highest down.
var dailyFactor = sync.OnceValue(func() *big.Int {
	const hundred = 1_000_000 // percent, in ten-thousandths
	month := big.NewInt(termDays)
	limit := new(big.Int).Exp(fixedPointOne(), month, nil)
	limit.Mul(limit, big.NewInt(hundred)).Quo(limit, big.NewInt(hundred+int64(anticipation)))
	x := new(big.Int)
	for bit := fixedPointOne().BitLen() - 1; bit >= 0; bit-- {
		x.SetBit(x, bit, 1)
		if new(big.Int).Exp(x, month, nil).Cmp(limit) > 0 {
			x.SetBit(x, bit, 0)
		}
	}
	return x
})

func fixedPointOne() *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(fixedPointDecimals), nil)
}
