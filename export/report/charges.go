package report

import (
	"math"
	"math/bits"

	"concilia/export/table"
	"concilia/store/ledger"
)

// AgreedLine is the fees of a contract line. A fee or rate that it lacks was not agreed, so nothing is due.
type AgreedLine struct {
	From, To       ledger.Date // of sale, both included; no To is without end
	MDR            ledger.Rate // percent
	Anticipation   ledger.Opt[ledger.Rate]
	TransactionFee ledger.Opt[ledger.Amount]
	AntifraudFee   ledger.Opt[ledger.Amount]
	PerSale        bool // the two fees are per sale; else per installment
}

// fee is one of the four fees, with the members of installments and contract lines that it is read from. Rates are percent and
// fees reais, both in ten-thousandths.
type fee struct {
	id      string
	line    ledger.BridgeLine // of its bracket
	charged func(*ledger.InstallmentVersion) ledger.Opt[ledger.Amount]
	agreed  func(*AgreedLine) int64
	// stated is the rate or fee that the service states; of a fee that is agreed per sale, that of the sale.
	stated     func(v *ledger.InstallmentVersion, perSale bool, unit ledger.Unit) ledger.Opt[int64]
	onEveryRow bool // every row that is not reversed has it; else only rows with a charge or a deviation
}

// feeList are the fees, in the order of their ids.
var feeList = []fee{
	{
		id: "anticipation", line: ledger.LineAnticipation,
		charged: func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Anticipation },
		agreed:  func(l *AgreedLine) int64 { return roundedPercent(l.Anticipation.Or(0)) },
		stated: func(v *ledger.InstallmentVersion, _ bool, u ledger.Unit) ledger.Opt[int64] {
			return statedPercent(v.AnticipationRate, u)
		},
	},
	{
		id: "antifraud", line: ledger.LineAntifraud,
		charged: func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Antifraud },
		agreed:  func(l *AgreedLine) int64 { return int64(l.AntifraudFee.Or(0)) },
		stated: func(v *ledger.InstallmentVersion, perSale bool, _ ledger.Unit) ledger.Opt[int64] {
			return statedFee(v.Antifraud, v.SaleAntifraud, perSale)
		},
	},
	{
		id: "mdr", line: ledger.LineMDR, onEveryRow: true,
		charged: func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.MDR },
		agreed:  func(l *AgreedLine) int64 { return roundedPercent(l.MDR) },
		stated: func(v *ledger.InstallmentVersion, _ bool, u ledger.Unit) ledger.Opt[int64] {
			return statedPercent(v.MDRRate, u)
		},
	},
	{
		id: "transaction", line: ledger.LineFee,
		charged: func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Fee },
		agreed:  func(l *AgreedLine) int64 { return int64(l.TransactionFee.Or(0)) },
		stated: func(v *ledger.InstallmentVersion, perSale bool, _ ledger.Unit) ledger.Opt[int64] {
			return statedFee(v.Fee, v.SaleFee, perSale)
		},
	},
}

// roundedPercent returns a rate in percent as a number, rounded to its four decimals.
func roundedPercent(r ledger.Rate) int64 { return table.Pct(r).N / 100 }

func statedPercent(r ledger.Opt[ledger.Rate], u ledger.Unit) ledger.Opt[int64] {
	return ledger.Opt[int64]{V: roundedPercent(r.V.Percent(u)), OK: r.OK}
}

func statedFee(own, ofSale ledger.Opt[ledger.Amount], perSale bool) ledger.Opt[int64] {
	if perSale {
		own = ofSale
	}
	return ledger.Opt[int64]{V: int64(own.V), OK: own.OK}
}

// charge is a fee of an installment compared with its contract line.
type charge struct {
	fee     *fee
	charged ledger.Opt[ledger.Amount]
	agreed  *AgreedLine // nil without a contract line
	// deviation is what was charged above the contract, negative if below it, provided that a rule fired: only then the charge
	// deviates. What a rule tolerates, or could not evaluate, counts as due.
	deviation     ledger.Amount
	deviationCase string // the case of the deviation; empty if there is none
}

// chargeOf returns a fee of an installment that is not reversed; ok is false if it has none. line is its contract line, nil
// without one.
func (f *fee) chargeOf(v *ledger.InstallmentVersion, e *ledger.Expectation, line *AgreedLine) (c charge, ok bool) {
	c = charge{fee: f, charged: f.charged(v), agreed: line}
	for i := range e.Brackets {
		// These lines have brackets only for deviations that a rule fired for.
		if b := &e.Brackets[i]; b.Line == f.line && line != nil {
			c.deviation, c.deviationCase = c.deviation+b.Amount, b.Case
		}
	}
	return c, f.onEveryRow || c.charged.Or(0) != 0 || c.deviationCase != ""
}

// dueCents and chargedCents are printed figures, and the deviation is their difference, so that a printed row adds up.
func (c *charge) chargedCents() ledger.Amount { return roundToCents(c.charged.Or(0)) }

func (c *charge) dueCents() ledger.Amount       { return roundToCents(c.charged.Or(0) - c.deviation) }
func (c *charge) deviationCents() ledger.Amount { return c.chargedCents() - c.dueCents() }

// practisedValue returns the stated rate or fee. The rate of an MDR without a stated one is computed from its amount.
func (c *charge) practisedValue(v *ledger.InstallmentVersion, unit ledger.Unit) ledger.Opt[int64] {
	p := c.fee.stated(v, c.agreed != nil && c.agreed.PerSale, unit)
	if !p.OK && c.fee.onEveryRow && c.charged.OK && v.Gross > 0 {
		p = ledger.Some(divideRounded(int64(c.charged.V), 1_000_000, int64(v.Gross)))
	}
	return p
}

// weightedMean is a mean of values by weight, with the least and the greatest value. Weights are above zero.
type weightedMean struct {
	hi, lo          uint64 // Σ value × weight, two's complement
	weight          int64
	least, greatest int64
}

func (w *weightedMean) addValue(value, weight int64) error {
	if w.weight == 0 {
		w.least, w.greatest = value, value
	}
	w.least, w.greatest = min(w.least, value), max(w.greatest, value)
	if w.weight > math.MaxInt64-weight {
		return ledger.ErrOverflow
	}
	w.weight += weight
	hi, lo := bits.Mul64(magnitudeOf(value), uint64(weight))
	var carry uint64
	if value < 0 {
		lo, carry = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, carry)
	}
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi, _ = bits.Add64(w.hi, hi, carry)
	return nil
}

// merge adds the values of another mean.
func (w *weightedMean) merge(other *weightedMean) error {
	if other.weight == 0 {
		return nil
	}
	if w.weight == 0 {
		*w = *other
		return nil
	}
	if w.weight > math.MaxInt64-other.weight {
		return ledger.ErrOverflow
	}
	w.weight += other.weight
	w.least, w.greatest = min(w.least, other.least), max(w.greatest, other.greatest)
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, other.lo, 0)
	w.hi, _ = bits.Add64(w.hi, other.hi, carry)
	return nil
}

// roundedMean returns the mean, rounded half away from zero. It lies between the least and the greatest value, so it can't
// overflow.
func (w *weightedMean) roundedMean() int64 {
	hi, lo := w.hi, w.lo
	negative := int64(hi) < 0
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	d := uint64(w.weight)
	q, rest := bits.Div64(hi, lo, d)
	if rest >= d-rest {
		q++
	}
	if negative {
		return -int64(q)
	}
	return int64(q)
}
