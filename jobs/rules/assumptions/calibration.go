package assumptions

import (
	"math"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Calibration measures how well each candidate reading of the undocumented members fits the rows of a ledger. It must be
// passed every current sale and slip once, and holds only counts. What depends on the unit of rates is counted under
// both units, since the unit is decided after all rows were seen. Use NewCalibration.
type Calibration struct {
	tallies map[tallyKey]*tally
	tries   int // rows left on which anticipations are tried
}

// tallyKey names a tally: a question and, where it rests on the unit of rates, under which.
type tallyKey struct {
	question openQuestion
	unit     ledger.Unit
}

// openQuestion is one or two keys of the profile that are measured together.
type openQuestion string

// The questions in the order they are decided; what comes after may rest on what comes before.
const (
	questionUnit         openQuestion = "unit"
	questionRounding     openQuestion = "rounding"
	questionFees         openQuestion = "fees"
	questionAnticipation openQuestion = "anticipation"
	questionSplitBase    openQuestion = "split base"
	questionCoverage     openQuestion = "coverage"
	questionNetOfSplits  openQuestion = "net of splits"
	questionPenalty      openQuestion = "penalty"
	questionInterest     openQuestion = "interest"
	questionForecast     openQuestion = "forecast"
	questionDayCut       openQuestion = "day cut"
)

// rateUnits are the candidates of the unit of rates, in their order.
func rateUnits() []ledger.Unit { return []ledger.Unit{ledger.Percent, ledger.Fraction} }

// NewCalibration returns an empty calibration.
func NewCalibration() *Calibration {
	return &Calibration{tallies: map[tallyKey]*tally{}, tries: math.MaxInt}
}

// nightlyTries is on how many rows a night tries anticipations: nine formulas with their powers cost as much as evaluating
// a row five times over, and a thirtieth of these rows decides.
const nightlyTries = 1000

// NewNightlyCalibration returns a calibration that runs with a full evaluation at little cost: it measures only the first
// thousand anticipated rows.
func NewNightlyCalibration() *Calibration {
	return &Calibration{tallies: map[tallyKey]*tally{}, tries: nightlyTries}
}

// Merge adds the counts of another calibration, such as that of another account.
func (c *Calibration) Merge(o *Calibration) {
	for m, t := range o.tallies {
		c.tallyOf(m.question, m.unit).addTally(t)
	}
}

// tallyOf is the tally of a question; unit is 0 where it does not rest on one.
func (c *Calibration) tallyOf(q openQuestion, u ledger.Unit) *tally {
	m := tallyKey{q, u}
	if c.tallies[m] == nil {
		c.tallies[m] = &tally{}
	}
	return c.tallies[m]
}

// AddSale measures a sale. It uses the row's own members, the contract and the calendar of e, but not its profile.
func (c *Calibration) AddSale(e *rules.Env, s *rules.Sale) {
	for _, r := range s.Rows {
		if !r.Live() || r.Unmapped {
			continue
		}
		c.measureUnit(r)
		c.measureAnticipation(e, r)
		c.measureSplits(r)
		c.measureForecast(e, r)
	}
	if s.Live && !s.Unmapped && s.IsExact() && s.Count > 1 {
		c.measureRounding(s)
		c.measureFees(s)
	}
}

// measureUnit holds an MDR against its rate and a split against its percentage, a cent an installment for one that was
// rounded on the sale, a cent a split for one that bears the remainder.
func (c *Calibration) measureUnit(r *rules.Row) {
	if r.Now.MDRRate.OK && r.Now.MDR.OK {
		c.measureUnitOf(r.Now.MDRRate.V, r.Gross, r.MDR, ledger.Cent*ledger.Amount(min(max(r.Count, 1), rules.MaxNumbers)))
	}
	for _, sp := range r.Now.Splits {
		if sp.Pct.OK && sp.Base.OK && sp.Value.OK {
			c.measureUnitOf(sp.Pct.V, sp.Base.V, sp.Value.V, ledger.Cent*ledger.Amount(len(r.Now.Splits)))
		}
	}
}

func (c *Calibration) measureUnitOf(rate ledger.Rate, base, actual, slack ledger.Amount) {
	var s measurement
	for _, u := range rateUnits() {
		v, err := rate.ShareOf(base, u, ledger.HalfAwayFromZero)
		if err != nil {
			return
		}
		s.addCandidate(int64(v), (actual-v).Abs() <= slack)
	}
	c.tallyOf(questionUnit, 0).addRow(&s, int64(2*slack))
}

// measureRounding looks at sales whose MDR comes out otherwise when it is rounded once, on the total.
func (c *Calibration) measureRounding(s *rules.Sale) {
	for _, u := range rateUnits() {
		whole, actual, ok := s.ExpectedMDR(u)
		if !ok {
			continue
		}
		parts, each := ledger.Amount(0), true
		for _, r := range s.Rows {
			v, err := r.Now.MDRRate.V.ShareOf(r.Gross, u, ledger.HalfAwayFromZero)
			if err != nil {
				return
			}
			parts += v
			each = each && v == r.MDR
		}
		var x measurement
		x.addCandidate(int64(parts), each)
		x.addCandidate(int64(whole), actual == whole)
		c.tallyOf(questionRounding, u).addRow(&x, 0)
	}
}

// measureFees looks at sales in installments that state a fee of the whole: either each part bears some, or the first all.
func (c *Calibration) measureFees(s *rules.Sale) {
	for _, fee := range [...]struct {
		whole func(*rules.Row) ledger.Opt[ledger.Amount]
		own   func(*rules.Row) ledger.Amount
	}{
		{func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee }, func(r *rules.Row) ledger.Amount { return r.Fee }},
		{func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifraud }, func(r *rules.Row) ledger.Amount { return r.Antifraud }},
	} {
		total := fee.whole(s.Rows[0])
		if !total.OK || total.V <= 0 {
			continue
		}
		var x measurement
		for i, reading := range []agreements.FeeSpread{agreements.FeesSpread, agreements.FeesOnFirst} {
			hit := true
			for _, r := range s.Rows {
				hit = hit && (fee.own(r)-rules.SpreadFee(total.V, s.Count, r.Key.Number, reading)).Abs() <= ledger.Cent
			}
			x.addCandidate(int64(i), hit)
		}
		c.tallyOf(questionFees, 0).addRow(&x, 0)
	}
}

