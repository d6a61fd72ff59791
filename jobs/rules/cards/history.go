package cards

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// historyRules compare an installment with what it was. They evaluate nothing until its day was answered whole twice.
func historyRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "FORECAST_MOVED", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.History}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateForecastMoved,
		},
		{
			Code: "STATUS_REGRESSION", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.History, rules.Mapping}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateStatusRegression,
		},
		{
			Code: "SPLIT_CHANGED_AFTER_RECEIPT", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Splits, rules.History}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateSplitsChanged,
		},
	}
}

// evaluateForecastMoved compares the first forecast with the present one. A forecast that moved and came back passes.
func evaluateForecastMoved(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if r.Class != ledger.Open || r.Now.Forecast == 0 {
		return rules.NotEligible.Outcome()
	}
	if s := e.CheckComparable(ledger.Cards, r.Key.Day); s != rules.Passed {
		return s.Outcome()
	}
	var promised, last ledger.Date
	later := 0
	for i := range r.History {
		v := &r.History[i]
		if v.Forecast == 0 || rules.ClassOf(e.Mapping, v) != ledger.Open {
			continue
		}
		switch {
		case promised == 0, v.Forecast < last && statesAnticipation(e, v):
			promised, later = v.Forecast, 0
		case v.Forecast > last:
			later++
		}
		last = v.Forecast
	}
	if promised == r.Now.Forecast || promised == 0 {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{
		Status: rules.Fires, Severity: ledger.Warning, Hint: rules.Over, Expected: ledger.Day(promised), Actual: ledger.Day(r.Now.Forecast),
		Numbers: []ledger.Number{rules.NamedCount("times", later)},
	}
	if r.Now.Forecast < promised {
		o.Hint = rules.Under
	}
	if later > 1 {
		o.Severity = ledger.Error
	}
	return o
}

// statesAnticipation says whether a version states an anticipation, by its cost or its type.
func statesAnticipation(e *rules.Env, v *ledger.InstallmentVersion) bool {
	t, _ := e.Mapping.ReceivedType(v.ReceivedType)
	return v.Anticipation.Or(0) > 0 || t == ledger.Anticipated
}

// evaluateStatusRegression leaves to RECEIVED_REVERSED what that rule finds. Versions with a status that the mapping does not list
// are passed over.
func evaluateStatusRegression(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if s := e.CheckComparable(ledger.Cards, r.Key.Day); s != rules.Passed {
		return s.Outcome()
	}
	if r.Class != ledger.Open || r.WasPaid && r.Reversed {
		return rules.Passed.Outcome()
	}
	since := r.Now.LastChanged
	for i := len(r.History) - 2; i >= 0; i-- {
		v := &r.History[i]
		if e.HasUnmappedStatus(v) {
			continue
		}
		switch class := rules.ClassOf(e.Mapping, v); class {
		case ledger.Received, ledger.Cancelled, ledger.Chargeback:
			return rules.Outcome{
				Status: rules.Fires, Expected: ledger.Text(string(class)), Actual: ledger.Text(string(ledger.Open)),
				Numbers: []ledger.Number{rules.NamedDate("since", since)},
			}
		case ledger.Open:
			since = v.LastChanged
		}
	}
	return rules.Passed.Outcome()
}

// evaluateSplitsChanged compares with the first version that was received: what came before was no receipt yet.
func evaluateSplitsChanged(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if !r.Live() || !r.Settled {
		return rules.NotEligible.Outcome()
	}
	i := slices.IndexFunc(r.History, func(v ledger.InstallmentVersion) bool { return e.WasReceived(&v) })
	if i < 0 {
		return rules.NotEvaluable.Outcome()
	}
	then := &r.History[i]
	if len(then.Splits) == 0 && len(r.Now.Splits) == 0 {
		return rules.NotEligible.Outcome()
	}
	if s := e.CheckComparable(ledger.Cards, r.Key.Day); s != rules.Passed {
		return s.Outcome()
	}
	if slices.Equal(then.Splits, r.Now.Splits) {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(then.SplitTotal()), Actual: ledger.Money(r.SplitTotal),
		Numbers: []ledger.Number{rules.NamedCount("before", len(then.Splits)), rules.NamedCount("after", len(r.Now.Splits))},
	}
}
