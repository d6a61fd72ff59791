package cards

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// ReceiptRules evaluate what was received against what was due, in reais.
func ReceiptRules() []rules.Rule {
	return slices.Concat(takenBackRules(), amountRules(), waitingRules())
}

// takenBackRules evaluate receipts that were taken back, or should be.
func takenBackRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "RECEIVED_REVERSED", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.History}, Tier: rules.Always, ByClass: true, Line: ledger.LineReceived,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Live() || !r.WasPaid {
					return rules.NotEligible.Outcome()
				}
				if !r.Reversed {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Hint: rules.Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.Received), Numbers: []ledger.Number{rules.NamedAmount("before", r.MostReceived)}}
			},
		},
		{
			Code: "RECEIVED_NEGATIVE", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments, rules.History}, Tier: rules.Always, Line: ledger.LineReceived,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if r.Received >= 0 {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Hint: rules.Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.Received)}
			},
		},
		{
			Code: "CANCELLED_BUT_RECEIVED", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments, rules.History, rules.Mapping}, Tier: rules.Always, ByClass: true, Line: ledger.LineReversed,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Class.IsReversal() {
					return rules.NotEligible.Outcome()
				}
				if r.Received <= 0 {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Hint: rules.Over, Expected: ledger.Money(0), Actual: ledger.Money(r.Received), Numbers: []ledger.Number{rules.NamedText("class", string(r.Class))}}
			},
		},
	}
}

// amountRules evaluate how much was received.
func amountRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "RECEIVED_DATE_WITHOUT_VALUE", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineReceived,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Live() || r.Now.Effective == 0 {
					return rules.NotEligible.Outcome()
				}
				if r.Received != 0 {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Hint: rules.Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(0), Numbers: []ledger.Number{rules.NamedDate("effective", r.Now.Effective)}}
			},
		},
		{
			Code: "RECEIVED_PARTIAL", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments, rules.Mapping},
			Tier: rules.Always, ByClass: true, Line: ledger.LineReceived,
			EvaluateRow: evaluatePartial,
		},
		{
			Code: "RECEIVED_VALUE_MISMATCH", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineReceived,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
				if !r.Live() || !r.Settled && r.Received == 0 {
					return rules.NotEligible.Outcome()
				}
				return rules.CompareAmounts(r.Net, r.Received, r.Net, t, rules.Short)
			},
		},
	}
}

// waitingRules evaluate what is waited for, and what came without a date.
func waitingRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "RECEIVED_OVERDUE", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.Installments, rules.Calendar}, Tier: rules.Always, ByClass: true,
			Line: ledger.LineOverdue, Exposure: true,
			EvaluateRow: evaluateOverdue,
		},
		{
			Code: "BLOCKED_AGEING", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Default: rules.Tolerance{Grace: 10}, Needs: []rules.Need{rules.Installments, rules.History, rules.Mapping}, Tier: rules.Always, ByClass: true,
			Line: ledger.LineBlocked, Exposure: true,
			EvaluateRow: evaluateBlocked,
		},
		{
			Code: "RECEIVED_VALUE_WITHOUT_DATE", Version: 1, Family: rules.FamilyReceipts, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if r.Received <= 0 {
					return rules.NotEligible.Outcome()
				}
				if r.Now.Effective != 0 {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Actual: ledger.Money(r.Received)}
			},
		},
	}
}

// evaluatePartial looks at money on its way: a payment stated as final that is short is a mismatch, not a part.
func evaluatePartial(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if !r.Live() || r.Received <= 0 || r.Received >= r.Net-t.Abs {
		return rules.NotEligible.Outcome()
	}
	o := rules.Outcome{Hint: rules.Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.Received), Severity: ledger.Error}
	if r.Limit == 0 || e.AsOf <= r.Limit {
		o.Severity = ledger.Warning
	}
	return rules.FireIf(r.Now.Effective == 0 || r.ReceivedStatus.States(ledger.Open), o)
}

// evaluateBlocked counts from the first of the versions that were blocked without a break.
func evaluateBlocked(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if r.Class != ledger.Blocked || r.Settled || r.Reversed || r.Received != 0 {
		return rules.NotEligible.Outcome()
	}
	if s := e.CheckComparable(ledger.Cards, r.Key.Day); s != rules.Passed {
		return s.Outcome()
	}
	since := r.Now.LastChanged
	for i := len(r.History) - 2; i >= 0 && rules.ClassOf(e.Mapping, &r.History[i]) == ledger.Blocked; i-- {
		since = r.History[i].LastChanged
	}
	if since == 0 {
		return rules.NotEvaluable.Outcome()
	}
	days := e.BusinessDays(since, e.AsOf)
	return rules.FireIf(days > t.Grace, rules.Outcome{Expected: ledger.Money(r.Net), Actual: ledger.Money(0)}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedDate("since", since), rules.NamedCount("days", days)}
	})
}

// agedAfter is the business days after the forecast's own day from which an overdue installment is called aged.
const agedAfter = 5

// evaluateOverdue pends from the day after the due day, and fires once the grace has passed.
func evaluateOverdue(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if r.Class != ledger.Open || r.Due == 0 || r.Now.Effective != 0 || r.Received != 0 || r.Reversed {
		return rules.NotEligible.Outcome()
	}
	if e.AsOf <= r.Due {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(r.Net), Actual: ledger.Money(0),
		Numbers: []ledger.Number{rules.NamedDate("due", r.Due), rules.NamedDate("limit", r.Limit)},
	}
	waited := r.Limit
	switch {
	case e.AsOf <= r.Limit:
		o.Status, o.BreakOn, waited = rules.Pends, r.Limit+1, r.Due
	case e.AsOf > e.AddBusinessDays(r.Due, agedAfter):
		o.Hint = "aged"
	}
	// That nothing came can only be said by who looked after the day was over.
	if e.SeenOn(ledger.Cards, r.Key.Day) <= waited {
		return rules.NotPulled.Outcome()
	}
	return o
}