// measureAnticipation tries every formula on every base with the row's own rate, exact to the cent: they are cents apart.
func (c *Calibration) measureAnticipation(e *rules.Env, r *rules.Row) {
	if r.Anticipation <= 0 || !r.Now.AnticipationRate.OK || r.DaysEarly <= 0 || c.tries == 0 {
		return
	}
	c.tries--
	for _, u := range rateUnits() {
		pct, x := r.Now.AnticipationRate.V.Percent(u), measurement{}
		for _, a := range anticipationCandidates() {
			try := *e
			try.Profile.Anticipation = a
			v, ok := try.AnticipationCost(r, pct, r.DaysEarly)
			if !ok {
				break
			}
			x.addCandidate(int64(v), v == r.Anticipation.Rounded(ledger.HalfAwayFromZero))
		}
		if x.n == len(anticipationCandidates()) {
			c.tallyOf(questionAnticipation, u).addRow(&x, 0)
		}
	}
}

// anticipationCandidates are the candidates, bases within formulas.
func anticipationCandidates() []agreements.AnticipationInterpretation {
	var all []agreements.AnticipationInterpretation
	for _, f := range agreements.KeyAnticipationFormula.Candidates() {
		for _, b := range agreements.KeyAnticipationBase.Candidates() {
			all = append(all, agreements.AnticipationInterpretation{Formula: agreements.AnticipationFormula(f), Base: agreements.AnticipationBase(b)})
		}
	}
	return all
}

