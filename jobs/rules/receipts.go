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
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Live() || !r.wasPaid {
					return only(NotEligible)
				}
				if !r.Reversed {
					return only(Passed)
				}
				return Outcome{Status: Fires, Hint: short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.R), Numbers: []ledger.Number{money("before", r.bestR)}}
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
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if r.R >= 0 {
					return only(Passed)
				}
				return Outcome{Status: Fires, Hint: short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.R)}
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
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Class.IsReversal() {
					return only(NotEligible)
				}
				if r.R <= 0 {
					return only(Passed)
				}
				return Outcome{Status: Fires, Hint: over, Expected: ledger.Money(0), Actual: ledger.Money(r.R), Numbers: []ledger.Number{text("class", string(r.Class))}}
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
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Live() || r.Now.Effective == 0 {
					return only(NotEligible)
				}
				if r.R != 0 {
					return only(Passed)
				}
				return Outcome{Status: Fires, Hint: short, Expected: ledger.Money(r.Net), Actual: ledger.Money(0), Numbers: []ledger.Number{date("effective", r.Now.Effective)}}
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
			row: partial,
		},
		{
			Code: "RECEIVED_VALUE_MISMATCH", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always, ByClass: true, Line: ledger.LineReceived,
			Eligible: "live installments that are received, or with something received", Fires: "what was received is not the net",
			Text: Sentence{
				En: "Received {actual} where value less deductions is {expected}.",
				Pt: "Recebido {actual}; o valor menos os descontos é {expected}.",
			},
			row: func(_ *Env, r *Row, t Tolerance) Outcome {
				if !r.Live() || !r.Settled && r.R == 0 {
					return only(NotEligible)
				}
				return differ(r.Net, r.R, r.Net, t, short)
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
			row: overdue,
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
			row: blockedAgeing,
		},
		{
			Code: "RECEIVED_VALUE_WITHOUT_DATE", Version: 1, Family: familyReceipts, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "installments with something received", Fires: "something is received and there is no effective date",
			Text: Sentence{
				En: "{actual} received without a date.",
				Pt: "{actual} recebidos sem data.",
			},
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if r.R <= 0 {
					return only(NotEligible)
				}
				if r.Now.Effective != 0 {
					return only(Passed)
				}
				return Outcome{Status: Fires, Actual: ledger.Money(r.R)}
			},
		},
	}
}

// partial looks at money on its way: a payment stated as final that is short is a mismatch, not a part.
func partial(e *Env, r *Row, t Tolerance) Outcome {
	if !r.Live() || r.R <= 0 || r.R >= r.Net-t.Abs {
		return only(NotEligible)
	}
	o := Outcome{Hint: short, Expected: ledger.Money(r.Net), Actual: ledger.Money(r.R), Severity: ledger.Error}
	if r.Limit == 0 || e.AsOf <= r.Limit {
		o.Severity = ledger.Warning
	}
	return when(r.Now.Effective == 0 || r.received.says(ledger.Open), o)
}

// blockedAgeing counts from the first of the versions that were blocked without a break.
func blockedAgeing(e *Env, r *Row, t Tolerance) Outcome {
	if r.Class != ledger.Blocked || r.Settled || r.Reversed || r.R != 0 {
		return only(NotEligible)
	}
	if s := e.compared(ledger.Cards, r.Key.Day); s != Passed {
		return only(s)
	}
	since := r.Now.LastChanged
	for i := len(r.History) - 2; i >= 0 && ClassOf(e.Mapping, &r.History[i]) == ledger.Blocked; i-- {
		since = r.History[i].LastChanged
	}
	if since == 0 {
		return only(NotEvaluable)
	}
	days := e.between(since, e.AsOf)
	return when(days > t.Grace, Outcome{Expected: ledger.Money(r.Net), Actual: ledger.Money(0)}).tell(func() []ledger.Number {
		return []ledger.Number{date("since", since), count("days", days)}
	})
}

// agedAfter is the business days after the forecast's own day from which an overdue installment is called aged.
const agedAfter = 5

// overdue waits for the grace to pass, and tells from the day after the due day that it is waiting.
func overdue(e *Env, r *Row, _ Tolerance) Outcome {
	if r.Class != ledger.Open || r.Due == 0 || r.Now.Effective != 0 || r.R != 0 || r.Reversed {
		return only(NotEligible)
	}
	if e.AsOf <= r.Due {
		return only(Passed)
	}
	o := Outcome{
		Status: Fires, Expected: ledger.Money(r.Net), Actual: ledger.Money(0),
		Numbers: []ledger.Number{date("due", r.Due), date("limit", r.Limit)},
	}
	waited := r.Limit
	switch {
	case e.AsOf <= r.Limit:
		o.Status, o.BreakOn, waited = Pends, r.Limit+1, r.Due
	case e.AsOf > e.add(r.Due, agedAfter):
		o.Hint = "aged"
	}
	// That nothing came can only be said by who looked after the day was over.
	if e.SeenOn(ledger.Cards, r.Key.Day) <= waited {
		return only(Window)
	}
	return o
}
