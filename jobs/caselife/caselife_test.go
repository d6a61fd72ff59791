package caselife

import (
	"testing"

	"concilia/store/ledger"
)

// TestContinueCase: what becomes of a case in every state, by what its rule says and whether the numbers are the same.
func TestContinueCase(t *testing.T) {
	t.Parallel()
	const (
		asOf  = ledger.Date(740000)
		first = asOf - 30
	)
	type want struct {
		state  ledger.State
		held   ledger.State
		opened ledger.Date
		event  bool
	}
	open := func(s ledger.State, event bool) want { return want{s, "", first, event} }
	now := func(s ledger.State) want { return want{s, "", asOf, true} }
	held := func(h ledger.State, event bool) want { return want{ledger.Shadow, h, first, event} }
	for _, c := range []struct {
		says        string
		prior, held ledger.State // before the run
		sight       ledger.State // what the rule says: open, pending or shadow
		other       bool         // with other numbers
		want        want
	}{
		{"a pending case still pends", ledger.Pending, "", ledger.Pending, false, want{ledger.Pending, "", 0, false}},
		{"a pending case pends with other numbers", ledger.Pending, "", ledger.Pending, true, want{ledger.Pending, "", 0, true}},
		{"a pending case opens by itself", ledger.Pending, "", ledger.Opened, false, now(ledger.Opened)},
		{"a pending case opens with other numbers", ledger.Pending, "", ledger.Opened, true, now(ledger.Opened)},
		{"a pending case of a rule not believed", ledger.Pending, "", ledger.Shadow, false, want{ledger.Shadow, ledger.Pending, 0, true}},
		{"the same with other numbers", ledger.Pending, "", ledger.Shadow, true, want{ledger.Shadow, ledger.Pending, 0, true}},

		{"an open case stays", ledger.Opened, "", ledger.Opened, false, open(ledger.Opened, false)},
		{"an open case stays, and its numbers are told", ledger.Opened, "", ledger.Opened, true, open(ledger.Opened, true)},
		{"an open case that only pends again", ledger.Opened, "", ledger.Pending, false, want{ledger.Pending, "", 0, true}},
		{"the same with other numbers", ledger.Opened, "", ledger.Pending, true, want{ledger.Pending, "", 0, true}},
		{"an open case goes into shadow and stays known as open", ledger.Opened, "", ledger.Shadow, false, held(ledger.Opened, true)},
		{"the same with other numbers", ledger.Opened, "", ledger.Shadow, true, held(ledger.Opened, true)},

		{"a reopened case stays", ledger.Reopened, "", ledger.Opened, false, open(ledger.Reopened, false)},
		{"a reopened case stays with other numbers", ledger.Reopened, "", ledger.Opened, true, open(ledger.Reopened, true)},
		{"a reopened case that only pends", ledger.Reopened, "", ledger.Pending, false, want{ledger.Pending, "", 0, true}},
		{"the same with other numbers", ledger.Reopened, "", ledger.Pending, true, want{ledger.Pending, "", 0, true}},
		{"a reopened case goes into shadow", ledger.Reopened, "", ledger.Shadow, false, held(ledger.Reopened, true)},
		{"the same with other numbers", ledger.Reopened, "", ledger.Shadow, true, held(ledger.Reopened, true)},

		{"an acknowledged case is a person's", ledger.Acknowledged, "", ledger.Opened, false, open(ledger.Acknowledged, false)},
		{"and stays theirs with other numbers", ledger.Acknowledged, "", ledger.Opened, true, open(ledger.Acknowledged, true)},
		{"an acknowledged case that pends", ledger.Acknowledged, "", ledger.Pending, false, open(ledger.Acknowledged, false)},
		{"the same with other numbers", ledger.Acknowledged, "", ledger.Pending, true, open(ledger.Acknowledged, true)},
		{"an acknowledged case goes into shadow and comes back", ledger.Acknowledged, "", ledger.Shadow, false, held(ledger.Acknowledged, true)},
		{"the same with other numbers", ledger.Acknowledged, "", ledger.Shadow, true, held(ledger.Acknowledged, true)},

		{"a disputed case stays with the operator", ledger.Disputed, "", ledger.Opened, false, open(ledger.Disputed, false)},
		{"the same with other numbers", ledger.Disputed, "", ledger.Opened, true, open(ledger.Disputed, true)},
		{"a disputed case that pends", ledger.Disputed, "", ledger.Pending, false, open(ledger.Disputed, false)},
		{"the same with other numbers", ledger.Disputed, "", ledger.Pending, true, open(ledger.Disputed, true)},
		{"a disputed case goes into shadow", ledger.Disputed, "", ledger.Shadow, false, held(ledger.Disputed, true)},
		{"the same with other numbers", ledger.Disputed, "", ledger.Shadow, true, held(ledger.Disputed, true)},

		{"a waived case within day and cap", ledger.Waived, "", ledger.Opened, false, open(ledger.Waived, false)},
		{"a waived case whose numbers outgrow its cap is open again", ledger.Waived, "", ledger.Opened, true, open(ledger.Opened, true)},
		{"a waived case that pends", ledger.Waived, "", ledger.Pending, false, open(ledger.Waived, false)},
		{"a waived case that pends above its cap", ledger.Waived, "", ledger.Pending, true, want{ledger.Pending, "", 0, true}},
		{"a waived case goes into shadow", ledger.Waived, "", ledger.Shadow, false, held(ledger.Waived, true)},
		{"the same with other numbers", ledger.Waived, "", ledger.Shadow, true, held(ledger.Waived, true)},

		{"what was resolved is true again", ledger.Resolved, "", ledger.Opened, false, now(ledger.Reopened)},
		{"the same with other numbers", ledger.Resolved, "", ledger.Opened, true, now(ledger.Reopened)},
		{"what was resolved pends", ledger.Resolved, "", ledger.Pending, false, want{ledger.Pending, "", 0, true}},
		{"the same with other numbers", ledger.Resolved, "", ledger.Pending, true, want{ledger.Pending, "", 0, true}},
		{"what was resolved fires in shadow", ledger.Resolved, "", ledger.Shadow, false, held(ledger.Resolved, true)},
		{"the same with other numbers", ledger.Resolved, "", ledger.Shadow, true, held(ledger.Resolved, true)},

		{"a closed case stays closed", ledger.Closed, "", ledger.Opened, false, open(ledger.Closed, false)},
		{"a closed case reopens when its numbers change", ledger.Closed, "", ledger.Opened, true, now(ledger.Reopened)},
		{"a closed case pends as when it was closed", ledger.Closed, "", ledger.Pending, false, open(ledger.Closed, false)},
		{"a closed case pends with other numbers", ledger.Closed, "", ledger.Pending, true, want{ledger.Pending, "", 0, true}},
		{"a closed case of a rule not believed stays closed", ledger.Closed, "", ledger.Shadow, false, want{ledger.Closed, ledger.Shadow, first, true}},
		{"unless its numbers change", ledger.Closed, "", ledger.Shadow, true, held(ledger.Resolved, true)},
		{"closed through a shadow, with the numbers of before", ledger.Closed, ledger.Shadow, ledger.Opened, false, open(ledger.Closed, true)},
		{"closed through a shadow, with others", ledger.Closed, ledger.Shadow, ledger.Opened, true, now(ledger.Reopened)},

		{"in shadow one more night", ledger.Shadow, ledger.Opened, ledger.Shadow, false, held(ledger.Opened, false)},
		{"in shadow with other numbers", ledger.Shadow, ledger.Opened, ledger.Shadow, true, held(ledger.Opened, true)},
		{"out of the shadow, open as before", ledger.Shadow, ledger.Opened, ledger.Opened, false, open(ledger.Opened, true)},
		{"out of the shadow, a person has it again", ledger.Shadow, ledger.Acknowledged, ledger.Opened, false, open(ledger.Acknowledged, true)},
		{"out of the shadow, still waived", ledger.Shadow, ledger.Waived, ledger.Opened, false, open(ledger.Waived, true)},
		{"out of the shadow, above the waiver's cap", ledger.Shadow, ledger.Waived, ledger.Opened, true, open(ledger.Opened, true)},
		{"out of the shadow, true again after it was resolved", ledger.Shadow, ledger.Resolved, ledger.Opened, false, now(ledger.Reopened)},
		{"out of the shadow it was born in", ledger.Shadow, "", ledger.Opened, false, now(ledger.Opened)},
		{"born in shadow and still there", ledger.Shadow, "", ledger.Shadow, false, want{ledger.Shadow, "", 0, false}},
		{"out of the shadow, it pends", ledger.Shadow, ledger.Pending, ledger.Pending, false, want{ledger.Pending, "", 0, true}},
	} {
		prior := ledger.Finding{
			State: c.prior, ReturnState: c.held, Severity: ledger.Error, Impact: ledger.Some(ledger.Amount(100)), FirstSeen: first,
			OpenedOn: first, FirstRun: "a", LastRun: "b", Assignee: "Ana", Reference: "REF", Comment: "why",
			Numbers: []ledger.Number{{Name: "days", Value: "3"}, {Name: "due", Value: "x"}},
		}
		was := c.prior
		if was == ledger.Shadow {
			was = c.held
			prior.Impact.V = 0
		}
		switch was {
		case ledger.Waived:
			prior.WaivedUntil, prior.WaivedCap = asOf, ledger.Some(ledger.Amount(100))
		case ledger.Closed:
			prior.ClosedAs = ledger.ByPerson
		case ledger.Pending, "":
			prior.OpenedOn = 0
		}
		if c.held == ledger.Shadow {
			prior.Impact.V = 0
		}
		f := prior
		f.State, f.ReturnState, f.LastRun, f.FirstRun, f.FirstSeen, f.OpenedOn = c.sight, "", "c", "c", asOf, asOf
		f.Assignee, f.Reference, f.Comment, f.ClosedAs, f.WaivedUntil = "", "", "", "", 0
		if f.Impact.V = 100; c.sight == ledger.Shadow {
			f.Impact.V = 0
		}
		if c.other {
			f.Impact.V *= 2
			f.Numbers = []ledger.Number{{Name: "days", Value: "3"}, {Name: "due", Value: "y"}}
		}
		event := Continue(&prior, &f, asOf)
		if got := (want{f.State, f.ReturnState, f.OpenedOn, event}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.says, got, c.want)
		}
		if f.FirstSeen != first || f.FirstRun != "a" || f.Assignee != "Ana" || f.Reference != "REF" || f.Comment != "why" {
			t.Errorf("%s: what stays with a case did not: %+v", c.says, f)
		}
		if waived := f.State == ledger.Waived || f.ReturnState == ledger.Waived; waived != (f.WaivedUntil != 0) {
			t.Errorf("%s: %s, held %s, waived until %s", c.says, f.State, f.ReturnState, f.WaivedUntil)
		}
		if (f.State == ledger.Closed) != (f.ClosedAs != "") && was == ledger.Closed {
			t.Errorf("%s: %s, closed as %q", c.says, f.State, f.ClosedAs)
		}
	}
}

