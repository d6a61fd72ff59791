// Package caselife carries a case from run to run. A run observes a case anew, from what its rule found; what the case was
// before decides in which state it goes on: it opens, stays with the person who has it, is resolved, reopens, is suppressed
// or ages out. What a person decided about a case stays in force while it is true.
//
// Continue, Resolve and Close do this for one case, Follow for all cases that a run found outside the reconcile of an
// account: those of bank accounts and stores. Nothing here reads or writes a ledger.
package caselife

import (
	"slices"

	"concilia/store/ledger"
)

// Continue carries the history of a case over to its new observation and reports whether anything changed.
func Continue(prior, f *ledger.Finding, asOf ledger.Date) bool {
	f.FirstSeen, f.FirstRun, f.OpenedOn = prior.FirstSeen, prior.FirstRun, prior.OpenedOn
	f.Assignee, f.Reference, f.Comment = prior.Assignee, prior.Reference, prior.Comment
	f.ClosedAs, f.WaivedUntil, f.WaivedCap = prior.ClosedAs, prior.WaivedUntil, prior.WaivedCap
	was := prior.State
	if was == ledger.Shadow {
		was = prior.ReturnState
	}
	if f.State == ledger.Shadow {
		f.State, f.ReturnState = stateOfSuppressed(was, prior, f)
	} else {
		f.State, f.ReturnState = stateOfFiring(was, prior, f, asOf), ""
	}
	switch {
	case f.State == ledger.Pending || f.State == ledger.Shadow && (f.ReturnState == "" || f.ReturnState == ledger.Pending):
		f.OpenedOn = 0
	case f.State == ledger.Reopened && was != ledger.Reopened:
		f.OpenedOn = asOf
	case f.State == ledger.Opened && f.OpenedOn == 0:
		f.OpenedOn = asOf
	}
	if f.State != ledger.Closed && f.ReturnState != ledger.Closed {
		f.ClosedAs = ""
	}
	if f.State != ledger.Waived && f.ReturnState != ledger.Waived {
		f.WaivedUntil, f.WaivedCap = 0, ledger.Opt[ledger.Amount]{}
	}
	return f.State != prior.State || f.ReturnState != prior.ReturnState || f.RuleVersion != prior.RuleVersion || !f.SameNumbers(prior)
}

// stateOfFiring is the next state of a case that was in state was and whose rule fires or pends now.
func stateOfFiring(was ledger.State, prior, f *ledger.Finding, asOf ledger.Date) ledger.State {
	fires := f.State == ledger.Opened
	switch was {
	case ledger.Acknowledged, ledger.Disputed:
		// A person has it; its age runs from the day it first fired.
		if fires && f.OpenedOn == 0 {
			f.OpenedOn = asOf
		}
		return was
	case ledger.Waived:
		if !isWaiverInForce(f, asOf) {
			return f.State
		}
		if fires && f.OpenedOn == 0 {
			f.OpenedOn = asOf
		}
		return was
	case ledger.Closed:
		if prior.ClosedAs != ledger.Regrouped && hasSameNumbers(prior, f) {
			return was
		}
		if fires {
			return ledger.Reopened
		}
	case ledger.Resolved, ledger.Reopened:
		if fires {
			return ledger.Reopened
		}
	}
	return f.State
}

// isWaiverInForce reports whether the waiver of a case still covers it: both its last day and its cap are inclusive.
func isWaiverInForce(f *ledger.Finding, asOf ledger.Date) bool {
	if asOf > f.WaivedUntil {
		return false
	}
	stake := f.AtStake()
	return !f.WaivedCap.OK || stake.V <= f.WaivedCap.V
}

// stateOfSuppressed is the state of a case whose rule fires and is suppressed, and the state that it returns to later.
// A closed case stays closed unless its numbers changed.
func stateOfSuppressed(was ledger.State, prior, f *ledger.Finding) (state, held ledger.State) {
	if was != ledger.Closed {
		return ledger.Shadow, was
	}
	if hasSameNumbers(prior, f) {
		return ledger.Closed, ledger.Shadow
	}
	return ledger.Shadow, ledger.Resolved
}

// growsDaily reports whether a number of a sentence grows every day without any change of the facts.
func growsDaily(n ledger.Number) bool { return n.Name == "days" }

// hasSameNumbers reports whether a closed case fires with the numbers that it was closed with. Its age does not count:
// otherwise every closed case about something overdue would reopen the next day. If the rule was suppressed in one of
// the two observations, the members that suppression leaves empty are not compared.
func hasSameNumbers(prior, f *ledger.Finding) bool {
	a, b := *prior, *f
	a.Numbers = slices.DeleteFunc(slices.Clone(a.Numbers), growsDaily)
	b.Numbers = slices.DeleteFunc(slices.Clone(b.Numbers), growsDaily)
	if prior.ReturnState == ledger.Shadow || f.State == ledger.Shadow {
		a.Impact, a.ExplainedBy, a.BreakOn = b.Impact, b.ExplainedBy, b.BreakOn
	}
	return a.SameNumbers(&b)
}

// Resolve returns the case once its rule no longer fires. Assignee, reference and comment stay.
func Resolve(prior *ledger.Finding, run string, asOf ledger.Date) ledger.Finding {
	f := *prior
	f.State, f.LastRun, f.LastSeen, f.BreakOn = ledger.Resolved, run, asOf, 0
	f.ReturnState, f.ClosedAs, f.WaivedUntil, f.WaivedCap = "", "", 0, ledger.Opt[ledger.Amount]{}
	if f.Impact.OK {
		f.Impact = ledger.Some[ledger.Amount](0)
	}
	return f
}

// IsAgedOut reports whether no run has evaluated the case for ledger.AgesOut days: its subject has left every window,
// so no run ever will.
func IsAgedOut(f *ledger.Finding, asOf ledger.Date) bool {
	return f.State.IsUnresolved() && asOf-f.LastSeen >= ledger.AgesOut
}

// Close returns the case closed by a run: as aged out, because no run evaluates it any more, or as regrouped.
func Close(prior *ledger.Finding, as ledger.Closing, run string) ledger.Finding {
	f := *prior
	f.State, f.ClosedAs, f.ReturnState, f.LastRun = ledger.Closed, as, "", run
	if prior.State == ledger.Shadow {
		f.ReturnState = ledger.Shadow
	}
	f.WaivedUntil, f.WaivedCap = 0, ledger.Opt[ledger.Amount]{}
	return f
}

// Others returns the cases of a subject but one; nil if nothing is left.
func Others(all []string, one string) []string {
	var out []string
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}
