package rules

import (
	"slices"

	"concilia/store/ledger"
)

// historyRules compare an installment with what it was. They judge nothing until its day was answered whole twice.
func historyRules() []Rule {
	return []Rule{
		{
			Code: "FORECAST_MOVED", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []Need{History}, Tier: Always, ByClass: true,
			Eligible: "open installments with a forecast, whose day was pulled completely at least twice",
			Fires:    "the forecast is not the first one stated while open: a warning, an error once it moved later twice. Moved earlier together with an anticipation is a new promise",
			Text: Sentence{
				En: "The forecast was {expected} and is {actual}; it moved later {times:time:times}.",
				Pt: "A previsão era {expected} e agora é {actual}; foi adiada {times:vez:vezes}.",
			},
			row: forecastMoved,
		},
		{
			Code: "STATUS_REGRESSION", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{History, Mapping}, Tier: Always, ByClass: true, Eligible: "installments whose day was pulled completely at least twice",
			Fires: "open again after received, cancelled or charged back, and no receipt was taken back",
			Text: Sentence{
				En: "The installment was {expected} and is {actual} again since {since}.",
				Pt: "A parcela estava {expected} e voltou a ficar {actual} em {since}.",
			},
			row: statusRegression,
		},
		{
			Code: "SPLIT_CHANGED_AFTER_RECEIPT", Version: 1, Family: familySplits, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Splits, History}, Tier: Always, ByClass: true,
			Eligible: "live received installments that have or had splits, whose day was pulled completely at least twice",
			Fires:    "the splits are not those of the day the receipt was first stated",
			Text: Sentence{
				En: "The splits added up to {expected} when the installment was received; now they add up to {actual} ({before} then, {after} now).",
				Pt: "Os splits somavam {expected} quando a parcela foi recebida; agora somam {actual} (antes {before}, agora {after}).",
			},
			row: splitsChanged,
		},
	}
}

// forecastMoved forgets a move that came back: only where the forecast stands now counts.
func forecastMoved(e *Env, r *Row, _ Tolerance) Outcome {
	if r.Class != ledger.Open || r.Now.Forecast == 0 {
		return only(NotEligible)
	}
	if s := e.compared(ledger.Cards, r.Key.Day); s != Passed {
		return only(s)
	}
	var promised, last ledger.Date
	later := 0
	for i := range r.History {
		v := &r.History[i]
		if v.Forecast == 0 || ClassOf(e.Mapping, v) != ledger.Open {
			continue
		}
		switch {
		case promised == 0, v.Forecast < last && e.anticipatedVersion(v):
			promised, later = v.Forecast, 0
		case v.Forecast > last:
			later++
		}
		last = v.Forecast
	}
	if promised == r.Now.Forecast || promised == 0 {
		return only(Passed)
	}
	o := Outcome{
		Status: Fires, Severity: ledger.Warning, Hint: over, Expected: ledger.Day(promised), Actual: ledger.Day(r.Now.Forecast),
		Numbers: []ledger.Number{count("times", later)},
	}
	if r.Now.Forecast < promised {
		o.Hint = under
	}
	if later > 1 {
		o.Severity = ledger.Error
	}
	return o
}

// anticipatedVersion says whether a version states an anticipation, by its cost or its type.
func (e *Env) anticipatedVersion(v *ledger.InstallmentVersion) bool {
	t, _ := e.Mapping.ReceivedType(v.ReceivedType)
	return v.Anticipation.Or(0) > 0 || t == ledger.Anticipated
}

// statusRegression leaves to RECEIVED_REVERSED what it names. A version with a status nobody listed accuses nobody.
func statusRegression(e *Env, r *Row, _ Tolerance) Outcome {
	if s := e.compared(ledger.Cards, r.Key.Day); s != Passed {
		return only(s)
	}
	if r.Class != ledger.Open || r.wasPaid && r.Reversed {
		return only(Passed)
	}
	since := r.Now.LastChanged
	for i := len(r.History) - 2; i >= 0; i-- {
		v := &r.History[i]
		if e.unread(v) {
			continue
		}
		switch class := ClassOf(e.Mapping, v); class {
		case ledger.Received, ledger.Cancelled, ledger.Chargeback:
			return Outcome{
				Status: Fires, Expected: ledger.Text(string(class)), Actual: ledger.Text(string(ledger.Open)),
				Numbers: []ledger.Number{date("since", since)},
			}
		case ledger.Open:
			since = v.LastChanged
		}
	}
	return only(Passed)
}

// splitsChanged compares with the first version that was received: what came before was no receipt yet.
func splitsChanged(e *Env, r *Row, _ Tolerance) Outcome {
	if !r.Live() || !r.Settled {
		return only(NotEligible)
	}
	i := slices.IndexFunc(r.History, func(v ledger.InstallmentVersion) bool { return e.settled(&v) })
	if i < 0 {
		return only(NotEvaluable)
	}
	then := &r.History[i]
	if len(then.Splits) == 0 && len(r.Now.Splits) == 0 {
		return only(NotEligible)
	}
	if s := e.compared(ledger.Cards, r.Key.Day); s != Passed {
		return only(s)
	}
	if slices.Equal(then.Splits, r.Now.Splits) {
		return only(Passed)
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(then.SplitTotal()), Actual: ledger.Money(r.S),
		Numbers: []ledger.Number{count("before", len(then.Splits)), count("after", len(r.Now.Splits))},
	}
}

// settled is "received" as a condition, of a version.
func (e *Env) settled(v *ledger.InstallmentVersion) bool {
	return v.Effective != 0 || ClassOf(e.Mapping, v) == ledger.Received
}
