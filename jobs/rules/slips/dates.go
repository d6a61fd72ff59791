package slips

import (
	"slices"
	"strconv"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// NextSlipEvaluation is NextEvaluation for a slip. A slip whose lists contradict each other, or lack it, is evaluated every night, because
// the result depends on what the night asks.
func NextSlipEvaluation(e *rules.Env, s *rules.Slip) ledger.Date {
	switch {
	case s.Class == ledger.Open, s.Class == ledger.Failed, s.Class == ledger.Paid && s.CreditedOn == 0, viewsDiffer(s.Slip):
		return ledger.EveryNight
	}
	return 0
}

// DateRules evaluate when slips are credited and how they move from one status to the next.
func DateRules() []rules.Rule {
	return slices.Concat(slipHistoryRules(), slipCreditRules(), slipStatusRules())
}

// slipCreditRules evaluate when slips are credited.
func slipCreditRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_CREDIT_OVERDUE", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always,
			Line: ledger.LineCreditOverdue, Exposure: true,
			EvaluateSlip: evaluateCreditOverdue,
		},
		{
			Code: "SLIP_CREDIT_BEFORE_PAYMENT", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, EvaluateSlip: func(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				if s.PaidOn == 0 || s.CreditedOn == 0 {
					return rules.NotEligible.Outcome()
				}
				if s.CreditedOn >= s.PaidOn {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(s.PaidOn), Actual: ledger.Day(s.CreditedOn)}
			},
		},
		{
			Code: "SLIP_CREDIT_NON_BUSINESS_DAY", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always, EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				if s.CreditedOn == 0 {
					return rules.NotEligible.Outcome()
				}
				if e.IsBusinessDay(s.CreditedOn) {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Expected: ledger.Day(e.NextBusinessDay(s.CreditedOn)), Actual: ledger.Day(s.CreditedOn)}
			},
		},
	}
}

// slipStatusRules evaluate how slips move from one status to the next.
func slipStatusRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_STATUS_LAG", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Info,
			Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.SlipLists, rules.Calendar}, Tier: rules.Always,
			EvaluateSlip: evaluateStatusLag,
		},
		{
			Code: "SLIP_INTEGRATION_STUCK", Version: 2, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Default: rules.Tolerance{Grace: 1}, Needs: []rules.Need{rules.SlipLists, rules.History}, Tier: rules.Always,
			Line: ledger.LineNotRegistered, Exposure: true,
			EvaluateSlip: evaluateIntegrationStuck,
		},
		{
			Code: "SLIP_INTEGRATION_FAILED", Version: 2, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, Line: ledger.LineNotRegistered, Exposure: true,
			EvaluateSlip: evaluateIntegrationFailed,
		},
	}
}