// TestWaiverEnds: the last day and the cap are within, the next ones are not; what knows no amount knows no cap.
func TestWaiverEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		late   ledger.Date
		impact ledger.Opt[ledger.Amount]
		cap    ledger.Opt[ledger.Amount]
		want   ledger.State
	}{
		{"on its last day, at its cap", 0, ledger.Some[ledger.Amount](100), ledger.Some[ledger.Amount](100), ledger.Waived},
		{"a day later", 1, ledger.Some[ledger.Amount](100), ledger.Some[ledger.Amount](100), ledger.Opened},
		{"a ten-thousandth more", 0, ledger.Some[ledger.Amount](101), ledger.Some[ledger.Amount](100), ledger.Opened},
		{"as much in excess", 0, ledger.Some[ledger.Amount](-101), ledger.Some[ledger.Amount](100), ledger.Opened},
		{"no amount, and no cap", 0, ledger.Opt[ledger.Amount]{}, ledger.Opt[ledger.Amount]{}, ledger.Waived},
	} {
		prior := ledger.Finding{State: ledger.Waived, WaivedUntil: 10, WaivedCap: c.cap, OpenedOn: 5}
		f := ledger.Finding{State: ledger.Opened, Impact: c.impact, OpenedOn: 10 + c.late}
		Continue(&prior, &f, 10+c.late)
		if f.State != c.want || f.OpenedOn != 5 {
			t.Errorf("%s: %s, opened %d, want %s", c.says, f.State, f.OpenedOn, c.want)
		}
	}
}

