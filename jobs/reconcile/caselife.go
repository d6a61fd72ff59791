package reconcile

import (
	"slices"
	"strings"

	"concilia/store/ledger"
)

// continueCase carries the life of a case over to its new sight and says whether anything changed.
func continueCase(prior, f *ledger.Finding, asOf ledger.Date) bool {
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

// stateOfFiring is the state of a case that was in state was and whose rule fires, or pends, now.
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
		if hasSameNumbers(prior, f) {
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

// isWaiverInForce says whether the waiver that the case carries still covers it: its last day counts, and so does its cap.
func isWaiverInForce(f *ledger.Finding, asOf ledger.Date) bool {
	if asOf > f.WaivedUntil {
		return false
	}
	stake := f.AtStake()
	return !f.WaivedCap.OK || stake.V <= f.WaivedCap.V
}

// stateOfSuppressed is the state of a case whose rule fires and is not believed tonight, and the state it goes back to. A closed
// case stays closed, unless there is something new in it.
func stateOfSuppressed(was ledger.State, prior, f *ledger.Finding) (state, held ledger.State) {
	if was != ledger.Closed {
		return ledger.Shadow, was
	}
	if hasSameNumbers(prior, f) {
		return ledger.Closed, ledger.Shadow
	}
	return ledger.Shadow, ledger.Resolved
}

// growsDaily are the figures of sentences that grow with every day nothing happens.
func growsDaily(n ledger.Number) bool { return n.Name == "days" }

// hasSameNumbers says whether a closed case fires with the numbers it was closed with. Its age is none of them: it would open
// every closed case that waits for something the morning after. Where one of the two sights is of a rule that was not
// believed, what such a sight leaves blank is not compared.
func hasSameNumbers(prior, f *ledger.Finding) bool {
	a, b := *prior, *f
	a.Numbers = slices.DeleteFunc(slices.Clone(a.Numbers), growsDaily)
	b.Numbers = slices.DeleteFunc(slices.Clone(b.Numbers), growsDaily)
	if prior.ReturnState == ledger.Shadow || f.State == ledger.Shadow {
		a.Impact, a.ExplainedBy, a.BreakOn = b.Impact, b.ExplainedBy, b.BreakOn
	}
	return a.SameNumbers(&b)
}

// resolveFinding is the case as it is once the data agree. Who had it and what was said of it stays.
func resolveFinding(prior *ledger.Finding, run string, asOf ledger.Date) ledger.Finding {
	f := *prior
	f.State, f.LastRun, f.LastSeen, f.BreakOn = ledger.Resolved, run, asOf, 0
	f.ReturnState, f.ClosedAs, f.WaivedUntil, f.WaivedCap = "", "", 0, ledger.Opt[ledger.Amount]{}
	if f.Impact.OK {
		f.Impact = ledger.Some[ledger.Amount](0)
	}
	return f
}

// isAgedOut says whether no run has evaluated the case for so long that nothing will: its subject has left every window.
func isAgedOut(f *ledger.Finding, asOf ledger.Date) bool {
	return f.State.IsUnresolved() && asOf-f.LastSeen >= ledger.AgesOut
}

// keepUntouched goes through the cases that the run had nothing to say about: they stay as they are, but for those that
// have outlived their subject.
func (c *cases) keepUntouched() error {
	var old []*storedCase
	for _, all := range c.bySubject {
		for _, s := range all {
			switch {
			case s.touched:
			case isAgedOut(&s.Finding, c.ev.in.AsOf):
				old = append(old, s)
			default:
				c.countCase(&s.Finding, false)
			}
		}
	}
	slices.SortFunc(old, func(a, b *storedCase) int { return strings.Compare(a.Case, b.Case) })
	for _, s := range old {
		f := s.Finding
		f.State, f.ClosedAs, f.ReturnState, f.LastRun = ledger.Closed, ledger.AgedOut, "", c.ev.run.ID
		if s.State == ledger.Shadow {
			f.ReturnState = ledger.Shadow
		}
		f.WaivedUntil, f.WaivedCap = 0, ledger.Opt[ledger.Amount]{}
		if err := c.ev.sink.WriteCase(f, true); err != nil {
			return err
		}
	}
	return nil
}

// suppressCase puts a case into shadow that stands, and of which its rule, not believed tonight, has nothing to say: it
// is neither counted nor resolved.
func (c *cases) suppressCase(p caseContext, i int) {
	prior := c.findPrior(p.subject, c.ev.env.Rules()[i].Code)
	if prior == nil {
		return
	}
	prior.touched = true
	if !prior.State.IsUnresolved() || prior.State == ledger.Shadow {
		return
	}
	f := prior.Finding
	f.State, f.ReturnState, f.LastRun, f.LastSeen, f.BreakOn, f.ExplainedBy = ledger.Shadow, prior.State, c.ev.run.ID, c.ev.in.AsOf, 0, ""
	if f.Impact.OK {
		f.Impact = ledger.Some[ledger.Amount](0)
	}
	c.countCase(&f, false)
	c.observations = append(c.observations, observation{f, true})
}
