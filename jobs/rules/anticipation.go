package rules

import "concilia/store/ledger"

const familyAnticipation = "anticipation"

// anticipationRules judge what being paid early cost. The service spells it antecipation.
func anticipationRules() []Rule {
	const eligible = "live installments with an anticipation value or an anticipated type, once paid"
	return []Rule{
		{
			Code: "ANTICIPATION_NOT_ORDERED", Version: 1, Family: familyAnticipation, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments, Mapping, Orders}, Tier: Configured, ByClass: true, Line: ledger.LineAnticipation,
			Eligible: eligible + ", where orders are configured", Fires: "no order and no standing order covers the day of payment",
			Text: Sentence{
				En: "Anticipated on {effective} at a cost of {actual}; no order covers it.",
				Pt: "Antecipada em {effective} ao custo de {actual}; nenhuma ordem de antecipação a cobre.",
			},
			row: notOrdered,
		},
		{
			Code: "ANTICIPATION_WITHOUT_EARLY_DATE", Version: 1, Family: familyAnticipation, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, ByClass: true, Line: ledger.LineAnticipation,
			Eligible: "live installments with an anticipation value, once paid", Fires: "paid on the forecast date or later",
			Text: Sentence{
				En: "Anticipation of {actual} charged, but paid on {effective}, not before the forecast {forecast}.",
				Pt: "Antecipação de {actual} cobrada, mas a parcela foi paga em {effective}, não antes da previsão de {forecast}.",
			},
			row: withoutEarlyDate,
		},
		{
			Code: "ANTICIPATION_RATE_MISMATCH", Version: 1, Family: familyAnticipation, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Points: 10_000}, Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true,
			Line: ledger.LineAnticipation, Eligible: eligible + ", whose contract line has a rate",
			Fires: "the stated anticipation rate is not the contract's",
			Text: Sentence{
				En: "Anticipated at {rate} % a month; the contract says {contract} %: R$ {charged} for {days:day:days} instead of R$ {agreed}.",
				Pt: "Antecipada a {rate} % ao mês; o contrato prevê {contract} %: R$ {charged} por {days:dia:dias} em vez de R$ {agreed}.",
			},
			row: anticipationRate,
		},
		{
			Code: "ANTICIPATION_AMOUNT_MISMATCH", Version: 1, Family: familyAnticipation, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Abs: 2 * ledger.Cent, Rel: 1_000}, Needs: []Need{Installments}, Tier: Always, ByClass: true,
			Line: ledger.LineAnticipation, Eligible: eligible,
			Fires: "the anticipation value is not what its own rate gives for the days, or is zero on an anticipated type",
			Text: Sentence{
				En: "Anticipation of {actual}; {rate} % a month over {days:day:days} gives {expected}.",
				Pt: "Antecipação de {actual}; {rate} % ao mês por {days:dia:dias} dão {expected}.",
			},
			row: anticipationAmount,
		},
		{
			Code: "EARLY_PAYMENT_WITHOUT_COST", Version: 1, Family: familyAnticipation, Subject: OnInstallment, Severity: ledger.Info,
			Default: Tolerance{Grace: 1}, Needs: []Need{Installments, Calendar}, Tier: Always, ByClass: true,
			Eligible: "received installments of a type that is not anticipated",
			Fires:    "paid more than a business day before the forecast at no cost",
			Text: Sentence{
				En: "Paid on {actual}, {days:business day:business days} before {expected}, at no cost.",
				Pt: "Parcela paga em {actual}, {days:dia útil:dias úteis} antes de {expected}, sem custo.",
			},
			row: earlyWithoutCost,
		},
		{
			Code: OrderUnfilled, Version: 1, Family: familyAnticipation, Subject: OnOrder, Severity: ledger.Warning,
			Default: Tolerance{Grace: 1}, Needs: []Need{Installments, Orders, Calendar}, Tier: Configured,
			Eligible: "anticipation orders that list installments, one case an order; installments cancelled or charged back are left out",
			Fires:    "a listed installment was not paid by the business day on which payment was asked for and the grace, by an answer for its sale day begun after that",
			Text: Sentence{
				En: "Order {order} lists {listed:installment:installments}: {unfilled:was:were} not paid by {limit}, R$ {gross}[, {late} of them later]; the first is installment {number} of NSU {nsu}, asked for on {pay_on}.",
				Pt: "A ordem {order} lista {listed:parcela:parcelas}: {unfilled:não foi paga:não foram pagas} até {limit}, R$ {gross}[, {late} depois disso]; a primeira é a parcela {number} do NSU {nsu}, pedida para {pay_on}.",
			},
		},
	}
}

