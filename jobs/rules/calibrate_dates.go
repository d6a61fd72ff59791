package rules

import (
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// forecast looks at promises that fall on a day banks are closed, by the contract's term.
func (c *Calibration) forecast(e *Env, r *Row) {
	if r.Contract == nil || r.Now.Forecast == 0 || r.Type == ledger.Anticipated || r.TypeUnmapped || r.Key.Number < 1 {
		return
	}
	t, ok := r.Contract.Settlement.TermOf(r.Product)
	if !ok || t.Business || r.Key.Number > maxNumbers {
		return
	}
	raw := r.Key.Day + ledger.Date(t.Days*r.Key.Number)
	moved := e.next(raw)
	var x sight
	x.add(int64(moved), r.Now.Forecast == moved)
	x.add(int64(raw), r.Now.Forecast == raw)
	c.at(askForecast, 0).count(&x, 0)
}

// Slip measures a slip that was paid late and shows the charges.
func (c *Calibration) Slip(e *Env, s *Slip) {
	if !s.Late() || !s.Shown || s.Class == ledger.Cancelled {
		return
	}
	try := *e
	var penalty, interest sight
	for _, v := range agreements.KeySlipPenalty.Candidates() {
		try.Profile.Slip.Penalty = agreements.SlipPenalty(v)
		x := *s
		x.PenStar = ledger.Opt[ledger.Amount]{}
		if x.charges(&try); x.PenStar.OK {
			penalty.add(int64(x.PenStar.V), x.PenStar.V == s.PenR.Rounded(ledger.HalfAwayFromZero))
		}
	}
	for _, v := range agreements.KeySlipInterest.Candidates() {
		try.Profile.Slip.Interest = agreements.SlipInterest(v)
		x := *s
		x.IntStar = ledger.Opt[ledger.Amount]{}
		if x.charges(&try); x.IntStar.OK {
			interest.add(int64(x.IntStar.V), x.IntStar.V == s.IntR.Rounded(ledger.HalfAwayFromZero))
		}
	}
	if penalty.n == len(agreements.KeySlipPenalty.Candidates()) {
		c.at(askPenalty, 0).count(&penalty, 0)
	}
	if interest.n == len(agreements.KeySlipInterest.Candidates()) {
		c.at(askInterest, 0).count(&interest, 0)
	}
}

// DayCuts returns the zones that are tried for the midnight that ends a day of the search.
func DayCuts() []string { return []string{agreements.DefaultProfile().DayCut, "UTC"} }

// Seen measures an installment by the window of days that was asked when it first came: sold within hours of midnight
// it belongs to one day in one zone and to the next in another. zones are those of DayCuts, in their order.
func (c *Calibration) Seen(days []ledger.Date, window ledger.Period) {
	var x sight
	for _, d := range days {
		inside := window.From <= d && d <= window.To
		value := int64(0)
		if inside {
			value = 1
		}
		x.add(value, inside)
	}
	c.at(askDayCut, 0).count(&x, 0)
}
