package rules

import (
	"slices"

	"concilia/store/ledger"
)

// oldAfter is the business days after its forecast's own day for which an overdue installment is looked at every night.
// Nothing is said of it past them but what was said before, and the plan asks for its day less often.
const oldAfter = 10

// NextEvaluation is the first later as-of at which the passage of time may change what the rules say about an installment; zero
// if it never will. For rules that could not judge because something was not pulled see Waits.
func (e *Env) NextEvaluation(r *Row) ledger.Date {
	switch {
	case r.Class == ledger.Blocked:
		return e.AsOf + 1 // its age is told
	case !r.Live():
		return e.firstAfter(r.Now.Forecast + 1)
	case r.Settled && r.Received == r.Net:
		return 0
	case r.Due == 0:
		return 0
	}
	return e.firstAfter(r.Due+1, r.Limit+1, e.AddBusinessDays(r.Due, agedAfter)+1, e.AddBusinessDays(r.Due, oldAfter)+1)
}

// NextSlipEvaluation is NextEvaluation for a slip. A slip whose lists contradict each other, or lack it, is judged every night, because
// the result depends on what the night asks.
func (e *Env) NextSlipEvaluation(s *Slip) ledger.Date {
	switch {
	case s.Class == ledger.Open, s.Class == ledger.Failed, s.Class == ledger.Paid && s.CreditedOn == 0, viewsDiffer(s.Slip):
		return e.AsOf + 1
	}
	return 0
}

// viewsDiffer says whether two views of a slip differ in a member, or a list that should show it has no view of it.
func viewsDiffer(s *ledger.Slip) bool {
	for i := range s.Views {
		for j := range s.Views[:i] {
			if _, differ := compareViews(&s.Views[j].SlipView, &s.Views[i].SlipView); differ {
				return true
			}
		}
	}
	for _, list := range ledger.SlipLists() {
		if DateInList(list, &s.SlipView) != 0 && s.View(list) == nil {
			return true
		}
	}
	return false
}

// firstAfter is the first of the dates that lies after the as-of, no date when none does.
func (e *Env) firstAfter(dates ...ledger.Date) ledger.Date {
	var first ledger.Date
	for _, d := range dates {
		if d > e.AsOf && (first == 0 || d < first) {
			first = d
		}
	}
	return first
}

// Waits reports whether a rule could not judge a subject because of what was not pulled, so that another night may,
// though neither the subject nor time has changed it. versions is the number of versions of the subject: one that never
// changed has no history to wait for.
func (r *Rule) Waits(s Status, versions int) bool {
	return s == NotPulled || s == NotEvaluable && versions > 1 && slices.Contains(r.Needs, History)
}
