package cards

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// anticipationRules judge what being paid early cost. The service spells it antecipation.
func AnticipationRules() []rules.Rule {
	const eligible = "live installments with an anticipation value or an anticipated type, once paid"
	return []rules.Rule{
		{
			Code: "ANTICIPATION_NOT_ORDERED", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments, rules.Mapping, rules.Orders}, Tier: rules.Configured, ByClass: true, Line: ledger.LineAnticipation,
			Eligible: eligible + ", where orders are configured", Fires: "no order and no standing order covers the day of payment",
			Text: rules.Sentence{
				En: "Anticipated on {effective} at a cost of {actual}; no order covers it.",
				Pt: "Antecipada em {effective} ao custo de {actual}; nenhuma ordem de antecipação a cobre.",
			},
			EvaluateRow: evaluateNotOrdered,
		},
		{
			Code: "ANTICIPATION_WITHOUT_EARLY_DATE", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineAnticipation,
			Eligible: "live installments with an anticipation value, once paid", Fires: "paid on the forecast date or later",
			Text: rules.Sentence{
				En: "Anticipation of {actual} charged, but paid on {effective}, not before the forecast {forecast}.",
				Pt: "Antecipação de {actual} cobrada, mas a parcela foi paga em {effective}, não antes da previsão de {forecast}.",
			},
			EvaluateRow: evaluateEarlyDate,
		},
		{
			Code: "ANTICIPATION_RATE_MISMATCH", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Points: 10_000}, Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true,
			Line: ledger.LineAnticipation, Eligible: eligible + ", whose contract line has a rate",
			Fires: "the stated anticipation rate is not the contract's",
			Text: rules.Sentence{
				En: "Anticipated at {rate} % a month; the contract says {contract} %: R$ {charged} for {days:day:days} instead of R$ {agreed}.",
				Pt: "Antecipada a {rate} % ao mês; o contrato prevê {contract} %: R$ {charged} por {days:dia:dias} em vez de R$ {agreed}.",
			},
			EvaluateRow: evaluateAnticipationRate,
		},
		{
			Code: "ANTICIPATION_AMOUNT_MISMATCH", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: 2 * ledger.Cent, Rel: 1_000}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			Line: ledger.LineAnticipation, Eligible: eligible,
			Fires: "the anticipation value is not what its own rate gives for the days, or is zero on an anticipated type",
			Text: rules.Sentence{
				En: "Anticipation of {actual}; {rate} % a month over {days:day:days} gives {expected}.",
				Pt: "Antecipação de {actual}; {rate} % ao mês por {days:dia:dias} dão {expected}.",
			},
			EvaluateRow: evaluateAnticipationAmount,
		},
		{
			Code: "EARLY_PAYMENT_WITHOUT_COST", Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnInstallment, Severity: ledger.Info,
			Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.Installments, rules.Calendar}, Tier: rules.Always, ByClass: true,
			Eligible: "received installments of a type that is not anticipated",
			Fires:    "paid more than a business day before the forecast at no cost",
			Text: rules.Sentence{
				En: "Paid on {actual}, {days:business day:business days} before {expected}, at no cost.",
				Pt: "Parcela paga em {actual}, {days:dia útil:dias úteis} antes de {expected}, sem custo.",
			},
			EvaluateRow: evaluateEarlyWithoutCost,
		},
		{
			Code: OrderUnfilled, Version: 1, Family: rules.FamilyAnticipation, Subject: rules.OnOrder, Severity: ledger.Warning,
			Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.Installments, rules.Orders, rules.Calendar}, Tier: rules.Configured,
			Eligible: "anticipation orders that list installments, one case an order; installments cancelled or charged back are left out",
			Fires:    "a listed installment was not paid by the business day on which payment was asked for and the grace, by an answer for its sale day begun after that",
			Text: rules.Sentence{
				En: "Order {order} lists {listed:installment:installments}: {unfilled:was:were} not paid by {limit}, R$ {gross}[, {late} of them later]; the first is installment {number} of NSU {nsu}, asked for on {pay_on}.",
				Pt: "A ordem {order} lista {listed:parcela:parcelas}: {unfilled:não foi paga:não foram pagas} até {limit}, R$ {gross}[, {late} depois disso]; a primeira é a parcela {number} do NSU {nsu}, pedida para {pay_on}.",
			},
		},
	}
}

// checkPaidEarly is the status of the family's rules where they can't judge, or Passed where they can.
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

// evaluateNotOrdered goes before all: what nobody ordered should cost nothing, whatever the rate.
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
	if !r.Now.AnticipRate.OK {
		return rules.NotEvaluable.Outcome()
	}
	agreed, c := r.Line.Anticipation.V, r.Now.AnticipRate.V.Percent(e.Profile.Unit)
	diff := c - agreed
	switch {
	case diff == 0:
		return rules.Passed.Outcome()
	case diff.Abs() <= t.Points:
		return rules.Within.Outcome()
	}
	o := rules.Outcome{
		Status: rules.Fires, Hint: rules.Over, Expected: ledger.Text(agreed.String()), Actual: ledger.Text(c.String()),
		Numbers: []ledger.Number{
			rules.NamedRate("rate", c), rules.NamedRate("contract", agreed), rules.NamedAmount("charged", r.Anticipation), rules.NamedCount("days", r.DaysEarly), rules.NamedAmount("agreed", r.ExpectedAnticipation),
		},
	}
	if diff < 0 {
		o.Hint = rules.Under
	}
	return o
}

// evaluateAnticipationAmount holds the row to its own rate; whether that is the contract's is the other rule's question.
func evaluateAnticipationAmount(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if s := checkPaidEarly(r); s != rules.Passed {
		return s.Outcome()
	}
	c := r.Now.AnticipRate.V.Percent(e.Profile.Unit)
	numbers := []ledger.Number{rules.NamedRate("rate", c), rules.NamedCount("days", r.DaysEarly)}
	if r.Anticipation == 0 { // the type says anticipated
		return rules.Outcome{Status: rules.Fires, Hint: rules.Under, Expected: ledger.Money(r.ExpectedAnticipation), Actual: ledger.Money(0), Numbers: numbers}
	}
	if !r.Now.AnticipRate.OK {
		return rules.NotEvaluable.Outcome()
	}
	expected, ok := e.AnticipationCost(r, c, r.DaysEarly)
	if !ok {
		return rules.NotEvaluable.Outcome()
	}
	return rules.CompareAmounts(expected, r.Anticipation, r.Anticipation, t, rules.Under).WithNumbers(func() []ledger.Number { return numbers })
}

// evaluateEarlyWithoutCost is a note: a gift, or a cost that was taken where nobody sees it.
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
