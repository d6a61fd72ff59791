package slips

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// PaymentRules evaluate what was paid and credited on bank slips.
func PaymentRules() []rules.Rule {
	return slices.Concat(slipPaymentRules(), slipValueRules(), slipChargeRules(), slipCancelRules())
}

// slipPaymentRules evaluate what was paid on slips.
func slipPaymentRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_PAID_INCOMPLETE", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, Line: ledger.LinePaid, EvaluateSlip: evaluatePaidIncomplete,
		},
		{
			Code: "SLIP_PAYMENT_WITHOUT_STATUS", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, EvaluateSlip: func(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				switch {
				case s.PaidOn == 0 && s.PaidAmount == 0:
					return rules.NotEligible.Outcome()
				case !s.Status.OK:
					return rules.NotEvaluable.Outcome()
				}
				return rules.FireIf(s.Status.V != ledger.BillPaid, rules.Outcome{
					Numbers: []ledger.Number{rules.NamedAmount("value", s.PaidAmount), rules.NamedCount("status", int(s.Status.V))},
				})
			},
		},
	}
}

// slipValueRules evaluate how much was paid.
func slipValueRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_SHORT_PAID", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always, Line: ledger.LinePaid,
			EvaluateSlip: evaluateShortPaid,
		},
		{
			Code: "SLIP_OVERPAID", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always, Line: ledger.LinePaid,
			EvaluateSlip: func(_ *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
				if !isPaidOnTime(s) {
					return rules.NotEligible.Outcome()
				}
				due := s.FaceValue + s.PenaltyPaid + s.InterestPaid
				if s.PaidAmount <= due {
					return rules.Passed.Outcome()
				}
				return rules.CompareAmounts(due, s.PaidAmount, due, t, rules.Under)
			},
		},
		{
			Code: "SLIP_PAYMENT_COMPOSITION_MISMATCH", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, Line: ledger.LinePaid,
			EvaluateSlip: func(_ *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
				if !isPaidLateShown(s) {
					return rules.NotEligible.Outcome()
				}
				due := s.FaceValue + s.PenaltyPaid + s.InterestPaid
				return rules.CompareAmounts(due, s.PaidAmount, due, t, rules.Short).WithNumbers(func() []ledger.Number {
					return []ledger.Number{rules.NamedAmount("value", s.FaceValue), rules.NamedAmount("penalty", s.PenaltyPaid), rules.NamedAmount("interest", s.InterestPaid)}
				})
			},
		},
	}
}

// slipChargeRules evaluate penalty and interest.
func slipChargeRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_LATE_PENALTY_MISMATCH", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always, Line: ledger.LinePenalty,
			EvaluateSlip: func(_ *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
				return evaluateLateCharge(s, s.ExpectedPenalty, s.PenaltyPaid, t)
			},
		},
		{
			Code: "SLIP_LATE_INTEREST_MISMATCH", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: 2 * ledger.Cent, Rel: 5_000}, Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always, Line: ledger.LineInterest,
			EvaluateSlip: func(_ *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
				return evaluateLateCharge(s, s.ExpectedInterest, s.InterestPaid, t)
			},
		},
		{
			Code: "SLIP_CHARGE_NOT_DUE", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always, Line: ledger.LineChargeNotDue,
			EvaluateSlip: func(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				if s.Class != ledger.Paid || s.Late() || !s.ChargesShown {
					return rules.NotEligible.Outcome()
				}
				// One below zero takes the same bracket off its zero, and nothing may pass that is not within a tolerance.
				if s.PenaltyPaid == 0 && s.InterestPaid == 0 {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Hint: rules.Over, Expected: ledger.Money(0), Actual: ledger.Money(s.PenaltyPaid + s.InterestPaid), Numbers: []ledger.Number{rules.NamedDate("paid", s.PaidOn)}}
			},
		},
		{
			Code: "SLIP_PAID_NOT_ALLOWED", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always,
			EvaluateSlip: evaluatePaidNotAllowed,
		},
	}
}