// paidEarly is the status of the family's rules where they can't judge, or Passed where they can.
func paidEarly(r *Row) Status {
	switch {
	case !r.Live():
		return NotEligible
	case r.C <= 0 && r.TypeUnmapped:
		return Unmapped
	case !r.anticipated():
		return NotEligible
	case r.Now.Effective == 0 || r.AnticipationDue == 0:
		return NotEvaluable
	}
	return Passed
}

// notOrdered goes before all: what nobody ordered should cost nothing, whatever the rate.
func notOrdered(e *Env, r *Row, _ Tolerance) Outcome {
	switch {
	case !r.Live():
		return only(NotEligible)
	case r.C <= 0 && r.TypeUnmapped:
		return only(Unmapped)
	case !r.anticipated():
		return only(NotEligible)
	case e.Orders == nil:
		return only(NoInput)
	case r.Now.Effective == 0:
		return only(NotEvaluable)
	case e.ordered(r):
		return only(Passed)
	}
	return Outcome{
		Status: Fires, Hint: over, Expected: ledger.Money(0), Actual: ledger.Money(r.C), Numbers: []ledger.Number{date("effective", r.Now.Effective)},
	}
}

// ordered says whether an order covers the payment of the row; without orders nobody can say otherwise.
func (e *Env) ordered(r *Row) bool { return e.Orders == nil || e.Orders.Covers(r.Key, r.Now.Effective) }

// withoutEarlyDate goes before rate and amount: with no day gained, no rate is right.
func withoutEarlyDate(_ *Env, r *Row, _ Tolerance) Outcome {
	if r.C <= 0 {
		return only(NotEligible)
	}
	if s := paidEarly(r); s != Passed {
		return only(s)
	}
	if r.Now.Effective < r.AnticipationDue {
		return only(Passed)
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(0), Actual: ledger.Money(r.C),
		Numbers: []ledger.Number{date("effective", r.Now.Effective), date("forecast", r.AnticipationDue)},
	}
}

func anticipationRate(e *Env, r *Row, t Tolerance) Outcome {
	if s := paidEarly(r); s != Passed {
		return only(s)
	}
	if r.LineState != LineFound {
		return only(r.contractOr())
	}
	if !r.Line.Anticipation.OK {
		return only(NotEligible)
	}
	if !r.Now.AnticipRate.OK {
		return only(NotEvaluable)
	}
	agreed, c := r.Line.Anticipation.V, r.Now.AnticipRate.V.Percent(e.Profile.Unit)
	diff := c - agreed
	switch {
	case diff == 0:
		return only(Passed)
	case diff.Abs() <= t.Points:
		return only(Within)
	}
	o := Outcome{
		Status: Fires, Hint: over, Expected: ledger.Text(agreed.String()), Actual: ledger.Text(c.String()),
		Numbers: []ledger.Number{
			rate("rate", c), rate("contract", agreed), money("charged", r.C), count("days", r.DaysEarly), money("agreed", r.CStar),
		},
	}
	if diff < 0 {
		o.Hint = under
	}
	return o
}

// anticipationAmount holds the row to its own rate; whether that is the contract's is the other rule's question.
func anticipationAmount(e *Env, r *Row, t Tolerance) Outcome {
	if s := paidEarly(r); s != Passed {
		return only(s)
	}
	c := r.Now.AnticipRate.V.Percent(e.Profile.Unit)
	numbers := []ledger.Number{rate("rate", c), count("days", r.DaysEarly)}
	if r.C == 0 { // the type says anticipated
		return Outcome{Status: Fires, Hint: under, Expected: ledger.Money(r.CStar), Actual: ledger.Money(0), Numbers: numbers}
	}
	if !r.Now.AnticipRate.OK {
		return only(NotEvaluable)
	}
	expected, ok := e.anticipation(r, c, r.DaysEarly)
	if !ok {
		return only(NotEvaluable)
	}
	return differ(expected, r.C, r.C, t, under).tell(func() []ledger.Number { return numbers })
}

// earlyWithoutCost is a note: a gift, or a cost that was taken where nobody sees it.
func earlyWithoutCost(e *Env, r *Row, t Tolerance) Outcome {
	switch {
	case !r.Live() || !r.Settled:
		return only(NotEligible)
	case r.TypeUnmapped:
		return only(Unmapped)
	case r.Type == ledger.Anticipated:
		return only(NotEligible)
	case r.Now.Effective == 0 || r.AnticipationDue == 0:
		return only(NotEvaluable)
	}
	days := e.between(r.Now.Effective, r.AnticipationDue)
	if days <= t.Grace || r.C != 0 {
		return only(Passed)
	}
	return Outcome{Status: Fires, Expected: ledger.Day(r.AnticipationDue), Actual: ledger.Day(r.Now.Effective), Numbers: []ledger.Number{count("days", days)}}
}
