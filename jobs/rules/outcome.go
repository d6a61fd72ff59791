package rules

import (
	"strconv"

	"concilia/store/ledger"
)

// Status is the status of a rule on one subject.
type Status uint8

// The statuses. From Passed on the rule was evaluated; those before name the reason why it was not.
const (
	NotEligible  Status = iota // the rule does not look at such a subject
	NoInput                    // a contract, say, is not configured
	Unmapped                   // a spelling it needs is not in the mapping
	Window                     // absence can't be judged: no complete pull after the day
	NotEvaluable               // something it needs is not there, or no second answer was given
	Unbelieved                 // the rule is not believed this run, and does not fire
	Shadow                     // the rule is not believed this run, and fires: its case stands in shadow
	Passed
	Within // passed with a difference that is not zero
	Pends  // will fire on BreakOn unless something changes
	Fires
)

// Evaluated reports whether the rule was evaluated.
func (s Status) Evaluated() bool { return s >= Passed }

// Outcome is the outcome of a rule on one subject. Only Pends and Fires carry more than the status.
type Outcome struct {
	Status   Status
	Severity ledger.Severity // empty: the rule's own
	Expected ledger.Value
	Actual   ledger.Value
	Hint     string
	BreakOn  ledger.Date
	Numbers  []ledger.Number
}

// bare says whether an outcome of the status is nothing but the status.
func (s Status) bare() bool { return s < Pends && s != Shadow }

// be makes it an outcome without figures.
func (o *Outcome) be(s Status) {
	if o.Status.bare() {
		o.Status = s
		return
	}
	*o = Outcome{Status: s}
}

// Take overwrites the outcome. Nearly all outcomes are only a status, and then only that is written.
func (o *Outcome) Take(other Outcome) {
	if o.Status.bare() && other.Status.bare() {
		o.Status = other.Status
		return
	}
	*o = other
}

// only is an outcome without figures.
func only(s Status) Outcome { return Outcome{Status: s} }

// when fires on a condition, else passes.
func when(fires bool, o Outcome) Outcome {
	if !fires {
		return only(Passed)
	}
	o.Status = Fires
	return o
}

// tell gives an outcome that is one its numbers. They are made only then: nearly every outcome passes.
func (o Outcome) tell(numbers func() []ledger.Number) Outcome {
	if o.Status >= Pends {
		o.Numbers = numbers()
	}
	return o
}

// differ judges two amounts: equal, within the tolerance, or fired with both as expected and actual. Its hint
// is over, or less where actual is below expected.
func differ(expected, actual, base ledger.Amount, t Tolerance, less string) Outcome {
	diff := actual - expected
	switch {
	case diff == 0:
		return only(Passed)
	case t.allows(diff, base):
		return only(Within)
	}
	o := Outcome{Status: Fires, Expected: ledger.Money(expected), Actual: ledger.Money(actual), Hint: over}
	if diff < 0 {
		o.Hint = less
	}
	return o
}

// Directions of a difference.
const (
	over  = "over"
	under = "under"
	short = "short"
)

func money(name string, a ledger.Amount) ledger.Number {
	return ledger.Number{Name: name, Value: a.String()}
}

func date(name string, d ledger.Date) ledger.Number {
	return ledger.Number{Name: name, Value: d.String()}
}

func count(name string, n int) ledger.Number {
	return ledger.Number{Name: name, Value: strconv.Itoa(n)}
}

// rate prints a rate in percent.
func rate(name string, r ledger.Rate) ledger.Number {
	return ledger.Number{Name: name, Value: r.String()}
}

func text(name, s string) ledger.Number { return ledger.Number{Name: name, Value: s} }
