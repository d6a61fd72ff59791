package cards

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// ReceiptDateRules evaluate when money came or is to come, and what the statuses say of it.
func ReceiptDateRules() []rules.Rule {
	return slices.Concat(historyRules(), effectiveDateRules(), forecastRules(), statusRules())
}

// effectiveDateRules evaluate the day something was paid.
func effectiveDateRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "RECEIVED_LATE", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments, rules.Calendar}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateLate,
		},
		{
			Code: "RECEIVED_IN_FUTURE", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: evaluateFutureReceipt,
		},
		{
			Code: "RECEIVED_NON_BUSINESS_DAY", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments, rules.Calendar}, Tier: rules.Always,
			EvaluateRow: func(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if r.Now.Effective == 0 {
					return rules.NotEligible.Outcome()
				}
				if e.IsBusinessDay(r.Now.Effective) {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(e.NextBusinessDay(r.Now.Effective)), Actual: ledger.Day(r.Now.Effective)}
			},
		},
	}
}

// forecastRules evaluate the day something is promised for.
func forecastRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "FORECAST_MISSING", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if r.Class != ledger.Open || r.Now.Effective != 0 {
					return rules.NotEligible.Outcome()
				}
				if r.Now.Forecast != 0 {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedAmount("net", r.Net)}}
			},
		},
		{
			Code: "FORECAST_DATE_MISMATCH", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.Installments, rules.Contract, rules.Calendar}, Tier: rules.Configured, ByClass: true,
			EvaluateRow: evaluateForecastDate,
		},
		{
			Code: "FORECAST_NON_BUSINESS_DAY", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Info,
			Needs: []rules.Need{rules.Installments, rules.Calendar}, Tier: rules.Always, ByClass: true,
			EvaluateRow: func(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Live() || r.Now.Forecast == 0 {
					return rules.NotEligible.Outcome()
				}
				// Read raw, a forecast is the day of the term, weekends and holidays included.
				if e.IsBusinessDay(r.Now.Forecast) || e.Profile.Forecast == agreements.ForecastRaw {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(r.Due), Actual: ledger.Day(r.Now.Forecast)}
			},
		},
	}
}

// statusRules evaluate statuses against dates and values.
func statusRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "STATUS_FIELD_CONFLICT", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments, rules.Mapping}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateStatusConflict,
		},
		{
			Code: "CANCELLED_STILL_FORECAST", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments, rules.Mapping}, Tier: rules.Always, ByClass: true,
			EvaluateRow: func(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Class.IsReversal() || r.Received != 0 {
					return rules.NotEligible.Outcome()
				}
				if r.Now.Forecast < e.AsOf || !r.ReceivedStatus.States(ledger.Open) {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Actual: ledger.Day(r.Now.Forecast), Numbers: []ledger.Number{rules.NamedText("class", string(r.Class))}}
			},
		},
	}
}

// evaluateLate compares business days: a forecast on a holiday is met on the next day banks settle.
func evaluateLate(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	switch {
	case !r.Live() || r.Now.Effective == 0:
		return rules.NotEligible.Outcome()
	case r.Due == 0:
		return rules.NotEvaluable.Outcome()
	case r.Now.Effective <= r.Due:
		return rules.Passed.Outcome()
	}
	days := e.BusinessDays(r.Due, r.Now.Effective)
	if days <= t.Grace && t.Grace > 0 {
		return rules.Within.Outcome()
	}
	numbers := []ledger.Number{rules.NamedCount("days", days)}
	if r.Contract != nil && r.Contract.CDIYearPct.OK {
		if cost, ok := e.CostOfMoney(r.Net, r.Contract.CDIYearPct.V, days); ok {
			numbers = append(numbers, rules.NamedAmount("cost", cost))
		}
	}
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(r.Due), Actual: ledger.Day(r.Now.Effective), Numbers: numbers}
}

// evaluateFutureReceipt compares the date of a receipt with the day of the pull that brought it: a receipt later than its pull was
// stated before it happened, even if that day has come since. The as-of date of the run does not matter.
func evaluateFutureReceipt(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if r.Now.Effective == 0 {
		return rules.NotEligible.Outcome()
	}
	// The pull that brought the date is that of the first version of the present run of versions that state it.
	brought := r.Now
	for i := len(r.History) - 2; i >= 0 && r.History[i].Effective == r.Now.Effective; i-- {
		brought = &r.History[i]
	}
	if brought.PulledOn == 0 {
		return rules.NotEvaluable.Outcome()
	}
	if r.Now.Effective <= brought.PulledOn {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(brought.PulledOn), Actual: ledger.Day(r.Now.Effective)}
}

// evaluateForecastDate compares the business days both dates lead to, so a forecast the service has moved on and one it has
// not are the same.
func evaluateForecastDate(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	switch {
	case !r.Live() || r.Now.Forecast == 0:
		return rules.NotEligible.Outcome()
	case r.TypeUnmapped:
		return rules.Unmapped.Outcome()
	case r.Type == ledger.Anticipated:
		return rules.NotEligible.Outcome()
	case !e.HasContract:
		return rules.NoInput.Outcome()
	case !r.ProductMapped:
		return rules.Unmapped.Outcome()
	case r.ContractDue == 0:
		return rules.NotEligible.Outcome()
	}
	expected := e.NextBusinessDay(r.ContractDue)
	if r.Due == expected {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{Status: rules.Fires, Severity: ledger.Error, Expected: ledger.Day(expected), Actual: ledger.Day(r.Due), Hint: rules.Over}
	days := e.BusinessDays(expected, r.Due)
	if r.Due < expected {
		days, o.Hint = e.BusinessDays(r.Due, expected), rules.Under
	}
	if days <= 1 {
		o.Severity = ledger.Warning
	}
	o.Numbers = []ledger.Number{rules.NamedDate("forecast", r.Now.Forecast), rules.NamedCount("days", days)}
	return o
}

// evaluateStatusConflict lets installmentStatus speak only when it says received: most services leave it at authorized.
func evaluateStatusConflict(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if r.Class.IsReversal() || r.Class == ledger.Blocked {
		return rules.NotEligible.Outcome()
	}
	paid := r.ReceivedStatus.States(ledger.Received) || r.Status.States(ledger.Received)
	switch {
	case paid && r.Now.Effective == 0 && r.Received == 0:
		return fireStatusConflict(ledger.Received, ledger.Open)
	case r.ReceivedStatus.States(ledger.Open) && r.Now.Effective != 0 && r.Received >= r.Net-ledger.Cent:
		return fireStatusConflict(ledger.Open, ledger.Received)
	}
	return rules.Passed.Outcome()
}

// fireStatusConflict names what the status says and what date and value say.
func fireStatusConflict(status, fields ledger.Class) rules.Outcome {
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Text(string(fields)), Actual: ledger.Text(string(status)),
		Numbers: []ledger.Number{rules.NamedText("status", string(status)), rules.NamedText("fields", string(fields))},
	}
}
