package rules

import (
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// measureForecast looks at promises that fall on a day banks are closed, by the contract's term.
func (c *Calibration) measureForecast(e *Env, r *Row) {
	if r.Contract == nil || r.Now.Forecast == 0 || r.Type == ledger.Anticipated || r.TypeUnmapped || r.Key.Number < 1 {
		return
	}
	t, ok := r.Contract.Settlement.TermOf(r.Product)
	if !ok || t.Business || r.Key.Number > MaxNumbers {
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
func (c *Calibration) AddSlip(e *Env, s *Slip) {
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
