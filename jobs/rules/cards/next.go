package cards

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// oldAfter is the business days after its forecast's own day for which an overdue installment is looked at every night.
// After them no rule finds anything new on it, and the plan asks for its day less often.
const oldAfter = 10

// NextEvaluation is the first later as-of at which the passage of time may change what the rules say about an installment; zero
// if it never will. For rules that could not evaluate because something was not pulled see Waits.
func NextEvaluation(e *rules.Env, r *rules.Row) ledger.Date {
	switch {
	case r.Class == ledger.Blocked:
		return ledger.EveryNight // its finding states its age
	case !r.Live():
		return firstAfter(e, r.Now.Forecast+1)
	case r.Settled && r.Received == r.Net:
		return 0
	case r.Due == 0:
		return 0
	}
	return firstAfter(e, r.Due+1, r.Limit+1, e.AddBusinessDays(r.Due, agedAfter)+1, e.AddBusinessDays(r.Due, oldAfter)+1)
}

// firstAfter is the first of the dates that lies after the as-of, no date when none does.
func firstAfter(e *rules.Env, dates ...ledger.Date) ledger.Date {
	var first ledger.Date
	for _, d := range dates {
		if d > e.AsOf && (first == 0 || d < first) {
			first = d
		}
	}
	return first
}
