package reconcile

import (
	"context"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// slips judges every slip of the account. They come in order of id, so their bridge is held by due date to the end.
func (w *work) slips(ctx context.Context) error {
	err := w.src.Slips(ctx, w.account, func(s *ledger.Slip) error {
		if err := w.slip(rules.NewSlip(w.env, s)); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if rows := w.slipSide.flush(); len(rows) > 0 {
		return w.sink.Bridge(rows)
	}
	return nil
}

func (w *work) slip(s *rules.Slip) error {
	idx := w.byKind[rules.OnSlip]
	w.result.Slips++
	w.reset(idx)
	for _, i := range idx {
		w.outs[i] = w.env.OnSlip(i, s)
		w.tally(i, w.outs[i].Status)
	}
	e := w.slipExpectation(s)
	w.placeSlip(s, e)
	e.Verdict, e.Codes, e.Impact = w.verdictOf(idx)
	if err := w.slipSide.add(e.Day, "", "", e.Brackets); err != nil {
		return err
	}
	if err := w.sink.SlipExpectation(e); err != nil {
		return err
	}
	return w.cases.judged(place{subject: s.Subject(), day: s.Due, due: s.Due}, idx, w.outs)
}

// slipExpectation is what the run believes of a slip, brackets and verdict apart.
func (w *work) slipExpectation(s *rules.Slip) *ledger.SlipExpectation {
	e := &ledger.SlipExpectation{
		Account: w.account, ID: s.ID, Version: s.Version, Inputs: w.hash, Run: w.run.ID,
		Class: s.Class, Day: s.Due, DueAdjusted: s.DueOn, Face: s.VStar, Credited: s.Credited,
		PenaltyDue: s.PenStar, InterestDue: s.IntStar, CreditLimit: s.LimitW,
	}
	if s.PaidOn != 0 {
		e.DaysLate = ledger.Some(int64(s.DaysLate))
	}
	if s.PaidOn != 0 && s.CreditedOn != 0 {
		e.FloatDays = ledger.Some(int64(w.env.BusinessDays(s.PaidOn, s.CreditedOn)))
	}
	if s.Class == ledger.Paid && s.Contracted {
		e.Tariff = s.Terms.Tariff
	}
	if s.CreditedOn != 0 {
		e.NetCredited = ledger.Some(s.Wp - e.Tariff.Or(0))
	}
	return e
}

// placeSlip puts every bracket of a slip on its line.
func (w *work) placeSlip(s *rules.Slip, e *ledger.SlipExpectation) {
	switch s.Class {
	case ledger.Cancelled:
		e.Rest = ledger.LineCancelledPaid
		w.slipBracket(s, e, ledger.LineCancelledPaid, -s.Wp)
	case ledger.Paid:
		w.placePaid(s, e)
	default:
		e.Rest = w.unpaid(s)
		w.slipBracket(s, e, e.Rest, s.V)
		return
	}
	if s.Wp == 0 || s.CreditedOn != 0 {
		return
	}
	e.Rest = ledger.LineCreditNotDue
	if s.LimitW != 0 && w.in.AsOf > s.LimitW && s.Wp > 0 { // nobody waits for less than nothing
		e.Rest = ledger.LineCreditOverdue
	}
	w.slipBracket(s, e, e.Rest, s.Wp)
}

func (w *work) placePaid(s *rules.Slip, e *ledger.SlipExpectation) {
	e.Rest = ledger.LinePaid
	if s.Late() && !s.Shown && s.Wp != 0 {
		e.Rest = ledger.LineLateNotShown
		w.slipBracket(s, e, e.Rest, s.V-s.Wp)
		return
	}
	w.slipBracket(s, e, ledger.LinePenalty, s.PenaltyBracket())
	w.slipBracket(s, e, ledger.LineInterest, s.InterestBracket())
	w.slipBracket(s, e, ledger.LineChargeNotDue, s.ChargeBracket())
	w.slipBracket(s, e, ledger.LinePaid, s.Rest())
}

// unpaid is the line of a slip nobody paid: not registered where a rule says so, else by its due date.
func (w *work) unpaid(s *rules.Slip) ledger.Line {
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

func (w *work) slipBracket(s *rules.Slip, e *ledger.SlipExpectation, line ledger.Line, amount ledger.Amount) {
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
		b.Line, b.Reason = w.unowned(line, owners, status, false)
		w.tolerate(b, owners, status, s.Due)
	}
	e.Brackets = append(e.Brackets, b)
}