// measureSplits looks at what shares are stated to be parts of, whether they share out all of it, and whether what was
// received is what is left.
func (c *Calibration) measureSplits(r *rules.Row) {
	if len(r.Now.Splits) == 0 {
		return
	}
	slack := ledger.Cent * ledger.Amount(len(r.Now.Splits))
	if base := r.Now.Splits[0].Base; base.OK && base.V > 0 {
		var x measurement
		for _, v := range [...]ledger.Amount{r.BeforeSplits, r.Gross} {
			x.addCandidate(int64(v), (base.V-v).Abs() <= ledger.Cent)
		}
		c.tallyOf(questionSplitBase, 0).addRow(&x, int64(2*ledger.Cent))
		whole := (r.SplitTotal - base.V).Abs() <= slack
		var y measurement
		y.addCandidate(0, !whole && r.SplitTotal < base.V)
		y.addCandidate(1, whole)
		c.tallyOf(questionCoverage, 0).addRow(&y, 0)
	}
	if r.Now.Effective != 0 && r.Received > 0 && !r.Reversed {
		var x measurement
		for _, v := range [...]ledger.Amount{r.BeforeSplits, r.BeforeSplits - r.SplitTotal} {
			x.addCandidate(int64(v), (r.Received-v).Abs() <= ledger.Cent)
		}
		c.tallyOf(questionNetOfSplits, 0).addRow(&x, int64(2*ledger.Cent))
	}
}

// measureForecast looks at forecasts that, by the term of the contract, fall on a day on which banks are closed.
func (c *Calibration) measureForecast(e *rules.Env, r *rules.Row) {
	if r.Contract == nil || r.Now.Forecast == 0 || r.Type == ledger.Anticipated || r.TypeUnmapped || r.Key.Number < 1 {
		return
	}
	t, ok := r.Contract.Settlement.TermOf(r.Product)
	if !ok || t.Business || r.Key.Number > rules.MaxNumbers {
		return
	}
	raw := r.Key.Day + ledger.Date(t.Days*r.Key.Number)
	moved := e.NextBusinessDay(raw)
	var x measurement
	x.addCandidate(int64(moved), r.Now.Forecast == moved)
	x.addCandidate(int64(raw), r.Now.Forecast == raw)
	c.tallyOf(questionForecast, 0).addRow(&x, 0)
}

// AddSlip measures a slip that was paid late and shows the charges.
func (c *Calibration) AddSlip(e *rules.Env, s *rules.Slip) {
	if !s.Late() || !s.ChargesShown || s.Class == ledger.Cancelled {
		return
	}
	try := *e
	var penalty, interest measurement
	for _, v := range agreements.KeySlipPenalty.Candidates() {
		try.Profile.Slip.Penalty = agreements.SlipPenalty(v)
		x := *s
		x.ExpectedPenalty = ledger.Opt[ledger.Amount]{}
		if x.ComputeCharges(&try); x.ExpectedPenalty.OK {
			penalty.addCandidate(int64(x.ExpectedPenalty.V), x.ExpectedPenalty.V == s.PenaltyPaid.Rounded(ledger.HalfAwayFromZero))
		}
	}
	for _, v := range agreements.KeySlipInterest.Candidates() {
		try.Profile.Slip.Interest = agreements.SlipInterest(v)
		x := *s
		x.ExpectedInterest = ledger.Opt[ledger.Amount]{}
		if x.ComputeCharges(&try); x.ExpectedInterest.OK {
			interest.addCandidate(int64(x.ExpectedInterest.V), x.ExpectedInterest.V == s.InterestPaid.Rounded(ledger.HalfAwayFromZero))
		}
	}
	if penalty.n == len(agreements.KeySlipPenalty.Candidates()) {
		c.tallyOf(questionPenalty, 0).addRow(&penalty, 0)
	}
	if interest.n == len(agreements.KeySlipInterest.Candidates()) {
		c.tallyOf(questionInterest, 0).addRow(&interest, 0)
	}
}

// DayCuts returns the zones that are tried for the midnight that ends a day of the search.
func DayCuts() []string { return []string{agreements.DefaultProfile().DayCut, "UTC"} }

// AddFirstSeen measures an installment by the window of days that was asked when it first came: sold within hours of midnight
// it belongs to one day in one zone and to the next in another. zones are those of DayCuts, in their order.
func (c *Calibration) AddFirstSeen(days []ledger.Date, window ledger.Period) {
	var x measurement
	for _, d := range days {
		inside := window.From <= d && d <= window.To
		value := int64(0)
		if inside {
			value = 1
		}
		x.addCandidate(value, inside)
	}
	c.tallyOf(questionDayCut, 0).addRow(&x, 0)
}
