package rules

import (
	"slices"

	"concilia/store/ledger"
)

const familySlips = "slips"

// slipRules judge what was paid and credited on bank slips.
func slipRules() []Rule {
	return slices.Concat(slipPaymentRules(), slipValueRules(), slipChargeRules(), slipCancelRules())
}

// slipPaymentRules judge what was paid on slips.
func slipPaymentRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_PAID_INCOMPLETE", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Line: ledger.LinePaid, Eligible: "paid slips", Fires: "payment date or paid value is missing",
			Text: Sentence{
				En: "The slip of {expected} is paid, but {member} is missing.",
				Pt: "O boleto de {expected} consta como pago, mas falta {member}.",
			},
			slip: paidIncomplete,
		},
		{
			Code: "SLIP_PAYMENT_WITHOUT_STATUS", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Eligible: "slips with a payment date or a paid value", Fires: "a payment date or value is stated and the status is not paid",
			Text: Sentence{
				En: "R$ {value} was paid, but the status is {status}.",
				Pt: "R$ {value} pagos, mas o status é {status}.",
			},
			slip: func(_ *Env, s *Slip, _ Tolerance) Outcome {
				switch {
				case s.PaidOn == 0 && s.Wp == 0:
					return only(NotEligible)
				case !s.Status.OK:
					return only(NotEvaluable)
				}
				return when(s.Status.V != ledger.BillPaid, Outcome{
					Numbers: []ledger.Number{money("value", s.Wp), count("status", int(s.Status.V))},
				})
			},
		},
	}
}

// slipValueRules judge how much was paid.
func slipValueRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_SHORT_PAID", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []Need{SlipLists, Calendar}, Tier: Always, Line: ledger.LinePaid,
			Eligible: "slips paid on time", Fires: "less than the value and its charges was paid, and it is not an agreed discount",
			Text: Sentence{
				En: "{actual} was paid on a slip of {expected}.",
				Pt: "{actual} pagos em um boleto de {expected}.",
			},
			slip: shortPaid,
		},
		{
			Code: "SLIP_OVERPAID", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Warning,
			Needs: []Need{SlipLists, Calendar}, Tier: Always, Line: ledger.LinePaid, Eligible: "slips paid on time",
			Fires: "more than the value and its charges was paid: perhaps to be given back",
			Text: Sentence{
				En: "{actual} was paid on a slip of {expected}: {difference} too much.",
				Pt: "{actual} pagos em um boleto de {expected}: {difference} a mais.",
			},
			slip: func(_ *Env, s *Slip, t Tolerance) Outcome {
				if !onTimePaid(s) {
					return only(NotEligible)
				}
				due := s.V + s.PenR + s.IntR
				if s.Wp <= due {
					return only(Passed)
				}
				return differ(due, s.Wp, due, t, under)
			},
		},
		{
			Code: "SLIP_PAYMENT_COMPOSITION_MISMATCH", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{SlipLists}, Tier: Always, Line: ledger.LinePaid,
			Eligible: "slips paid late whose charges are shown", Fires: "the paid value is not value, penalty and interest together",
			Text: Sentence{
				En: "{actual} was paid; value R$ {value}, penalty R$ {penalty} and interest R$ {interest} make {expected}.",
				Pt: "{actual} pagos; valor R$ {value}, multa R$ {penalty} e juros R$ {interest} somam {expected}.",
			},
			slip: func(_ *Env, s *Slip, t Tolerance) Outcome {
				if !lateShown(s) {
					return only(NotEligible)
				}
				due := s.V + s.PenR + s.IntR
				return differ(due, s.Wp, due, t, short).tell(func() []ledger.Number {
					return []ledger.Number{money("value", s.V), money("penalty", s.PenR), money("interest", s.IntR)}
				})
			},
		},
	}
}

// slipChargeRules judge penalty and interest.
func slipChargeRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_LATE_PENALTY_MISMATCH", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{SlipLists, Calendar}, Tier: Always, Line: ledger.LinePenalty,
			Eligible: "slips paid late whose charges are shown", Fires: "the penalty received is not the one due",
			Text: Sentence{
				En: "Penalty of {actual} received, {days:day:days} late; {expected} was due.",
				Pt: "Multa de {actual} recebida, {days:dia:dias} de atraso; eram devidos {expected}.",
			},
			slip: func(_ *Env, s *Slip, t Tolerance) Outcome {
				return lateCharge(s, s.PenStar, s.PenR, t)
			},
		},
		{
			Code: "SLIP_LATE_INTEREST_MISMATCH", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Default: Tolerance{Abs: 2 * ledger.Cent, Rel: 5_000}, Needs: []Need{SlipLists, Calendar}, Tier: Always, Line: ledger.LineInterest,
			Eligible: "slips paid late whose charges are shown", Fires: "the interest received is not that of the days",
			Text: Sentence{
				En: "Interest of {actual} received for {days:day:days}; {expected} was due.",
				Pt: "Juros de {actual} recebidos por {days:dia:dias}; eram devidos {expected}.",
			},
			slip: func(_ *Env, s *Slip, t Tolerance) Outcome {
				return lateCharge(s, s.IntStar, s.IntR, t)
			},
		},
		{
			Code: "SLIP_CHARGE_NOT_DUE", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Warning,
			Needs: []Need{SlipLists, Calendar}, Tier: Always, Line: ledger.LineChargeNotDue, Eligible: "slips paid on time whose charges are shown",
			Fires: "penalty or interest was received on a slip paid in time",
			Text: Sentence{
				En: "Paid on {paid}, in time, yet {actual} of penalty and interest was received.",
				Pt: "Pago em {paid}, em dia, mas constam {actual} de multa e juros.",
			},
			slip: func(_ *Env, s *Slip, _ Tolerance) Outcome {
				if s.Class != ledger.Paid || s.Late() || !s.Shown {
					return only(NotEligible)
				}
				// One below zero takes the same bracket off its zero, and nothing may pass that is not within a tolerance.
				if s.PenR == 0 && s.IntR == 0 {
					return only(Passed)
				}
				return Outcome{Status: Fires, Hint: over, Expected: ledger.Money(0), Actual: ledger.Money(s.PenR + s.IntR), Numbers: []ledger.Number{date("paid", s.PaidOn)}}
			},
		},
		{
			Code: "SLIP_PAID_NOT_ALLOWED", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists, Calendar}, Tier: Always, Eligible: "slips paid late whose charges are shown",
			Fires: "late payment was not allowed, or not so late",
			Text: Sentence{
				En: "Paid on {actual}, although late payment was [{allowed}][allowed until {until} only].",
				Pt: "Pago em {actual}, embora o pagamento em atraso fosse [{allowed}][permitido só até {until}].",
			},
			slip: paidNotAllowed,
		},
	}
}

