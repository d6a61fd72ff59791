package rules

import (
	"slices"

	"concilia/store/ledger"
)

const familyReceipts = "receipts"

// receiptRules judge what was received against what was due, in reais.
func receiptRules() []Rule {
	return slices.Concat(takenBackRules(), amountRules(), waitingRules())
}

// takenBackRules judge receipts that were taken back, or should be.
func takenBackRules() []Rule {
	return []Rule{
		{
			Code: "RECEIVED_REVERSED", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{History}, Tier: Always, ByClass: true, Line: ledger.LineReceived,
			Eligible: "live installments of which an earlier version was received, or had received something",
			Fires:    "less is received than before, or the effective date is gone",
			Text: Sentence{
				En: "R$ {before} had been received; now it is {actual}.",
				Pt: "Já constava recebido R$ {before}; agora consta {actual}.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Live() || !r.WasPaid {
					return NotEligible.Outcome()
				}
				if !r.Reversed {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Hint: Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.Received), Numbers: []ledger.Number{NamedAmount("before", r.MostReceived)}}
			},
		},
		{
			Code: "RECEIVED_NEGATIVE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments, History}, Tier: Always, Line: ledger.LineReceived, Eligible: "every installment",
			Fires: "less than nothing is received and no earlier receipt explains it",
			Text: Sentence{
				En: "Received {actual}: money was taken back that was never seen paid.",
				Pt: "Recebido {actual}: foi estornado um valor que não constava como pago.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if r.Received >= 0 {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Hint: Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.Received)}
			},
		},
		{
			Code: "CANCELLED_BUT_RECEIVED", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments, History, Mapping}, Tier: Always, ByClass: true, Line: ledger.LineReversed,
			Eligible: "cancelled and charged-back installments", Fires: "something is received on an installment taken back",
			Text: Sentence{
				En: "The installment is {class}, yet {actual} was received: it may be taken back.",
				Pt: "A parcela está {class}, mas constam {actual} recebidos: podem ser estornados.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Class.IsReversal() {
					return NotEligible.Outcome()
				}
				if r.Received <= 0 {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Hint: Over, Expected: ledger.Money(0), Actual: ledger.Money(r.Received), Numbers: []ledger.Number{NamedText("class", string(r.Class))}}
			},
		},
	}
}

// amountRules judge how much was received.
func amountRules() []Rule {
	return []Rule{
		{
			Code: "RECEIVED_DATE_WITHOUT_VALUE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, ByClass: true, Line: ledger.LineReceived,
			Eligible: "live installments with an effective date", Fires: "there is an effective date and nothing is received",
			Text: Sentence{
				En: "Paid on {effective} according to the service, but nothing was received of {expected}.",
				Pt: "Pago em {effective} segundo o serviço, mas nada foi recebido de {expected}.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Live() || r.Now.Effective == 0 {
					return NotEligible.Outcome()
				}
				if r.Received != 0 {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Hint: Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(0), Numbers: []ledger.Number{NamedDate("effective", r.Now.Effective)}}
			},
		},
		{
			Code: "RECEIVED_PARTIAL", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments, Mapping},
			Tier: Always, ByClass: true, Line: ledger.LineReceived, Eligible: "live installments with part of the net received",
			Fires: "the payment is not stated as final: no effective date, or a status that is still open. A warning up to the limit, then an error",
			Text: Sentence{
				En: "{actual} of {expected} received, and the payment is not stated as final.",
				Pt: "Recebidos {actual} de {expected}, e o pagamento não consta como definitivo.",
			},
			EvaluateRow: evaluatePartial,
		},
		{
			Code: "RECEIVED_VALUE_MISMATCH", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always, ByClass: true, Line: ledger.LineReceived,
			Eligible: "live installments that are received, or with something received", Fires: "what was received is not the net",
			Text: Sentence{
				En: "Received {actual} where value less deductions is {expected}.",
				Pt: "Recebido {actual}; o valor menos os descontos é {expected}.",
			},
			EvaluateRow: func(_ *Env, r *Row, t Tolerance) Outcome {
				if !r.Live() || !r.Settled && r.Received == 0 {
					return NotEligible.Outcome()
				}
				return CompareAmounts(r.Net, r.Received, r.Net, t, Short)
			},
		},
	}
}

