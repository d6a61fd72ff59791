package rules

import (
	"math"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// Calibration measures how well each candidate reading of the undocumented members fits the rows of a ledger. It must be
// passed every current sale and slip once, and holds only counts. What depends on the unit of rates is counted under
// both units, since the unit is decided after all rows were seen. Use NewCalibration.
type Calibration struct {
	tallies map[measured]*tally
	tries   int // rows left on which anticipations are tried
}

// measured names a tally: a question and, where it rests on the unit of rates, under which.
type measured struct {
	question question
	unit     ledger.Unit
}

// question is one or two keys of the profile that are measured together.
type question string

// The questions in the order they are decided; what comes after may rest on what comes before.
const (
	askUnit         question = "unit"
	askRounding     question = "rounding"
	askFees         question = "fees"
	askAnticipation question = "anticipation"
	askSplitBase    question = "split base"
	askCoverage     question = "coverage"
	askNetOfSplits  question = "net of splits"
	askPenalty      question = "penalty"
	askInterest     question = "interest"
	askForecast     question = "forecast"
	askDayCut       question = "day cut"
)

// units are the candidates of the unit of rates, in their order.
func units() []ledger.Unit { return []ledger.Unit{ledger.Percent, ledger.Fraction} }

// NewCalibration returns an empty calibration.
func NewCalibration() *Calibration {
	return &Calibration{tallies: map[measured]*tally{}, tries: math.MaxInt}
}

// nightlyTries is on how many rows a night tries anticipations: nine formulas with their powers cost as much as judging
// a row five times over, and a thirtieth of these rows decides.
const nightlyTries = 1000

// NewNightly returns a calibration that runs beside the judging of everything at little cost: it measures only the first
// thousand anticipated rows.
func NewNightly() *Calibration {
	return &Calibration{tallies: map[measured]*tally{}, tries: nightlyTries}
}

// Merge adds the counts of another calibration, such as that of another account.
func (c *Calibration) Merge(o *Calibration) {
	for m, t := range o.tallies {
		c.at(m.question, m.unit).merge(t)
	}
}

// at is the tally of a question; unit is 0 where it does not rest on one.
func (c *Calibration) at(q question, u ledger.Unit) *tally {
	m := measured{q, u}
	if c.tallies[m] == nil {
		c.tallies[m] = &tally{}
	}
	return c.tallies[m]
}

// Sale measures a sale. It uses the row's own members, the contract and the calendar of e, but not its profile.
func (c *Calibration) Sale(e *Env, s *Sale) {
	for _, r := range s.Rows {
		if !r.Live() || r.Unmapped {
			continue
		}
		c.unit(r)
		c.anticipation(e, r)
		c.splits(r)
		c.forecast(e, r)
	}
	if s.Live && !s.Unmapped && s.exact() && s.N > 1 {
		c.rounding(s)
		c.fees(s)
	}
}

// unit holds an MDR against its rate and a split against its percentage, a cent an installment for one that was
// rounded on the sale, a cent a split for one that bears the remainder.
func (c *Calibration) unit(r *Row) {
	if r.Now.MDRRate.OK && r.Now.MDR.OK {
		c.unitOf(r.Now.MDRRate.V, r.G, r.M, ledger.Cent*ledger.Amount(min(max(r.N, 1), maxNumbers)))
	}
	for _, sp := range r.Now.Splits {
		if sp.Pct.OK && sp.Base.OK && sp.Value.OK {
			c.unitOf(sp.Pct.V, sp.Base.V, sp.Value.V, ledger.Cent*ledger.Amount(len(r.Now.Splits)))
		}
	}
}

func (c *Calibration) unitOf(rate ledger.Rate, base, actual, slack ledger.Amount) {
	var s sight
	for _, u := range units() {
		v, err := rate.ShareOf(base, u, ledger.HalfAwayFromZero)
		if err != nil {
			return
		}
		s.add(int64(v), (actual-v).Abs() <= slack)
	}
	c.at(askUnit, 0).count(&s, int64(2*slack))
}

// rounding looks at sales whose MDR comes out otherwise when it is rounded once, on the total.
func (c *Calibration) rounding(s *Sale) {
	for _, u := range units() {
		whole, actual, ok := s.mdr(u)
		if !ok {
			continue
		}
		parts, each := ledger.Amount(0), true
		for _, r := range s.Rows {
			v, err := r.Now.MDRRate.V.ShareOf(r.G, u, ledger.HalfAwayFromZero)
			if err != nil {
				return
			}
			parts += v
			each = each && v == r.M
		}
		var x sight
		x.add(int64(parts), each)
		x.add(int64(whole), actual == whole)
		c.at(askRounding, u).count(&x, 0)
	}
}

// fees looks at sales in installments that state a fee of the whole: either each part bears some, or the first all.
func (c *Calibration) fees(s *Sale) {
	for _, fee := range [...]struct {
		whole func(*Row) ledger.Opt[ledger.Amount]
		own   func(*Row) ledger.Amount
	}{
		{func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee }, func(r *Row) ledger.Amount { return r.F }},
		{func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifrd }, func(r *Row) ledger.Amount { return r.A }},
	} {
		total := fee.whole(s.Rows[0])
		if !total.OK || total.V <= 0 {
			continue
		}
		var x sight
		for i, reading := range []agreements.FeeSpread{agreements.FeesSpread, agreements.FeesOnFirst} {
			hit := true
			for _, r := range s.Rows {
				hit = hit && (fee.own(r)-spread(total.V, s.N, r.Key.Number, reading)).Abs() <= ledger.Cent
			}
			x.add(int64(i), hit)
		}
		c.at(askFees, 0).count(&x, 0)
	}
}

