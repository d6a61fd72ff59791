package rules

import (
	"slices"

	"concilia/store/ledger"
)

// slipDateRules judge when slips are credited and how they move from one status to the next.
func slipDateRules() []Rule {
	return slices.Concat(slipHistoryRules(), slipCreditRules(), slipStatusRules())
}

// slipCreditRules judge when slips are credited.
func slipCreditRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_CREDIT_OVERDUE", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []Need{SlipLists, Calendar}, Tier: Always,
			Line: ledger.LineCreditOverdue, Exposure: true, Eligible: "paid slips that are not credited",
			Fires: "the business day after the credit was due is over; pending from the day after it was due; an error from the third",
			Text: Sentence{
				En: "{expected} paid on {paid} was to be credited on {due} and is not; the limit is {limit}.",
				Pt: "{expected} pagos em {paid} deveriam ser creditados em {due} e não foram; o limite é {limit}.",
			},
			EvaluateSlip: evaluateCreditOverdue,
		},
		{
			Code: "SLIP_CREDIT_BEFORE_PAYMENT", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Eligible: "slips paid and credited", Fires: "credited before it was paid",
			Text: Sentence{
				En: "Credited on {actual}, before the payment of {expected}.",
				Pt: "Creditado em {actual}, antes do pagamento de {expected}.",
			},
			EvaluateSlip: func(_ *Env, s *Slip, _ Tolerance) Outcome {
				if s.PaidOn == 0 || s.CreditedOn == 0 {
					return NotEligible.Outcome()
				}
				if s.CreditedOn >= s.PaidOn {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Expected: ledger.Day(s.PaidOn), Actual: ledger.Day(s.CreditedOn)}
			},
		},
		{
			Code: "SLIP_CREDIT_NON_BUSINESS_DAY", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Warning,
			Needs: []Need{SlipLists, Calendar}, Tier: Always, Eligible: "credited slips", Fires: "credited on a day that is no business day",
			Text: Sentence{
				En: "Credited on {actual}, when banks do not settle.",
				Pt: "Creditado em {actual}, dia sem liquidação bancária.",
			},
			EvaluateSlip: func(e *Env, s *Slip, _ Tolerance) Outcome {
				if s.CreditedOn == 0 {
					return NotEligible.Outcome()
				}
				if e.IsBusinessDay(s.CreditedOn) {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Expected: ledger.Day(e.NextBusinessDay(s.CreditedOn)), Actual: ledger.Day(s.CreditedOn)}
			},
		},
	}
}

// slipStatusRules judge how slips move from one status to the next.
func slipStatusRules() []Rule {
	return []Rule{
		{
			Code: "SLIP_STATUS_LAG", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Info,
			Default: Tolerance{Grace: 1}, Needs: []Need{SlipLists, Calendar}, Tier: Always, Eligible: "open slips",
			Fires: "a business day after the due date has passed and the status is not overdue",
			Text: Sentence{
				En: "Due on {due}, yet the status is {status}.",
				Pt: "Vencido em {due}, mas o status é {status}.",
			},
			EvaluateSlip: evaluateStatusLag,
		},
		{
			Code: "SLIP_INTEGRATION_STUCK", Version: 2, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Default: Tolerance{Grace: 1}, Needs: []Need{SlipLists, History}, Tier: Always,
			Line: ledger.LineNotRegistered, Exposure: true, Eligible: "open slips whose registration is in process",
			Fires: "longer than the grace in business days, an error after three; said no more once another slip of its reference code was issued in its place, or from 30 days after it was due",
			Text: Sentence{
				En: "Registration of {expected} in process since {since}, {days:business day:business days}.",
				Pt: "Registro de {expected} em processamento desde {since}, {days:dia útil:dias úteis}.",
			},
			EvaluateSlip: evaluateIntegrationStuck,
		},
		{
			Code: "SLIP_INTEGRATION_FAILED", Version: 2, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Line: ledger.LineNotRegistered, Exposure: true, Eligible: "failed slips",
			Fires: "the registration was rejected or failed; said no more once another slip of its reference code was issued in its place, or from 30 days after it was due",
			Text: Sentence{
				En: "The slip of {expected} was not registered (status {status}): nobody can pay it.",
				Pt: "O boleto de {expected} não foi registrado (status {status}): ninguém pode pagá-lo.",
			},
			EvaluateSlip: evaluateIntegrationFailed,
		},
	}
}

