package reconcile

import (
	"cmp"
	"context"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

// slips judges the slips of the scope.
func (w *work) slips(ctx context.Context) error {
	return w.src.SlipsInScope(ctx, w.account, w.scope, func(s *ledger.Slip) error {
		var err error
		if s.Vanished {
			err = w.slipGone(s)
		} else {
			err = w.slip(rules.NewSlip(w.env, s))
		}
		return cmp.Or(err, w.failed, ctx.Err())
	})
}

// slipGone judges a slip that no list shows any more: it is in no sum, and no other rule looks at it.
func (w *work) slipGone(s *ledger.Slip) error {
	if s.Stored != nil {
		if !w.all {
			if err := w.uncountSlip(s.Stored); err != nil {
				return err
			}
		}
		if err := w.sink.EndSlipExpectation(s.ID); err != nil {
			return err
		}
	}
	idx := w.byKind[rules.OnSlip]
	for _, i := range idx {
		w.outs[i] = rules.Outcome{}
	}
	last := &s.Earlier[len(s.Earlier)-1]
	day := last.ListDay()
	i := w.env.Index(runs.Vanished)
	w.outs[i] = runs.EvaluateVanished(w.env, runs.VanishedRow{
		Source: last.List, Day: day, Amount: last.Value, Last: last.LastChanged,
		Rechecked: w.src.Answered(rules.Recheck{List: last.List, Day: day}) || w.src.Answered(rules.Recheck{List: ledger.SlipDetail, ID: s.ID}),
	})
	w.tally(i, w.outs[i].Status)
	if w.in.Closes != nil {
		i = w.env.Index(runs.ChangedAfterClose)
		w.outs[i] = runs.EvaluateSlipVanishedAfterClose(w.env, s)
		w.tally(i, w.outs[i].Status)
	}
	w.reset(idx)
	return w.cases.judged(place{subject: s.Subject(), day: s.Due, due: s.Due}, idx, w.outs)
}

func (w *work) slip(s *rules.Slip) error {
	idx := w.byKind[rules.OnSlip]
	w.result.Slips++
	w.measure(nil, s)
	w.reset(idx)
	w.now.reset()
	for _, i := range idx {
		w.outs[i] = w.env.EvaluateSlip(i, s)
		w.now.guard.Count(w.places[i], &w.outs[i], nil)
		w.disbelieve(i, &w.outs[i])
		w.tally(i, w.outs[i].Status)
	}
	e := w.slipExpectation(s)
	e.NextOn = w.nextOnSlip(s, idx)
	w.placeSlip(s, e)
	e.Verdict, e.Codes, e.Impact = w.verdictOf(s.Subject(), idx)
	w.now.value = s.FaceValue
	if err := w.believeSlip(s, e); err != nil {
		return err
	}
	return w.cases.judged(place{subject: s.Subject(), day: s.Due, due: s.Due}, idx, w.outs)
}

// nextOnSlip is nextOn for a slip. What fires is looked at every night: much of it depends on what the night asks.
func (w *work) nextOnSlip(s *rules.Slip, idx []int) ledger.Date {
	next := slips.NextSlipEvaluation(w.env, s)
	all := w.env.Rules()
	for _, i := range idx {
		if o := &w.outs[i]; o.Status >= rules.Pends || o.Status == rules.SuppressedFire || o.Status != rules.NotPulled && all[i].Waits(o.Status, s.Version) {
			next = w.in.AsOf + 1
		}
	}
	return next
}

// slipExpectation is what the run believes of a slip, brackets and verdict apart.
func (w *work) slipExpectation(s *rules.Slip) *ledger.SlipExpectation {
	e := &ledger.SlipExpectation{
		Account: w.account, ID: s.ID, Version: s.Version, Inputs: w.hash, Run: w.run.ID,
		Class: s.Class, Day: s.Due, DueAdjusted: s.DueOn, Face: s.ExpectedValue, Credited: s.Credited,
		PenaltyDue: s.ExpectedPenalty, InterestDue: s.ExpectedInterest, CreditLimit: s.WarningLimit,
	}
	if s.PaidOn != 0 {
		e.DaysLate = ledger.Some(int64(s.DaysLate))
	}
	if s.PaidOn != 0 && s.CreditedOn != 0 {
		e.FloatDays = ledger.Some(int64(w.env.BusinessDays(s.PaidOn, s.CreditedOn)))
	}
	if s.Class == ledger.Paid && s.HasContract {
		e.Tariff = s.Terms.Tariff
	}
	if s.CreditedOn != 0 {
		e.NetCredited = ledger.Some(s.PaidAmount - e.Tariff.Or(0))
	}
	return e
}

// placeSlip puts every bracket of a slip on its line.
func (w *work) placeSlip(s *rules.Slip, e *ledger.SlipExpectation) {
	switch s.Class {
	case ledger.Cancelled:
		e.Rest = ledger.LineCancelledPaid
		w.slipBracket(s, e, ledger.LineCancelledPaid, -s.PaidAmount)
	case ledger.Paid:
		w.placePaid(s, e)
	default:
		e.Rest = w.unpaid(s)
		w.slipBracket(s, e, e.Rest, s.FaceValue)
		return
	}
	if s.PaidAmount == 0 || s.CreditedOn != 0 {
		return
	}
	e.Rest = ledger.LineCreditNotDue
	if s.WarningLimit != 0 && w.in.AsOf > s.WarningLimit && s.PaidAmount > 0 { // nobody waits for less than nothing
		e.Rest = ledger.LineCreditOverdue
	}
	w.slipBracket(s, e, e.Rest, s.PaidAmount)
}

func (w *work) placePaid(s *rules.Slip, e *ledger.SlipExpectation) {
	e.Rest = ledger.LinePaid
	if s.Late() && !s.ChargesShown && s.PaidAmount != 0 {
		e.Rest = ledger.LineLateNotShown
		w.slipBracket(s, e, e.Rest, s.FaceValue-s.PaidAmount)
		return
	}
	w.slipBracket(s, e, ledger.LinePenalty, s.PenaltyBracket())
	w.slipBracket(s, e, ledger.LineInterest, s.InterestBracket())
	w.slipBracket(s, e, ledger.LineChargeNotDue, s.ChargeBracket())
	w.slipBracket(s, e, ledger.LinePaid, s.Rest())
}

// unpaid is the line of a slip nobody paid: not registered where a rule says so, else by its due date.
func (w *work) unpaid(s *rules.Slip) ledger.BridgeLine {
	for _, i := range w.owners[ledger.LineNotRegistered] {
		if w.outs[i].Status == rules.Fires {
			return ledger.LineNotRegistered
		}
	}
	if s.DueOn == 0 || w.in.AsOf <= s.DueOn {
		return ledger.LineUnpaidNotDue
	}
	return ledger.LineUnpaidPastDue
}

func (w *work) slipBracket(s *rules.Slip, e *ledger.SlipExpectation, line ledger.BridgeLine, amount ledger.Amount) {
	owners := w.owners[line]
	status := func(i int) rules.Status { return w.outs[i].Status }
	root := w.root(owners, status)
	if root >= 0 {
		w.impacts[root] = ledger.Some(w.impacts[root].Or(0) + amount)
	}
	if amount == 0 {
		return
	}
	b := ledger.Bracket{Line: line, Amount: amount}
	if root < 0 {
		w.placeUnowned(&b, owners, status, false)
		w.tolerate(&b, owners, status)
	} else {
		w.sign(&b, root, s.Subject())
	}
	e.Brackets = append(e.Brackets, b)
}