// anticipation tries every formula on every base with the row's own rate, exact to the cent: they are cents apart.
func (c *Calibration) anticipation(e *Env, r *Row) {
	if r.C <= 0 || !r.Now.AnticipRate.OK || r.DaysEarly <= 0 || c.tries == 0 {
		return
	}
	c.tries--
	for _, u := range units() {
		pct, x := r.Now.AnticipRate.V.Percent(u), sight{}
		for _, a := range anticipations() {
			try := *e
			try.Profile.Anticipation = a
			v, ok := try.anticipation(r, pct, r.DaysEarly)
			if !ok {
				break
			}
			x.add(int64(v), v == r.C.Rounded(ledger.HalfAwayFromZero))
		}
		if x.n == len(anticipations()) {
			c.at(askAnticipation, u).count(&x, 0)
		}
	}
}

// anticipations are the candidates, bases within formulas.
func anticipations() []agreements.AnticipationInterpretation {
	var all []agreements.AnticipationInterpretation
	for _, f := range agreements.KeyAnticipationFormula.Candidates() {
		for _, b := range agreements.KeyAnticipationBase.Candidates() {
			all = append(all, agreements.AnticipationInterpretation{Formula: agreements.AnticipationFormula(f), Base: agreements.AnticipationBase(b)})
		}
	}
	return all
}

// splits looks at what shares are stated to be parts of, whether they share out all of it, and whether what was
// received is what is left.
func (c *Calibration) splits(r *Row) {
	if len(r.Now.Splits) == 0 {
		return
	}
	slack := ledger.Cent * ledger.Amount(len(r.Now.Splits))
	if base := r.Now.Splits[0].Base; base.OK && base.V > 0 {
		var x sight
		for _, v := range [...]ledger.Amount{r.BeforeSplits, r.G} {
			x.add(int64(v), (base.V-v).Abs() <= ledger.Cent)
		}
		c.at(askSplitBase, 0).count(&x, int64(2*ledger.Cent))
		whole := (r.S - base.V).Abs() <= slack
		var y sight
		y.add(0, !whole && r.S < base.V)
		y.add(1, whole)
		c.at(askCoverage, 0).count(&y, 0)
	}
	if r.Now.Effective != 0 && r.R > 0 && !r.Reversed {
		var x sight
		for _, v := range [...]ledger.Amount{r.BeforeSplits, r.BeforeSplits - r.S} {
			x.add(int64(v), (r.R-v).Abs() <= ledger.Cent)
		}
		c.at(askNetOfSplits, 0).count(&x, int64(2*ledger.Cent))
	}
}
