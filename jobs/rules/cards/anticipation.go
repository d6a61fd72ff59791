package cards

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// AnticipationRules evaluate what being paid early cost. The service spells it antecipation.
func AnticipationRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "ANTICIPATION_NOT_ORDERED", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments, rules.Mapping, rules.Orders}, Tier: rules.Configured, ByClass: true, Line: ledger.LineAnticipation,
			EvaluateRow: evaluateNotOrdered,
		},
		{
			Code: "ANTICIPATION_WITHOUT_EARLY_DATE", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineAnticipation,
			EvaluateRow: evaluateEarlyDate,
		},
		{
			Code: "ANTICIPATION_RATE_MISMATCH", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Points: 10_000}, Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true,
			Line:        ledger.LineAnticipation,
			EvaluateRow: evaluateAnticipationRate,
		},
		{
			Code: "ANTICIPATION_AMOUNT_MISMATCH", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: 2 * ledger.Cent, Rel: 1_000}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			Line:        ledger.LineAnticipation,
			EvaluateRow: evaluateAnticipationAmount,
		},
		{
			Code: "EARLY_PAYMENT_WITHOUT_COST", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Info,
			Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.Installments, rules.Calendar}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateEarlyWithoutCost,
		},
		{
			Code: OrderUnfilled, Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnOrder, Severity: ledger.Warning,
			Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.Installments, rules.Orders, rules.Calendar}, Tier: rules.Configured,
		},
	}
}

// checkPaidEarly is the status of the family's rules where they can't evaluate, or Passed where they can.
func checkPaidEarly(r *rules.Row) rules.Status {
	switch {
	case !r.Live():
		return rules.NotEligible
	case r.Anticipation <= 0 && r.TypeUnmapped:
		return rules.Unmapped
	case !r.IsAnticipated():
		return rules.NotEligible
	case r.Now.Effective == 0 || r.AnticipationDue == 0:
		return rules.NotEvaluable
	}
	return rules.Passed
}

// evaluateNotOrdered comes before the other rules on anticipation: one that was not ordered should cost nothing, whatever the rate.
func evaluateNotOrdered(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	switch {
	case !r.Live():
		return rules.NotEligible.Outcome()
	case r.Anticipation <= 0 && r.TypeUnmapped:
		return rules.Unmapped.Outcome()
	case !r.IsAnticipated():
		return rules.NotEligible.Outcome()
	case e.Orders == nil:
		return rules.NoInput.Outcome()
	case r.Now.Effective == 0:
		return rules.NotEvaluable.Outcome()
	case e.IsOrdered(r):
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Hint: rules.Over, Expected: ledger.Money(0), Actual: ledger.Money(r.Anticipation), Numbers: []ledger.Number{rules.NamedDate("effective", r.Now.Effective)},
	}
}

// evaluateEarlyDate goes before rate and amount: with no day gained, no rate is right.
func evaluateEarlyDate(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if r.Anticipation <= 0 {
		return rules.NotEligible.Outcome()
	}
	if s := checkPaidEarly(r); s != rules.Passed {
		return s.Outcome()
	}
	if r.Now.Effective < r.AnticipationDue {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(0), Actual: ledger.Money(r.Anticipation),
		Numbers: []ledger.Number{rules.NamedDate("effective", r.Now.Effective), rules.NamedDate("forecast", r.AnticipationDue)},
	}
}

func evaluateAnticipationRate(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if s := checkPaidEarly(r); s != rules.Passed {
		return s.Outcome()
	}
	if r.LineState != rules.LineFound {
		return r.MissingLineStatus().Outcome()
	}
	if !r.Line.Anticipation.OK {
		return rules.NotEligible.Outcome()
	}
	if !r.Now.AnticipationRate.OK {
		return rules.NotEvaluable.Outcome()
	}
	agreed, c := r.Line.Anticipation.V, r.Now.AnticipationRate.V.Percent(e.Profile.Unit)
	return rules.CompareRates(agreed, c, t).WithNumbers(func() []ledger.Number {
		return []ledger.Number{
			rules.NamedRate("rate", c), rules.NamedRate("contract", agreed), rules.NamedAmount("charged", r.Anticipation), rules.NamedCount("days", r.DaysEarly), rules.NamedAmount("agreed", r.ExpectedAnticipation),
		}
	})
}

// evaluateAnticipationAmount holds the row to its own rate; whether that is the contract's is the other rule's question.
func evaluateAnticipationAmount(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if s := checkPaidEarly(r); s != rules.Passed {
		return s.Outcome()
	}
	c := r.Now.AnticipationRate.V.Percent(e.Profile.Unit)
	numbers := []ledger.Number{rules.NamedRate("rate", c), rules.NamedCount("days", r.DaysEarly)}
	if r.Anticipation == 0 { // the type says anticipated
		return rules.Outcome{Status: rules.Fires, Hint: rules.Under, Expected: ledger.Money(r.ExpectedAnticipation), Actual: ledger.Money(0), Numbers: numbers}
	}
	if !r.Now.AnticipationRate.OK {
		return rules.NotEvaluable.Outcome()
	}
	expected, ok := e.AnticipationCost(r, c, r.DaysEarly)
	if !ok {
		return rules.NotEvaluable.Outcome()
	}
	return rules.CompareAmounts(expected, r.Anticipation, r.Anticipation, t, rules.Under).WithNumbers(func() []ledger.Number { return numbers })
}

// evaluateEarlyWithoutCost is a note on money that came early at no cost: a favour, or its cost was taken elsewhere.
func evaluateEarlyWithoutCost(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	switch {
	case !r.Live() || !r.Settled:
		return rules.NotEligible.Outcome()
	case r.TypeUnmapped:
		return rules.Unmapped.Outcome()
	case r.Type == ledger.Anticipated:
		return rules.NotEligible.Outcome()
	case r.Now.Effective == 0 || r.AnticipationDue == 0:
		return rules.NotEvaluable.Outcome()
	}
	days := e.BusinessDays(r.Now.Effective, r.AnticipationDue)
	if days <= t.Grace || r.Anticipation != 0 {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(r.AnticipationDue), Actual: ledger.Day(r.Now.Effective), Numbers: []ledger.Number{rules.NamedCount("days", days)}}
}
