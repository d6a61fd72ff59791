package rules

import (
	"github.com/shopspring/decimal"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// anticipationDue is the forecast an early payment is measured against: the row's own, or, when the service moved
// the forecast to the day of payment, that of the oldest version that was open.
func anticipationDue(e *Env, r *Row) ledger.Date {
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

// anticipated says whether the anticipation rules look at the row.
func (r *Row) anticipated() bool { return r.C > 0 || r.Type == ledger.Anticipated }

func anticipationStar(e *Env, r *Row, s *Stars) ledger.Amount {
	switch {
	case !r.anticipated() || r.Now.Effective == 0:
		return r.C
	case !e.ordered(r):
		return 0
	case s.AnticipationDue == 0:
		return r.C
	}
	if r.C > 0 && r.Now.Effective >= s.AnticipationDue {
		return 0
	}
	if r.C != 0 && !r.Now.AnticipRate.OK {
		return r.C // no rule could tell what is wrong with it
	}
	if r.LineState == LineFound && r.Line.Anticipation.OK {
		if star, ok := e.anticipation(r, r.Line.Anticipation.V, s.DaysEarly); ok {
			return star
		}
		return r.C
	}
	if !r.Now.AnticipRate.OK {
		return r.C
	}
	if star, ok := e.anticipation(r, r.Now.AnticipRate.V.Percent(e.Profile.Unit), s.DaysEarly); ok {
		return star
	}
	return r.C
}

// daysOfMonth is the month of every pro rata in the service.
const daysOfMonth = 30

// anticipation is what being paid days early costs at a rate in percent a month, by the formula and base of the profile.
func (e *Env) anticipation(r *Row, pct ledger.Rate, days int) (ledger.Amount, bool) {
	if pct.Abs() > ledger.MaxRate {
		return 0, false // times the days it would leave its type
	}
	base := r.G
	switch e.Profile.Anticipation.Base {
	case agreements.AnticipationOnNetOfMDR:
		base -= r.M
	case agreements.AnticipationOnNetOfFees:
		base -= r.M + r.F + r.A
	}
	const hundred = int64(ledger.Percent) * ledger.RateScale
	switch e.Profile.Anticipation.Formula {
	case agreements.AnticipationFlat:
		return ok(base.MulDiv(int64(pct), hundred, ledger.HalfAwayFromZero))
	case agreements.AnticipationCompound:
		f, fine := e.power(pct, -days, daysOfMonth)
		if !fine {
			return 0, false
		}
		return times(base, decimal.New(1, 0).Sub(f))
	}
	return ok(base.MulDiv(int64(pct)*int64(days), hundred*daysOfMonth, ledger.HalfAwayFromZero))
}

func ok(a ledger.Amount, err error) (ledger.Amount, bool) { return a, err == nil }

// A power is worked out with workDigits after the point and rounded once to powerDigits significant ones, so that two
// who compute it agree to the last cent.
const (
	powerDigits = 28
	workDigits  = 48
)

// power is (1 + pct/100)^(num/den), kept for the next row that asks the same.
func (e *Env) power(pct ledger.Rate, num, den int) (decimal.Decimal, bool) {
	key := powerKey{pct, num, den}
	if v, known := e.powers[key]; known {
		return v.factor, v.ok
	}
	base := decimal.New(1, 0).Add(decimal.New(int64(pct), -8))
	exponent := decimal.NewFromInt(int64(num)).DivRound(decimal.NewFromInt(int64(den)), workDigits)
	f, err := base.PowWithPrecision(exponent, workDigits)
	v := powerValue{significant(f, powerDigits), err == nil}
	if len(e.powers) < maxPowers {
		e.powers[key] = v
	}
	return v.factor, v.ok
}

// significant rounds to so many digits, counted from the first that is not zero.
func significant(f decimal.Decimal, digits int32) decimal.Decimal {
	if f.IsZero() {
		return f
	}
	whole := int32(f.NumDigits()) + f.Exponent() // digits before the point, negative for zeros after it
	return f.Round(digits - whole)
}

// maxPowers bounds the kept powers: rates × days of a normal year are far fewer.
const maxPowers = 100_000

// times is rd2(a × f).
func times(a ledger.Amount, f decimal.Decimal) (ledger.Amount, bool) {
	// Round of decimal is half away from zero, as everywhere here.
	cents := decimal.New(int64(a), -4).Mul(f).Shift(2).Round(0)
	if cents.NumDigits() > 17 {
		return 0, false
	}
	return ledger.FromCents(cents.IntPart()), true
}

// costOfMoney is what waiting for an amount cost in business days at a yearly rate of 252 of them.
func (e *Env) costOfMoney(a ledger.Amount, yearPct ledger.Rate, days int) (ledger.Amount, bool) {
	f, fine := e.power(yearPct, days, 252)
	if !fine {
		return 0, false
	}
	return times(a, f.Sub(decimal.New(1, 0)))
}

// Early reports whether the row was anticipated and is paid, so that its days can be computed.
func (r *Row) Early() bool { return r.anticipated() && r.Now.Effective != 0 && r.AnticipationDue != 0 }