// evaluateCreditOverdue counts from the day the payment settles, not from the day somebody paid at a counter or by phone.
func evaluateCreditOverdue(e *Env, s *Slip, _ Tolerance) Outcome {
	if s.PaidOn == 0 || s.CreditedOn != 0 || s.PaidAmount <= 0 {
		return NotEligible.Outcome()
	}
	if s.CreditDue == 0 { // a date no calendar knows
		return NotEvaluable.Outcome()
	}
	if e.AsOf <= s.CreditDue {
		return Passed.Outcome()
	}
	o := Outcome{
		Status: Fires, Severity: ledger.Warning, Expected: ledger.Money(s.PaidAmount), Actual: ledger.Money(0),
		Numbers: []ledger.Number{NamedDate("paid", s.PaidOn), NamedDate("due", s.CreditDue), NamedDate("limit", s.WarningLimit)},
	}
	waited := s.WarningLimit
	switch {
	case e.AsOf <= s.WarningLimit:
		o.Status, o.BreakOn, waited = Pends, s.WarningLimit+1, s.CreditDue
	case e.AsOf > s.ErrorLimit:
		o.Severity = ledger.Error
	}
	if !e.wasSeenUncredited(s, waited) {
		return NotPulled.Outcome()
	}
	return o
}

// wasSeenUncredited says whether somebody looked after the day waited for and saw no credit: a view of the slip of this
// run, or complete answers of the credit list for every day since the payment.
func (e *Env) wasSeenUncredited(s *Slip, waited ledger.Date) bool {
	for i := range s.Views {
		if s.Views[i].LastRun == e.Run && e.Run != "" && e.AsOf > waited {
			return true
		}
	}
	for d := s.PaidOn; d <= waited; d++ {
		if e.SeenOn(ledger.SlipsCredit, d) <= d {
			return false
		}
	}
	return true
}

// evaluateStatusLag is a note: money is not at stake, but a list that lags here may lag elsewhere.
func evaluateStatusLag(e *Env, s *Slip, t Tolerance) Outcome {
	if s.Class != ledger.Open || s.Due == 0 {
		return NotEligible.Outcome()
	}
	// Only lists know the status overdue; the newest of them speaks.
	status := ledger.Opt[int64]{}
	for i := range s.Views {
		if v := &s.Views[i]; v.List != ledger.SlipDetail && v.Status.OK {
			status = v.Status
			break
		}
	}
	if !status.OK {
		return NotEvaluable.Outcome()
	}
	late := e.AsOf > e.AddBranchDays(s.DueOn, t.Grace)
	if !late || status.V == ledger.BillOverdue {
		return Passed.Outcome()
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedDate("due", s.Due), NamedCount("status", int(status.V))}}
}

// Slips that were never registered stop mattering this long after they were due, or when another one of their reference
// code was issued in their place.
const supersededAfter = 30

func isSuperseded(e *Env, s *Slip) bool {
	return s.Due != 0 && e.AsOf > s.Due+supersededAfter || s.ReferenceCode != "" && e.Replaced(s.Slip)
}

// stuckError is the business days after which a registration in process is an error.
const stuckError = 3

// evaluateIntegrationStuck counts from the issue, or from the first sight where that is earlier or the issue is not known.
func evaluateIntegrationStuck(e *Env, s *Slip, t Tolerance) Outcome {
	switch {
	case s.Class != ledger.Open:
		return NotEligible.Outcome()
	case !s.Integration.OK:
		return NotEvaluable.Outcome()
	case s.Integration.V != ledger.IntegrationProcessing:
		return Passed.Outcome()
	}
	since := s.inProcessSince()
	if s.Issued != 0 && (since == 0 || s.Issued < since) {
		since = s.Issued
	}
	if since == 0 {
		return NotEvaluable.Outcome()
	}
	days := e.BusinessDays(since, e.AsOf)
	o := Outcome{
		Severity: ledger.Warning, Expected: ledger.Money(s.FaceValue), Numbers: []ledger.Number{NamedDate("since", since), NamedCount("days", days)},
	}
	if days > stuckError {
		o.Severity = ledger.Error
	}
	if days <= t.Grace || isSuperseded(e, s) {
		return Passed.Outcome()
	}
	o.Status = Fires
	return o
}

// inProcessSince is the as-of of the run that first saw the registration in process.
func (s *Slip) inProcessSince() ledger.Date {
	var first ledger.Date
	for _, all := range [...][]ledger.SlipVersion{s.Earlier, s.Views} {
		for i := range all {
			d := all[i].LastChanged
			if d != 0 && all[i].Integration == ledger.Some[int64](ledger.IntegrationProcessing) && (first == 0 || d < first) {
				first = d
			}
		}
	}
	if first == 0 {
		return s.FirstSeen
	}
	return first
}

// evaluateIntegrationFailed needs the registration's own word: a status alone does not say what failed.
func evaluateIntegrationFailed(e *Env, s *Slip, _ Tolerance) Outcome {
	switch {
	case s.Class != ledger.Failed:
		return NotEligible.Outcome()
	case !s.Integration.OK:
		return NotEvaluable.Outcome()
	}
	failed := s.Integration.V == ledger.IntegrationRejected || s.Integration.V == ledger.IntegrationFailed
	if !failed || isSuperseded(e, s) {
		return Passed.Outcome()
	}
	return Outcome{Status: Fires, Expected: ledger.Money(s.FaceValue), Numbers: []ledger.Number{NamedCount("status", int(s.Integration.V))}}
}
