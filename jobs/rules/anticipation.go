package rules

import (
	"github.com/shopspring/decimal"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// IsOrdered says whether an order covers the payment of the row; without orders it always may be.
func (e *Env) IsOrdered(r *Row) bool {
	return e.Orders == nil || e.Orders.Covers(r.Key, r.Now.Effective)
}

// findAnticipationDue is the forecast an early payment is measured against: the row's own, or, when the service moved
// the forecast to the day of payment, that of the oldest version that was open.
func findAnticipationDue(e *Env, r *Row) ledger.Date {
	if r.Now.Effective == 0 || r.Now.Forecast != r.Now.Effective {
		return r.Now.Forecast
	}
	for i := range r.History.Earlier() {
		v := &r.History[i]
		if v.Forecast != 0 && ClassOf(e.Mapping, v) == ledger.Open {
			return v.Forecast
		}
	}
	return r.Now.Forecast
}

// IsAnticipated says whether the anticipation rules look at the row.
func (r *Row) IsAnticipated() bool { return r.Anticipation > 0 || r.Type == ledger.Anticipated }

func expectAnticipation(e *Env, r *Row, s *ExpectedAmounts) ledger.Amount {
	switch {
	case !r.IsAnticipated() || r.Now.Effective == 0:
		return r.Anticipation
	case !e.IsOrdered(r):
		return 0
	case s.AnticipationDue == 0:
		return r.Anticipation
	}
	if r.Anticipation > 0 && r.Now.Effective >= s.AnticipationDue {
		return 0
	}
	if r.Anticipation != 0 && !r.Now.AnticipationRate.OK {
		return r.Anticipation // no rule could say what is wrong with it
	}
	if r.LineState == LineFound && r.Line.Anticipation.OK {
		if star, ok := e.AnticipationCost(r, r.Line.Anticipation.V, s.DaysEarly); ok {
			return star
		}
		return r.Anticipation
	}
	if !r.Now.AnticipationRate.OK {
		return r.Anticipation
	}
	if star, ok := e.AnticipationCost(r, r.Now.AnticipationRate.V.Percent(e.Profile.Unit), s.DaysEarly); ok {
		return star
	}
	return r.Anticipation
}

// DaysOfMonth is the month of every pro rata in the service.
const DaysOfMonth = 30

// AnticipationCost is what being paid days early costs at a rate in percent a month, by the formula and base of the profile.
func (e *Env) AnticipationCost(r *Row, pct ledger.Rate, days int) (ledger.Amount, bool) {
	if pct.Abs() > ledger.MaxRate {
		return 0, false // times the days it would leave its type
	}
	base := r.Gross
	switch e.Profile.Anticipation.Base {
	case agreements.AnticipationOnNetOfMDR:
		base -= r.MDR
	case agreements.AnticipationOnNetOfFees:
		base -= r.MDR + r.Fee + r.Antifraud
	}
	const hundred = int64(ledger.Percent) * ledger.RateScale
	switch e.Profile.Anticipation.Formula {
	case agreements.AnticipationFlat:
		return amountIfValid(base.MulDiv(int64(pct), hundred, ledger.HalfAwayFromZero))
	case agreements.AnticipationCompound:
		f, fine := e.computePower(pct, -days, DaysOfMonth)
		if !fine {
			return 0, false
		}
		return multiplyRounded(base, decimal.New(1, 0).Sub(f))
	}
	return amountIfValid(base.MulDiv(int64(pct)*int64(days), hundred*DaysOfMonth, ledger.HalfAwayFromZero))
}

func amountIfValid(a ledger.Amount, err error) (ledger.Amount, bool) { return a, err == nil }

// A power is worked out with workDigits after the point and rounded once to powerDigits significant ones, so that two
// who compute it agree to the last cent.
const (
	powerDigits = 28
	workDigits  = 48
)

// computePower is (1 + pct/100)^(num/den), kept for the next row that asks the same.
func (e *Env) computePower(pct ledger.Rate, num, den int) (decimal.Decimal, bool) {
	key := powerKey{pct, num, den}
	if v, known := e.powers[key]; known {
		return v.factor, v.ok
	}
	base := decimal.New(1, 0).Add(decimal.New(int64(pct), -8))
	exponent := decimal.NewFromInt(int64(num)).DivRound(decimal.NewFromInt(int64(den)), workDigits)
	f, err := base.PowWithPrecision(exponent, workDigits)
	v := powerValue{roundToSignificant(f, powerDigits), err == nil}
	if len(e.powers) < maxPowers {
		e.powers[key] = v
	}
	return v.factor, v.ok
}

// roundToSignificant rounds to so many digits, counted from the first that is not zero.
func roundToSignificant(f decimal.Decimal, digits int32) decimal.Decimal {
	if f.IsZero() {
		return f
	}
	whole := int32(f.NumDigits()) + f.Exponent() // digits before the point, negative for zeros after it
	return f.Round(digits - whole)
}

// maxPowers bounds the kept powers: rates × days of a normal year are far fewer.
const maxPowers = 100_000

// multiplyRounded is rd2(a × f).
func multiplyRounded(a ledger.Amount, f decimal.Decimal) (ledger.Amount, bool) {
	// Round of decimal is half away from zero, as everywhere here.
	cents := decimal.New(int64(a), -4).Mul(f).Shift(2).Round(0)
	if cents.NumDigits() > 17 {
		return 0, false
	}
	return ledger.FromCents(cents.IntPart()), true
}

// CostOfMoney is what waiting for an amount cost in business days at a yearly rate of 252 of them.
func (e *Env) CostOfMoney(a ledger.Amount, yearPct ledger.Rate, days int) (ledger.Amount, bool) {
	f, fine := e.computePower(yearPct, days, 252)
	if !fine {
		return 0, false
	}
	return multiplyRounded(a, f.Sub(decimal.New(1, 0)))
}

// IsPaidEarly reports whether the row was anticipated and is paid, so that its days can be computed.
func (r *Row) IsPaidEarly() bool {
	return r.IsAnticipated() && r.Now.Effective != 0 && r.AnticipationDue != 0
}
