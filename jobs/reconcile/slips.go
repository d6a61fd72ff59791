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

// slipEvaluator evaluates slips, one after the other.
type slipEvaluator struct {
	*attempt
	outcomes        *subjectOutcomes
	cases           *cases
	bridge          *bridge
	writer          *expectationWriter
	interpretations *interpretationEvaluator
	replaced        *replacedSlips
	evaluated       int64
}

// evaluateSlips evaluates the slips of the scope.
func (ev *slipEvaluator) evaluateSlips(ctx context.Context) error {
	return ev.src.SlipsInScope(ctx, ev.account, ev.scope, func(s *ledger.Slip) error {
		var err error
		if s.Vanished {
			err = ev.evaluateVanishedSlip(s)
		} else {
			err = ev.evaluateSlip(rules.NewSlip(ev.env, s))
		}
		return cmp.Or(err, ev.replaced.failed, ctx.Err())
	})
}

// evaluateVanishedSlip evaluates a slip that no list shows any more: it is removed from all sums, and only the rules on
// vanished rows look at it.
func (ev *slipEvaluator) evaluateVanishedSlip(s *ledger.Slip) error {
	if err := ev.writer.endSlip(s); err != nil {
		return err
	}
	idx := ev.outcomes.rulesOn[rules.OnSlip]
	for _, i := range idx {
		ev.outcomes.current[i] = rules.Outcome{}
	}
	last := &s.Earlier[len(s.Earlier)-1]
	day := last.ListDay()
	i := ev.env.Index(runs.Vanished)
	ev.outcomes.current[i] = runs.EvaluateVanished(ev.env, runs.VanishedRow{
		Source: last.List, Day: day, Amount: last.Value, Last: last.LastChanged,
		Rechecked: ev.src.WasAnswered(rules.Recheck{List: last.List, Day: day}) || ev.src.WasAnswered(rules.Recheck{List: ledger.SlipDetail, ID: s.ID}),
	})
	ev.outcomes.countStatus(i, ev.outcomes.current[i].Status)
	if ev.in.Closes != nil {
		i = ev.env.Index(runs.ChangedAfterClose)
		ev.outcomes.current[i] = runs.EvaluateSlipVanishedAfterClose(ev.env, s)
		ev.outcomes.countStatus(i, ev.outcomes.current[i].Status)
	}
	ev.outcomes.clearImpacts(idx)
	return ev.cases.recordOutcomes(caseContext{subject: s.Subject(), day: s.Due, due: s.Due}, idx, ev.outcomes.current)
}

func (ev *slipEvaluator) evaluateSlip(s *rules.Slip) error {
	idx := ev.outcomes.rulesOn[rules.OnSlip]
	ev.evaluated++
	ev.interpretations.calibrateWith(nil, s)
	ev.outcomes.clearImpacts(idx)
	ev.outcomes.delta.clear()
	for _, i := range idx {
		ev.outcomes.current[i] = ev.env.EvaluateSlip(i, s)
		ev.outcomes.countOutcome(i, &ev.outcomes.current[i], &ev.outcomes.delta.guard, nil)
	}
	e := ev.newSlipExpectation(s)
	e.NextOn = ev.nextSlipEvaluation(s, idx)
	ev.bridge.attributeSlip(s, e)
	ev.expectSlipCredit(s, e)
	e.Verdict, e.Codes, e.Impact = ev.cases.summarizeSubject(s.Subject(), idx)
	ev.outcomes.delta.value = s.FaceValue
	if err := ev.writer.storeSlip(s, e); err != nil {
		return err
	}
	return ev.cases.recordOutcomes(caseContext{subject: s.Subject(), day: s.Due, due: s.Due}, idx, ev.outcomes.current)
}

// nextSlipEvaluation is nextEvaluation for a slip. A slip on which a rule fires is evaluated every night, because much
// depends on what the night asks.
func (ev *slipEvaluator) nextSlipEvaluation(s *rules.Slip, idx []int) ledger.Date {
	next := slips.NextSlipEvaluation(ev.env, s)
	all := ev.env.Rules()
	for _, i := range idx {
		if o := &ev.outcomes.current[i]; o.Status >= rules.Pends || o.Status == rules.SuppressedFire || o.Status != rules.NotPulled && all[i].Waits(o.Status, s.Version) {
			next = ledger.EveryNight
		}
	}
	return next
}

// newSlipExpectation returns the expectation of a slip, without brackets and verdict.
func (ev *slipEvaluator) newSlipExpectation(s *rules.Slip) *ledger.SlipExpectation {
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
// it is due; of one that is past due or not registered no day can be expected.
func (ev *slipEvaluator) expectSlipCredit(s *rules.Slip, e *ledger.SlipExpectation) {
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

// replacedSlips knows which slips were replaced by another. Their ids are read when a rule first asks, which on most
// nights none does.
type replacedSlips struct {
	asked  bool
	ids    map[string]bool
	failed error
}

// newLookup returns whether a slip was replaced; nil if it cannot be known.
func (r *replacedSlips) newLookup(ctx context.Context, list func(context.Context) (map[string]bool, error)) func(*ledger.Slip) bool {
	if list == nil {
		return nil
	}
	return func(s *ledger.Slip) bool {
		if !r.asked {
			r.asked = true
			var err error
			if r.ids, err = list(ctx); err != nil {
				r.failed = fmt.Errorf("slips that were issued again: %w", err)
			}
		}
		return r.ids[s.ID]
	}
}
