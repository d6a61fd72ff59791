package rules

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// receiptDateRules judge when money came or is to come, and what the statuses say of it.
func receiptDateRules() []Rule {
	return slices.Concat(historyRules(), effectiveDateRules(), forecastRules(), statusRules())
}

// effectiveDateRules judge the day something was paid.
func effectiveDateRules() []Rule {
	return []Rule{
		{
			Code: "RECEIVED_LATE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments, Calendar}, Tier: Always, ByClass: true, Eligible: "live installments with an effective date",
			Fires: "paid after the forecast's business day; the cost of money is told where the contract prices it",
			Text: Sentence{
				En: "Paid on {actual}, {days:business day:business days} after {expected}[; cost of money R$ {cost}].",
				Pt: "Parcela paga em {actual}, {days:dia útil:dias úteis} depois de {expected}[; custo do dinheiro R$ {cost}].",
			},
			row: late,
		},
		{
			Code: "RECEIVED_IN_FUTURE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "installments with an effective date",
			Fires: "the date lies after the day of the pull that brought it",
			Text: Sentence{
				En: "Paid on {actual} according to the service, which said so on {expected}.",
				Pt: "Parcela paga em {actual} segundo o serviço, que o informou em {expected}.",
			},
			row: inFuture,
		},
		{
			Code: "RECEIVED_NON_BUSINESS_DAY", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments, Calendar}, Tier: Always, Eligible: "installments with an effective date",
			Fires: "the effective date is no business day",
			Text: Sentence{
				En: "Paid on {actual}, when banks do not settle.",
				Pt: "Parcela paga em {actual}, dia sem liquidação bancária.",
			},
			row: func(e *Env, r *Row, _ Tolerance) Outcome {
				if r.Now.Effective == 0 {
					return only(NotEligible)
				}
				if e.business(r.Now.Effective) {
					return only(Passed)
				}
				return Outcome{Status: Fires, Expected: ledger.Day(e.next(r.Now.Effective)), Actual: ledger.Day(r.Now.Effective)}
			},
		},
	}
}

// forecastRules judge the day something is promised for.
func forecastRules() []Rule {
	return []Rule{
		{
			Code: "FORECAST_MISSING", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments}, Tier: Always, ByClass: true, Eligible: "open installments without an effective date",
			Fires: "an open installment has no forecast date",
			Text: Sentence{
				En: "R$ {net} is to come, and the service does not say when.",
				Pt: "R$ {net} a receber, e o serviço não informa a data.",
			},
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if r.Class != ledger.Open || r.Now.Effective != 0 {
					return only(NotEligible)
				}
				if r.Now.Forecast != 0 {
					return only(Passed)
				}
				return Outcome{Status: Fires, Numbers: []ledger.Number{money("net", r.Net)}}
			},
		},
		{
			Code: "FORECAST_DATE_MISMATCH", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []Need{Installments, Contract, Calendar}, Tier: Configured, ByClass: true,
			Eligible: "live installments with a forecast, not anticipated, whose product has a term in the contract",
			Fires:    "the forecast's business day is not the contract's: a warning at one business day, beyond it an error",
			Text: Sentence{
				En: "Forecast {forecast}; the contract's term leads to {expected}: {days:business day:business days} apart.",
				Pt: "Previsão {forecast}; o prazo do contrato leva a {expected}: {days:dia útil:dias úteis} de diferença.",
			},
			row: forecastDate,
		},
		{
			Code: "FORECAST_NON_BUSINESS_DAY", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Info,
			Needs: []Need{Installments, Calendar}, Tier: Always, ByClass: true, Eligible: "live installments with a forecast",
			Fires: "the forecast is no business day, and forecasts are read as moved on to one",
			Text: Sentence{
				En: "Forecast for {actual}, when banks do not settle; read as {expected}.",
				Pt: "Previsão para {actual}, dia sem liquidação bancária; lida como {expected}.",
			},
			row: func(e *Env, r *Row, _ Tolerance) Outcome {
				if !r.Live() || r.Now.Forecast == 0 {
					return only(NotEligible)
				}
				// Read raw, a forecast is the day of the term, weekends and holidays included.
				if e.business(r.Now.Forecast) || e.Profile.Forecast == agreements.ForecastRaw {
					return only(Passed)
				}
				return Outcome{Status: Fires, Expected: ledger.Day(r.Due), Actual: ledger.Day(r.Now.Forecast)}
			},
		},
	}
}

