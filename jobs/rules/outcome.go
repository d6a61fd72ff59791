package rules

import (
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// Status is the status of a rule on one subject.
type Status uint8

// The statuses. From Passed on the rule was evaluated; those before name the reason why it was not.
const (
	NotEligible    Status = iota // the rule does not look at such a subject
	NoInput                      // a contract, say, is not configured
	Unmapped                     // a spelling it needs is not in the mapping
	NotPulled                    // absence can't be evaluated: no complete pull after the day
	NotEvaluable                 // something it needs is not there, or no second answer was given
	SuppressedPass               // the rule is suppressed in this run, and does not fire
	SuppressedFire               // the rule is suppressed in this run, and fires: the state of its case is shadow
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

// hasNoFigures says whether an outcome of the status is nothing but the status.
func (s Status) hasNoFigures() bool { return s < Pends && s != SuppressedFire }

// setStatus makes it an outcome without figures.
func (o *Outcome) setStatus(s Status) {
	if o.Status.hasNoFigures() {
		o.Status = s
		return
	}
	*o = Outcome{Status: s}
}

// Take overwrites the outcome. Nearly all outcomes are only a status, and then only that is written.
func (o *Outcome) Take(other Outcome) {
	if o.Status.hasNoFigures() && other.Status.hasNoFigures() {
		o.Status = other.Status
		return
	}
	*o = other
}

// Outcome is the outcome of the status without figures.
func (s Status) Outcome() Outcome { return Outcome{Status: s} }

// FireIf fires on a condition, else passes.
func FireIf(fires bool, o Outcome) Outcome {
	if !fires {
		return Passed.Outcome()
	}
	o.Status = Fires
	return o
}

// WithNumbers gives an outcome that is one its numbers. They are made only then: nearly every outcome passes.
func (o Outcome) WithNumbers(numbers func() []ledger.Number) Outcome {
	if o.Status >= Pends {
		o.Numbers = numbers()
	}
	return o
}

// CompareAmounts evaluates two amounts: equal, within the tolerance, or fired with both as expected and actual. Its hint
// is over, or less where actual is below expected.
func CompareAmounts(expected, actual, base ledger.Amount, t Tolerance, less string) Outcome {
	diff := actual - expected
	switch {
	case diff == 0:
		return Passed.Outcome()
	case t.Allows(diff, base):
		return Within.Outcome()
	}
	o := Outcome{Status: Fires, Expected: ledger.Money(expected), Actual: ledger.Money(actual), Hint: Over}
	if diff < 0 {
		o.Hint = less
	}
	return o
}

// CompareRates evaluates two rates in percent, as CompareAmounts does amounts, by the points that the tolerance allows.
func CompareRates(expected, actual ledger.Rate, t Tolerance) Outcome {
	diff := actual - expected
	switch {
	case diff == 0:
		return Passed.Outcome()
	case diff.Abs() <= t.Points:
		return Within.Outcome()
	}
	o := Outcome{Status: Fires, Expected: ledger.Text(expected.String()), Actual: ledger.Text(actual.String()), Hint: Over}
	if diff < 0 {
		o.Hint = Under
	}
	return o
}

// Directions of a difference.
const (
	Over  = "over"
	Under = "under"
	Short = "short"
)

// NamedAmount is an amount as a number of an outcome.
func NamedAmount(name string, a ledger.Amount) ledger.Number {
	return ledger.Number{Name: name, Value: a.String()}
}

// NamedDate is a date as a number of an outcome.
func NamedDate(name string, d ledger.Date) ledger.Number {
	return ledger.Number{Name: name, Value: d.String()}
}

// NamedCount is a count as a number of an outcome.
func NamedCount(name string, n int) ledger.Number {
	return ledger.Number{Name: name, Value: strconv.Itoa(n)}
}

// NamedRate prints a rate in percent.
func NamedRate(name string, r ledger.Rate) ledger.Number {
	return ledger.Number{Name: name, Value: r.String()}
}

// NamedText is a text among the numbers of an outcome, such as a name.
func NamedText(name, s string) ledger.Number { return ledger.Number{Name: name, Value: s} }

// Suppress is the outcome of a suppressed rule: one that fired or is pending keeps its figures as Shadow, any
// other evaluated one is Unbelieved. One that was not evaluated stays as it is.
func (o Outcome) Suppress() Outcome {
	switch {
	case o.Status == Fires || o.Status == Pends:
		o.Status, o.BreakOn = SuppressedFire, 0
	case o.Status.Evaluated():
		o = SuppressedPass.Outcome()
	}
	return o
}

// NamedMoment prints a date and time to the second, with a blank between them.
func NamedMoment(name string, t ledger.LocalTime) ledger.Number {
	const second = HourTicks / 3600
	return NamedText(name, strings.Replace((t-t%second).String(), "T", " ", 1))
}