// TestClosedCaseAges: a closed case does not open because it is a day older.
func TestClosedCaseAges(t *testing.T) {
	t.Parallel()
	prior := ledger.Finding{State: ledger.Closed, ClosedAs: ledger.ByPerson, Numbers: []ledger.Number{{Name: "days", Value: "3"}}}
	f := ledger.Finding{State: ledger.Opened, Numbers: []ledger.Number{{Name: "days", Value: "4"}}}
	if Continue(&prior, &f, 10); f.State != ledger.Closed || f.ClosedAs != ledger.ByPerson {
		t.Errorf("%s", f.State)
	}
}

// TestIsAgedOut: only an unresolved case that was not evaluated for four hundred days.
func TestIsAgedOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		f    ledger.Finding
		want bool
	}{
		{"the day before", ledger.Finding{State: ledger.Opened, LastSeen: 101}, false},
		{"the day", ledger.Finding{State: ledger.Opened, LastSeen: 100}, true},
		{"a person has it", ledger.Finding{State: ledger.Disputed, LastSeen: 100}, true},
		{"closed already: shown once", ledger.Finding{State: ledger.Closed, LastSeen: 1}, false},
		{"resolved", ledger.Finding{State: ledger.Resolved, LastSeen: 1}, false},
	} {
		if got := IsAgedOut(&c.f, 500); got != c.want {
			t.Errorf("%s: %v", c.says, got)
		}
	}
}