// slipCancelRules judge cancelled slips.
func slipCancelRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_CANCELLED_BUT_PAID", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Line: ledger.LineCancelledPaid, Eligible: "cancelled slips", Fires: "something was paid on a cancelled slip",
			Text: Sentence{
				En: "Cancelled on {cancelled}, yet {actual} was paid.",
				Pt: "Cancelado em {cancelled}, mas constam {actual} pagos.",
			},
			slip: func(_ *Env, s *Slip, _ Tolerance) Outcome {
				if s.Class != ledger.Cancelled {
					return only(NotEligible)
				}
				if s.Wp == 0 { // less than nothing is no better: it stands in the bracket too
					return only(Passed)
				}
				return Outcome{Status: Fires, Hint: over, Expected: ledger.Money(0), Actual: ledger.Money(s.Wp), Numbers: []ledger.Number{date("cancelled", s.CancelledOn)}}
			},
		},
		{
			Code: "SLIP_CANCEL_INCOMPLETE", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Info,
			Needs: []Need{SlipLists}, Tier: Always, Eligible: "cancelled slips", Fires: "cancelled without a reason",
			Text: Sentence{
				En: "Cancelled on {cancelled} without a reason.",
				Pt: "Cancelado em {cancelled} sem motivo informado.",
			},
			slip: func(_ *Env, s *Slip, _ Tolerance) Outcome {
				if s.Class != ledger.Cancelled {
					return only(NotEligible)
				}
				if s.CancelReason != "" {
					return only(Passed)
				}
				return Outcome{Status: Fires, Numbers: []ledger.Number{date("cancelled", s.CancelledOn)}}
			},
		},
	}
}

// onTimePaid says whether the on-time rules look at the slip: paid by the day, with both date and value.
func onTimePaid(s *Slip) bool {
	return s.Class == ledger.Paid && s.OnTime && s.PaidOn != 0 && s.Wp != 0
}

// lateShown says whether penalty and interest are due and can be seen: only one list shows them.
func lateShown(s *Slip) bool { return s.Class == ledger.Paid && s.Late() && s.Shown }

func paidIncomplete(_ *Env, s *Slip, _ Tolerance) Outcome {
	if s.Class != ledger.Paid {
		return only(NotEligible)
	}
	o := Outcome{Expected: ledger.Money(s.V), Actual: ledger.Money(s.Wp), Hint: short, Numbers: []ledger.Number{text("member", "effectivePaymentDate")}}
	if s.PaidOn != 0 {
		o.Numbers[0].Value = "effectivePaymentValue"
	}
	return when(s.PaidOn == 0 || s.Wp == 0, o)
}

// discountHint is how much of the value a discount nobody told us of may be.
const discountHint = 10

// shortPaid softens what looks like a discount nobody told us of: in time, and a tenth of the value at most.
func shortPaid(_ *Env, s *Slip, t Tolerance) Outcome {
	if !onTimePaid(s) {
		return only(NotEligible)
	}
	due := s.V + s.PenR + s.IntR
	if s.Wp >= due || s.Discount > 0 {
		return only(Passed)
	}
	o := differ(due, s.Wp, due, t, short)
	if o.Status == Fires && s.PaidOn <= s.Due && (due-s.Wp)*discountHint <= s.V {
		o.Severity, o.Hint = ledger.Warning, "discount?"
	}
	return o
}

// lateCharge compares what was received with what the terms of the slip give for its days.
func lateCharge(s *Slip, star ledger.Opt[ledger.Amount], received ledger.Amount, t Tolerance) Outcome {
	switch {
	case !lateShown(s):
		return only(NotEligible)
	case !star.OK:
		return only(NotEvaluable)
	}
	return differ(star.V, received, star.V, t, short).tell(func() []ledger.Number { return []ledger.Number{count("days", s.DaysLate)} })
}

// paidNotAllowed moves the limit to a day branches are open, as the due date is.
func paidNotAllowed(e *Env, s *Slip, _ Tolerance) Outcome {
	switch {
	case !lateShown(s):
		return only(NotEligible)
	case s.LateAllowed.OK && !s.LateAllowed.V:
		return Outcome{Status: Fires, Expected: ledger.Day(s.DueOn), Actual: ledger.Day(s.PaidOn), Numbers: []ledger.Number{text("allowed", "false")}}
	case s.LateLimit == 0 && !s.LateAllowed.OK:
		return only(NotEvaluable)
	case s.LateLimit == 0:
		return only(Passed)
	}
	limit := e.counter(s.LateLimit)
	if s.PaidOn <= limit {
		return only(Passed)
	}
	return Outcome{Status: Fires, Expected: ledger.Day(limit), Actual: ledger.Day(s.PaidOn), Numbers: []ledger.Number{date("until", limit)}}
}
