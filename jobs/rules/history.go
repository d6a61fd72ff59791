package rules

import (
	"concilia/store/ledger"
)

// Close is a closed period that has not been reopened.
type Close struct {
	Basis  string // operation or credit; others restate nothing
	Period ledger.Period
	// AsOf is that of the last run whose figures were closed: a version brought by a run of a later as-of is a change.
	AsOf ledger.Date
	// Later are the pulls that no run up to the closed one knew. It goes before AsOf, which does not distinguish two runs of one
	// morning; nil: AsOf decides.
	Later map[string]bool
}

// KnewVersion says whether a version was there when the period was closed.
func (c *Close) KnewVersion(pull string, changed ledger.Date) bool {
	if c.Later != nil {
		return !c.Later[pull]
	}
	return changed <= c.AsOf
}

// CheckComparable is Passed where a day was pulled completely at least twice, so that what is can be compared with what was.
func (e *Env) CheckComparable(s ledger.Source, d ledger.Date) Status {
	if e.PullsOf(s, d) < ComparablePulls {
		return NotEvaluable
	}
	return Passed
}

// ComparablePulls is how many complete pulls of a day it takes to compare two.
const ComparablePulls = 2

// CheckSlipComparable is compared for a slip: one of the lists that show it was pulled twice for its day.
func (e *Env) CheckSlipComparable(s *Slip) Status {
	for i := range s.Views {
		v := &s.Views[i]
		if d := DateInList(v.List, &v.SlipView); v.List != ledger.SlipDetail && d != 0 && e.CheckComparable(v.List, d) == Passed {
			return Passed
		}
	}
	return NotEvaluable
}

// WasReceived is "received" as a condition, of a version.
func (e *Env) WasReceived(v *ledger.InstallmentVersion) bool {
	return v.Effective != 0 || ClassOf(e.Mapping, v) == ledger.Received
}