// slipCancelRules evaluate cancelled slips.
func slipCancelRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_CANCELLED_BUT_PAID", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, Line: ledger.LineCancelledPaid, EvaluateSlip: func(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				if s.Class != ledger.Cancelled {
					return rules.NotEligible.Outcome()
				}
				if s.PaidAmount == 0 { // a negative amount is no better: it is in the bracket too
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Hint: rules.Over, Expected: ledger.Money(0), Actual: ledger.Money(s.PaidAmount), Numbers: []ledger.Number{rules.NamedDate("cancelled", s.CancelledOn)}}
			},
		},
		{
			Code: "SLIP_CANCEL_INCOMPLETE", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Info,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, EvaluateSlip: func(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				if s.Class != ledger.Cancelled {
					return rules.NotEligible.Outcome()
				}
				if s.CancelReason != "" {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedDate("cancelled", s.CancelledOn)}}
			},
		},
	}
}

// isPaidOnTime says whether the on-time rules look at the slip: paid by the day, with both date and value.
func isPaidOnTime(s *rules.Slip) bool {
	return s.Class == ledger.Paid && s.OnTime && s.PaidOn != 0 && s.PaidAmount != 0
}

// isPaidLateShown says whether penalty and interest are due and can be seen: only one list shows them.
func isPaidLateShown(s *rules.Slip) bool { return s.Class == ledger.Paid && s.Late() && s.ChargesShown }

func evaluatePaidIncomplete(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if s.Class != ledger.Paid {
		return rules.NotEligible.Outcome()
	}
	o := rules.Outcome{Expected: ledger.Money(s.FaceValue), Actual: ledger.Money(s.PaidAmount), Hint: rules.Short, Numbers: []ledger.Number{rules.NamedText("member", "effectivePaymentDate")}}
	if s.PaidOn != 0 {
		o.Numbers[0].Value = "effectivePaymentValue"
	}
	return rules.FireIf(s.PaidOn == 0 || s.PaidAmount == 0, o)
}

// discountHint: a discount that no list states is assumed up to this part of the value, a tenth.
const discountHint = 10

// evaluateShortPaid evaluates a slip that was paid below its value. In time, and a tenth of the value at most, it may be a discount
// that no list states, and is less grave.
func evaluateShortPaid(_ *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
	if !isPaidOnTime(s) {
		return rules.NotEligible.Outcome()
	}
	due := s.FaceValue + s.PenaltyPaid + s.InterestPaid
	if s.PaidAmount >= due || s.Discount > 0 {
		return rules.Passed.Outcome()
	}
	o := rules.CompareAmounts(due, s.PaidAmount, due, t, rules.Short)
	if o.Status == rules.Fires && s.PaidOn <= s.Due && (due-s.PaidAmount)*discountHint <= s.FaceValue {
		o.Severity, o.Hint = ledger.Warning, "discount?"
	}
	return o
}

// evaluateLateCharge compares what was received with what the terms of the slip give for its days.
func evaluateLateCharge(s *rules.Slip, star ledger.Opt[ledger.Amount], received ledger.Amount, t rules.Tolerance) rules.Outcome {
	switch {
	case !isPaidLateShown(s):
		return rules.NotEligible.Outcome()
	case !star.OK:
		return rules.NotEvaluable.Outcome()
	}
	return rules.CompareAmounts(star.V, received, star.V, t, rules.Short).WithNumbers(func() []ledger.Number { return []ledger.Number{rules.NamedCount("days", s.DaysLate)} })
}

// evaluatePaidNotAllowed moves the limit to a day branches are open, as the due date is.
func evaluatePaidNotAllowed(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	switch {
	case !isPaidLateShown(s):
		return rules.NotEligible.Outcome()
	case s.LateAllowed.OK && !s.LateAllowed.V:
		return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(s.DueOn), Actual: ledger.Day(s.PaidOn), Numbers: []ledger.Number{rules.NamedText("allowed", "false")}}
	case s.LateLimit == 0 && !s.LateAllowed.OK:
		return rules.NotEvaluable.Outcome()
	case s.LateLimit == 0:
		return rules.Passed.Outcome()
	}
	limit := e.NextBranchDay(s.LateLimit)
	if s.PaidOn <= limit {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(limit), Actual: ledger.Day(s.PaidOn), Numbers: []ledger.Number{rules.NamedDate("until", limit)}}
}