// waitingRules judge what is waited for, and what came without a date.
func waitingRules() []Rule {
	return []Rule{
		{
			Code: "RECEIVED_OVERDUE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Grace: 1}, Needs: []Need{Installments, Calendar}, Tier: Always, ByClass: true,
			Line: ledger.LineOverdue, Exposure: true, Eligible: "open installments with a forecast date and nothing received",
			Fires: "the grace after the forecast's business day is over; pending from the day after that business day; aged after five business days",
			Text: Sentence{
				En: "{expected} was due on {due} and is not received; the limit is {limit}.",
				Pt: "{expected} a receber em {due} não entraram; o limite é {limit}.",
			},
			EvaluateRow: evaluateOverdue,
		},
		{
			Code: "BLOCKED_AGEING", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Warning,
			Default: Tolerance{Grace: 10}, Needs: []Need{Installments, History, Mapping}, Tier: Always, ByClass: true,
			Line: ledger.LineBlocked, Exposure: true, Eligible: "blocked installments with nothing received, whose day was pulled completely at least twice",
			Fires: "blocked for more business days than the grace, counted from the run that first saw it so",
			Text: Sentence{
				En: "{expected} has been blocked since {since}, {days:business day:business days}.",
				Pt: "{expected} bloqueados desde {since}, há {days:dia útil:dias úteis}.",
			},
			EvaluateRow: evaluateBlocked,
		},
		{
			Code: "RECEIVED_VALUE_WITHOUT_DATE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "installments with something received", Fires: "something is received and there is no effective date",
			Text: Sentence{
				En: "{actual} received without a date.",
				Pt: "{actual} recebidos sem data.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if r.Received <= 0 {
					return NotEligible.Outcome()
				}
				if r.Now.Effective != 0 {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Actual: ledger.Money(r.Received)}
			},
		},
	}
}

// evaluatePartial looks at money on its way: a payment stated as final that is short is a mismatch, not a part.
func evaluatePartial(e *Env, r *Row, t Tolerance) Outcome {
	if !r.Live() || r.Received <= 0 || r.Received >= r.Net-t.Abs {
		return NotEligible.Outcome()
	}
	o := Outcome{Hint: Short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.Received), Severity: ledger.Error}
	if r.Limit == 0 || e.AsOf <= r.Limit {
		o.Severity = ledger.Warning
	}
	return FireIf(r.Now.Effective == 0 || r.ReceivedStatus.States(ledger.Open), o)
}

// evaluateBlocked counts from the first of the versions that were blocked without a break.
func evaluateBlocked(e *Env, r *Row, t Tolerance) Outcome {
	if r.Class != ledger.Blocked || r.Settled || r.Reversed || r.Received != 0 {
		return NotEligible.Outcome()
	}
	if s := e.CheckComparable(ledger.Cards, r.Key.Day); s != Passed {
		return s.Outcome()
	}
	since := r.Now.LastChanged
	for i := len(r.History) - 2; i >= 0 && ClassOf(e.Mapping, &r.History[i]) == ledger.Blocked; i-- {
		since = r.History[i].LastChanged
	}
	if since == 0 {
		return NotEvaluable.Outcome()
	}
	days := e.BusinessDays(since, e.AsOf)
	return FireIf(days > t.Grace, Outcome{Expected: ledger.Money(r.Net), Actual: ledger.Money(0)}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{NamedDate("since", since), NamedCount("days", days)}
	})
}

// agedAfter is the business days after the forecast's own day from which an overdue installment is called aged.
const agedAfter = 5

// evaluateOverdue waits for the grace to pass, and tells from the day after the due day that it is waiting.
func evaluateOverdue(e *Env, r *Row, _ Tolerance) Outcome {
	if r.Class != ledger.Open || r.Due == 0 || r.Now.Effective != 0 || r.Received != 0 || r.Reversed {
		return NotEligible.Outcome()
	}
	if e.AsOf <= r.Due {
		return Passed.Outcome()
	}
	o := Outcome{
		Status: Fires, Expected: ledger.Money(r.Net), Actual: ledger.Money(0),
		Numbers: []ledger.Number{NamedDate("due", r.Due), NamedDate("limit", r.Limit)},
	}
	waited := r.Limit
	switch {
	case e.AsOf <= r.Limit:
		o.Status, o.BreakOn, waited = Pends, r.Limit+1, r.Due
	case e.AsOf > e.AddBusinessDays(r.Due, agedAfter):
		o.Hint = "aged"
	}
	// That nothing came can only be said by who looked after the day was over.
	if e.SeenOn(ledger.Cards, r.Key.Day) <= waited {
		return NotPulled.Outcome()
	}
	return o
}
