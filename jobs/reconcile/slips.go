package reconcile

import (
	"cmp"
	"context"
	"fmt"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

// evaluateSlips evaluates the slips of the scope.
func (ev *evaluation) evaluateSlips(ctx context.Context) error {
	return ev.src.SlipsInScope(ctx, ev.account, ev.scope, func(s *ledger.Slip) error {
		var err error
		if s.Vanished {
			err = ev.evaluateVanishedSlip(s)
		} else {
			err = ev.evaluateSlip(rules.NewSlip(ev.env, s))
		}
		return cmp.Or(err, ev.lookupError, ctx.Err())
	})
}

// evaluateVanishedSlip evaluates a slip that no list shows any more: it is removed from all sums, and only the rules on
// vanished rows look at it.
func (ev *evaluation) evaluateVanishedSlip(s *ledger.Slip) error {
	if s.Stored != nil {
		if !ev.everything {
			if err := ev.subtractSlip(s.Stored); err != nil {
				return err
			}
		}
		if err := ev.sink.EndSlipExpectation(s.ID); err != nil {
			return err
		}
	}
	idx := ev.rulesOn[rules.OnSlip]
	for _, i := range idx {
		ev.outcomes[i] = rules.Outcome{}
	}
	last := &s.Earlier[len(s.Earlier)-1]
	day := last.ListDay()
	i := ev.env.Index(runs.Vanished)
	ev.outcomes[i] = runs.EvaluateVanished(ev.env, runs.VanishedRow{
		Source: last.List, Day: day, Amount: last.Value, Last: last.LastChanged,
		Rechecked: ev.src.WasAnswered(rules.Recheck{List: last.List, Day: day}) || ev.src.WasAnswered(rules.Recheck{List: ledger.SlipDetail, ID: s.ID}),
	})
	ev.countStatus(i, ev.outcomes[i].Status)
	if ev.in.Closes != nil {
		i = ev.env.Index(runs.ChangedAfterClose)
		ev.outcomes[i] = runs.EvaluateSlipVanishedAfterClose(ev.env, s)
		ev.countStatus(i, ev.outcomes[i].Status)
	}
	ev.clearImpacts(idx)
	return ev.cases.recordOutcomes(caseContext{subject: s.Subject(), day: s.Due, due: s.Due}, idx, ev.outcomes)
}

func (ev *evaluation) evaluateSlip(s *rules.Slip) error {
	idx := ev.rulesOn[rules.OnSlip]
	ev.result.Slips++
	ev.calibrateWith(nil, s)
	ev.clearImpacts(idx)
	ev.delta.clear()
	for _, i := range idx {
		ev.outcomes[i] = ev.env.EvaluateSlip(i, s)
		ev.delta.guard.Count(ev.guardPlaces[i], &ev.outcomes[i], nil)
		ev.suppressOutcome(i, &ev.outcomes[i])
		ev.countStatus(i, ev.outcomes[i].Status)
	}
	e := ev.newSlipExpectation(s)
	e.NextOn = ev.nextSlipEvaluation(s, idx)
	ev.attributeSlip(s, e)
	ev.expectSlipCredit(s, e)
	e.Verdict, e.Codes, e.Impact = ev.summarizeSubject(s.Subject(), idx)
	ev.delta.value = s.FaceValue
	if err := ev.storeSlipExpectation(s, e); err != nil {
		return err
	}
	return ev.cases.recordOutcomes(caseContext{subject: s.Subject(), day: s.Due, due: s.Due}, idx, ev.outcomes)
}

// nextSlipEvaluation is nextEvaluation for a slip. A slip on which a rule fires is evaluated every night, because much
// depends on what the night asks.
func (ev *evaluation) nextSlipEvaluation(s *rules.Slip, idx []int) ledger.Date {
	next := slips.NextSlipEvaluation(ev.env, s)
	all := ev.env.Rules()
	for _, i := range idx {
		if o := &ev.outcomes[i]; o.Status >= rules.Pends || o.Status == rules.SuppressedFire || o.Status != rules.NotPulled && all[i].Waits(o.Status, s.Version) {
			next = ledger.EveryNight
		}
	}
	return next
}

// newSlipExpectation returns the expectation of a slip, without brackets and verdict.
func (ev *evaluation) newSlipExpectation(s *rules.Slip) *ledger.SlipExpectation {
	e := &ledger.SlipExpectation{
		Account: ev.account, ID: s.ID, Version: s.Version, Inputs: ev.inputsHash, Run: ev.run.ID,
		Class: s.Class, Day: s.Due, DueAdjusted: s.DueOn, Face: s.ExpectedValue, Credited: s.Credited,
		PenaltyDue: s.ExpectedPenalty, InterestDue: s.ExpectedInterest, CreditLimit: s.WarningLimit,
	}
	if s.PaidOn != 0 {
		e.DaysLate = ledger.Some(int64(s.DaysLate))
	}
	if s.PaidOn != 0 && s.CreditedOn != 0 {
		e.FloatDays = ledger.Some(int64(ev.env.BusinessDays(s.PaidOn, s.CreditedOn)))
	}
	if (s.Class == ledger.Paid || s.PaidAmount != 0) && s.HasContract { // what was paid costs the tariff, of a cancelled slip too
		e.Tariff = s.Terms.Tariff
	}
	if s.CreditedOn != 0 {
		e.NetCredited = ledger.Some(s.PaidAmount - e.Tariff.Or(0))
	}
	return e
}

// expectSlipCredit sets the day and the amount of the slip's credit, after its line is known. An open slip is taken as paid when
// it is due; one that is past due or not registered brings nothing on a day that could be told.
func (ev *evaluation) expectSlipCredit(s *rules.Slip, e *ledger.SlipExpectation) {
	switch {
	case e.NetCredited.OK:
		e.CreditOn, e.CreditNet = s.CreditedOn, e.NetCredited
	case e.Rest == ledger.LineCreditNotDue, e.Rest == ledger.LineCreditOverdue:
		e.CreditOn, e.CreditNet = s.CreditDue, ledger.Some(s.PaidAmount-e.Tariff.Or(0))
	case e.Rest == ledger.LineUnpaidNotDue || e.Rest == ledger.LineNotRegistered:
		e.CreditNet = ledger.Some(s.FaceValue)
		if s.HasContract {
			e.CreditNet = ledger.Some(s.FaceValue - s.Terms.Tariff.Or(0))
		}
		if s.Class == ledger.Open && e.Rest == ledger.LineUnpaidNotDue && s.Integration.Or(ledger.IntegrationIssued) == ledger.IntegrationIssued {
			e.CreditOn = s.CreditIfPaidWhenDue(ev.env)
		}
	}
}

// attributeSlip puts every bracket of a slip on its line.
func (ev *evaluation) attributeSlip(s *rules.Slip, e *ledger.SlipExpectation) {
	switch s.Class {
	case ledger.Cancelled:
		e.Rest = ledger.LineCancelledPaid
		ev.attributeSlipAmount(s, e, ledger.LineCancelledPaid, -s.PaidAmount)
	case ledger.Paid:
		ev.attributePaidSlip(s, e)
	default:
		e.Rest = ev.lineOfUnpaid(s)
		ev.attributeSlipAmount(s, e, e.Rest, s.FaceValue)
		return
	}
	if s.PaidAmount == 0 || s.CreditedOn != 0 {
		return
	}
	e.Rest = ledger.LineCreditNotDue
	if s.WarningLimit != 0 && ev.in.AsOf > s.WarningLimit && s.PaidAmount > 0 {
		e.Rest = ledger.LineCreditOverdue
	}
	ev.attributeSlipAmount(s, e, e.Rest, s.PaidAmount)
}

func (ev *evaluation) attributePaidSlip(s *rules.Slip, e *ledger.SlipExpectation) {
	e.Rest = ledger.LinePaid
	if s.Late() && !s.ChargesShown && s.PaidAmount != 0 {
		e.Rest = ledger.LineLateNotShown
		ev.attributeSlipAmount(s, e, e.Rest, s.FaceValue-s.PaidAmount)
		return
	}
	ev.attributeSlipAmount(s, e, ledger.LinePenalty, s.PenaltyBracket())
	ev.attributeSlipAmount(s, e, ledger.LineInterest, s.InterestBracket())
	ev.attributeSlipAmount(s, e, ledger.LineChargeNotDue, s.ChargeBracket())
	ev.attributeSlipAmount(s, e, ledger.LinePaid, s.Rest())
}

// lineOfUnpaid is the line of an unpaid slip: not registered if a rule says so, else by its due date.
func (ev *evaluation) lineOfUnpaid(s *rules.Slip) ledger.BridgeLine {
	for _, i := range ev.lineOwners[ledger.LineNotRegistered] {
		if ev.outcomes[i].Status == rules.Fires {
			return ledger.LineNotRegistered
		}
	}
	if s.DueOn == 0 || ev.in.AsOf <= s.DueOn {
		return ledger.LineUnpaidNotDue
	}
	return ledger.LineUnpaidPastDue
}

func (ev *evaluation) attributeSlipAmount(s *rules.Slip, e *ledger.SlipExpectation, line ledger.BridgeLine, amount ledger.Amount) {
	owners := ev.lineOwners[line]
	status := func(i int) rules.Status { return ev.outcomes[i].Status }
	root := ev.findRoot(owners, status)
	if root >= 0 {
		ev.impacts[root] = ledger.Some(ev.impacts[root].Or(0) + amount)
	}
	if amount == 0 {
		return
	}
	b := ledger.Bracket{Line: line, Amount: amount}
	if root < 0 {
		ev.attributeWithoutOwner(&b, owners, status, false)
		ev.tolerateRounding(&b, owners, status)
	} else {
		ev.setOwner(&b, root, s.Subject())
	}
	e.Brackets = append(e.Brackets, b)
}

// newReplacedLookup returns whether a slip was replaced by another. The ids are read when a rule first asks, which on
// most nights none does.
func (ev *evaluation) newReplacedLookup(ctx context.Context) func(*ledger.Slip) bool {
	if ev.in.ListReplaced == nil {
		return nil
	}
	var ids map[string]bool
	asked := false
	return func(s *ledger.Slip) bool {
		if !asked {
			asked = true
			var err error
			if ids, err = ev.in.ListReplaced(ctx); err != nil {
				ev.lookupError = fmt.Errorf("slips that were issued again: %w", err)
			}
		}
		return ids[s.ID]
	}
}