// evaluateCreditOverdue counts from the day the payment settles, not from the day somebody paid at a counter or by phone.
func evaluateCreditOverdue(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if s.PaidOn == 0 || s.CreditedOn != 0 || s.PaidAmount <= 0 {
		return rules.NotEligible.Outcome()
	}
	if s.CreditDue == 0 { // a date no calendar knows
		return rules.NotEvaluable.Outcome()
	}
	if e.AsOf <= s.CreditDue {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{
		Status: rules.Fires, Severity: ledger.Warning, Expected: ledger.Money(s.PaidAmount), Actual: ledger.Money(0),
		Numbers: []ledger.Number{rules.NamedDate("paid", s.PaidOn), rules.NamedDate("due", s.CreditDue), rules.NamedDate("limit", s.WarningLimit)},
	}
	waited := s.WarningLimit
	switch {
	case e.AsOf <= s.WarningLimit:
		o.Status, o.BreakOn, waited = rules.Pends, s.WarningLimit+1, s.CreditDue
	case e.AsOf > s.ErrorLimit:
		o.Severity = ledger.Error
	}
	if !wasSeenUncredited(e, s, waited) {
		return rules.NotPulled.Outcome()
	}
	return o
}

// wasSeenUncredited reports whether an answer from after the day waited for shows no credit: a view of the slip of this
// run, or complete answers of the credit list for every day since the payment.
func wasSeenUncredited(e *rules.Env, s *rules.Slip, waited ledger.Date) bool {
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
func evaluateStatusLag(e *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
	if s.Class != ledger.Open || s.Due == 0 {
		return rules.NotEligible.Outcome()
	}
	// Only lists have the status overdue: that of the newest one is compared.
	status := ledger.Opt[int64]{}
	for i := range s.Views {
		if v := &s.Views[i]; v.List != ledger.SlipDetail && v.Status.OK {
			status = v.Status
			break
		}
	}
	if !status.OK {
		return rules.NotEvaluable.Outcome()
	}
	late := e.AsOf > e.AddBranchDays(s.DueOn, t.Grace)
	if !late || status.V == ledger.BillOverdue {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedDate("due", s.Due), rules.NamedCount("status", int(status.V))}}
}

// Slips that were never registered stop mattering this long after they were due, or when another one of their reference
// code was issued in their place.
const supersededAfter = 30

func isSuperseded(e *rules.Env, s *rules.Slip) bool {
	return s.Due != 0 && e.AsOf > s.Due+supersededAfter || s.ReferenceCode != "" && e.Replaced(s.Slip)
}

// stuckError is the business days after which a registration in process is an error.
const stuckError = 3

// evaluateIntegrationStuck counts from the issue, or from the first sight where that is earlier or the issue is not known.
func evaluateIntegrationStuck(e *rules.Env, s *rules.Slip, t rules.Tolerance) rules.Outcome {
	switch {
	case s.Class != ledger.Open:
		return rules.NotEligible.Outcome()
	case !s.Integration.OK:
		return rules.NotEvaluable.Outcome()
	case s.Integration.V != ledger.IntegrationProcessing:
		return rules.Passed.Outcome()
	}
	since := inProcessSince(s)
	if s.Issued != 0 && (since == 0 || s.Issued < since) {
		since = s.Issued
	}
	if since == 0 {
		return rules.NotEvaluable.Outcome()
	}
	days := e.BusinessDays(since, e.AsOf)
	o := rules.Outcome{
		Severity: ledger.Warning, Expected: ledger.Money(s.FaceValue), Numbers: []ledger.Number{rules.NamedDate("since", since), rules.NamedCount("days", days)},
	}
	if days > stuckError {
		o.Severity = ledger.Error
	}
	if days <= t.Grace || isSuperseded(e, s) {
		return rules.Passed.Outcome()
	}
	o.Status = rules.Fires
	return o
}

// inProcessSince is the as-of of the run that first saw the registration in process.
func inProcessSince(s *rules.Slip) ledger.Date {
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
func evaluateIntegrationFailed(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	switch {
	case s.Class != ledger.Failed:
		return rules.NotEligible.Outcome()
	case !s.Integration.OK:
		return rules.NotEvaluable.Outcome()
	}
	failed := s.Integration.V == ledger.IntegrationRejected || s.Integration.V == ledger.IntegrationFailed
	if !failed || isSuperseded(e, s) {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(s.FaceValue), Numbers: []ledger.Number{rules.NamedCount("status", int(s.Integration.V))}}
}

// slipHistoryRules compare what a list says of a slip with what it said.
func slipHistoryRules() []rules.Rule {
	return []rules.Rule{{
		Code: "SLIP_STATUS_REGRESSION", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
		Needs: []rules.Need{rules.History}, Tier: rules.Always,
		EvaluateSlip: evaluateSlipRegression,
	}}
}

// evaluateSlipRegression goes list by list: they lag behind each other, but none behind itself.
func evaluateSlipRegression(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	if st := e.CheckSlipComparable(s); st != rules.Passed {
		return st.Outcome()
	}
	for _, list := range append(ledger.SlipLists(), ledger.SlipDetail) {
		h := s.VersionsIn(list)
		if len(h) < 2 || !h[len(h)-1].Status.OK {
			continue
		}
		now := h[len(h)-1].Status.V
		since := h[len(h)-1].LastChanged
		for i := len(h) - 2; i >= 0; i-- {
			was := h[i].Status
			back := was.V == ledger.BillPaid && now != ledger.BillPaid ||
				was.V == ledger.BillFailed && (now == ledger.BillProcessing || now == ledger.BillIssued)
			if back {
				return rules.Outcome{
					Status: rules.Fires, Expected: ledger.Text(strconv.FormatInt(was.V, 10)), Actual: ledger.Text(strconv.FormatInt(now, 10)),
					Numbers: []ledger.Number{rules.NamedText("source", string(list)), rules.NamedDate("since", since)},
				}
			}
			if was.V == now {
				since = h[i].LastChanged
			}
		}
	}
	return rules.Passed.Outcome()
}