// statusRules judge statuses against dates and values.
func statusRules() []Rule {
	return []Rule{
		{
			Code: "STATUS_FIELD_CONFLICT", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments, Mapping}, Tier: Always, ByClass: true,
			Eligible: "open and received installments",
			Fires:    "a status says received without date and value, or open with both",
			Text: Sentence{
				En: "The status says {status}, date and value say {fields}.",
				Pt: "O status indica {status}; data e valor indicam {fields}.",
			},
			row: statusConflict,
		},
		{
			Code: "CANCELLED_STILL_FORECAST", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments, Mapping}, Tier: Always, ByClass: true,
			Eligible: "cancelled and charged-back installments with nothing received",
			Fires:    "a forecast not past, and a status that still says open",
			Text: Sentence{
				En: "The installment is {class}, yet still forecast for {actual}.",
				Pt: "A parcela está {class}, mas segue prevista para {actual}.",
			},
			row: func(e *Env, r *Row, _ Tolerance) Outcome {
				if !r.Class.IsReversal() || r.R != 0 {
					return only(NotEligible)
				}
				if r.Now.Forecast < e.AsOf || !r.received.says(ledger.Open) {
					return only(Passed)
				}
				return Outcome{Status: Fires, Actual: ledger.Day(r.Now.Forecast), Numbers: []ledger.Number{text("class", string(r.Class))}}
			},
		},
	}
}

// late compares business days: a forecast on a holiday is met on the next day banks settle.
func late(e *Env, r *Row, t Tolerance) Outcome {
	switch {
	case !r.Live() || r.Now.Effective == 0:
		return only(NotEligible)
	case r.Due == 0:
		return only(NotEvaluable)
	case r.Now.Effective <= r.Due:
		return only(Passed)
	}
	days := e.between(r.Due, r.Now.Effective)
	if days <= t.Grace && t.Grace > 0 {
		return only(Within)
	}
	numbers := []ledger.Number{count("days", days)}
	if r.Contract != nil && r.Contract.CDIYearPct.OK {
		if cost, ok := e.costOfMoney(r.Net, r.Contract.CDIYearPct.V, days); ok {
			numbers = append(numbers, money("cost", cost))
		}
	}
	return Outcome{Status: Fires, Expected: ledger.Day(r.Due), Actual: ledger.Day(r.Now.Effective), Numbers: numbers}
}

// inFuture asks who said so when. A later night does not make the statement true in hindsight, and an as-of in the
// past accuses nobody.
func inFuture(_ *Env, r *Row, _ Tolerance) Outcome {
	if r.Now.Effective == 0 {
		return only(NotEligible)
	}
	// The pull that brought the date is that of the first version of the present run of versions that state it.
	brought := r.Now
	for i := len(r.History) - 2; i >= 0 && r.History[i].Effective == r.Now.Effective; i-- {
		brought = &r.History[i]
	}
	if brought.PulledOn == 0 {
		return only(NotEvaluable)
	}
	if r.Now.Effective <= brought.PulledOn {
		return only(Passed)
	}
	return Outcome{Status: Fires, Expected: ledger.Day(brought.PulledOn), Actual: ledger.Day(r.Now.Effective)}
}

// forecastDate compares the business days both dates lead to, so a forecast the service has moved on and one it has
// not are the same.
func forecastDate(e *Env, r *Row, _ Tolerance) Outcome {
	switch {
	case !r.Live() || r.Now.Forecast == 0:
		return only(NotEligible)
	case r.TypeUnmapped:
		return only(Unmapped)
	case r.Type == ledger.Anticipated:
		return only(NotEligible)
	case !e.contracted:
		return only(NoInput)
	case !r.productKnown:
		return only(Unmapped)
	case r.Expected == 0:
		return only(NotEligible)
	}
	expected := e.next(r.Expected)
	if r.Due == expected {
		return only(Passed)
	}
	o := Outcome{Status: Fires, Severity: ledger.Error, Expected: ledger.Day(expected), Actual: ledger.Day(r.Due), Hint: over}
	days := e.between(expected, r.Due)
	if r.Due < expected {
		days, o.Hint = e.between(r.Due, expected), under
	}
	if days <= 1 {
		o.Severity = ledger.Warning
	}
	o.Numbers = []ledger.Number{date("forecast", r.Now.Forecast), count("days", days)}
	return o
}

// statusConflict lets installmentStatus speak only when it says received: most services leave it at authorized.
func statusConflict(_ *Env, r *Row, _ Tolerance) Outcome {
	if r.Class.IsReversal() || r.Class == ledger.Blocked {
		return only(NotEligible)
	}
	paid := r.received.says(ledger.Received) || r.status.says(ledger.Received)
	switch {
	case paid && r.Now.Effective == 0 && r.R == 0:
		return conflict(ledger.Received, ledger.Open)
	case r.received.says(ledger.Open) && r.Now.Effective != 0 && r.R >= r.Net-ledger.Cent:
		return conflict(ledger.Open, ledger.Received)
	}
	return only(Passed)
}

// conflict names what the status says and what date and value say.
func conflict(status, fields ledger.Class) Outcome {
	return Outcome{
		Status: Fires, Expected: ledger.Text(string(fields)), Actual: ledger.Text(string(status)),
		Numbers: []ledger.Number{text("status", string(status)), text("fields", string(fields))},
	}
}
