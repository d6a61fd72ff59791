package rules

import (
	"strconv"
	"strings"
	"time"

	"concilia/store/ledger"
)

// NotificationFacts is what the rules on notifications rest on, beside the notifications. The zero Notices is that of an account
// that is not told of changes: these rules then look at nothing.
type NotificationFacts struct {
	// From is the first day from which notifications can be expected; none: the account is not told of changes.
	From         ledger.Date
	Subscription ledger.Subscription
	// Zone is where moments are read on a clock; nil is UTC.
	Zone *time.Location
	// ClockMoved: the run's day is a simulation's, and so are the moments; when they arrived is not.
	ClockMoved bool
	// PulledOn holds, for every sale day, the dates on which complete pulls of it began, in order.
	PulledOn map[ledger.Date][]ledger.Date
	// EventsOf gives the notifications linked to an installment, by moment and movement; nil: there are none.
	EventsOf func(ledger.InstallmentKey) []ledger.LinkedNotification
}

// Notification is a notification as the rules see it.
type Notification struct {
	*ledger.LinkedNotification
	// Previous is the notification of the same installment before it, by moment and movement; nil: none, or not linked.
	Previous *ledger.LinkedNotification
}

const (
	HourTicks = ledger.LocalTime(time.Hour / 100) // in ticks of 100 ns
	// lateHours is when a late notification is an error.
	lateHours = 24
)

// EvaluateNotification judges a notification by rule i; rules on other subjects are not eligible.
func (e *Env) EvaluateNotification(i int, n *Notification) Outcome {
	if e.rules[i].EvaluateNotification == nil || e.Notifications.From == 0 {
		return NotEligible.Outcome()
	}
	return e.rules[i].EvaluateNotification(e, n, e.adjusted[i].tolerance)
}

// ArrivalTime is when a notification arrived, as local time in the zone of its moment.
func (e *Env) ArrivalTime(n *ledger.LinkedNotification) ledger.LocalTime {
	zone := e.Notifications.Zone
	if zone == nil {
		zone = time.UTC
	}
	return ledger.LocalTimeOf(n.ReceivedAt, zone)
}

// UnknownValues returns the values of a notification that are not in the mapping.
func (e *Env) UnknownValues(n *ledger.LinkedNotification) []Spelling {
	var all []Spelling
	for _, s := range [...]Spelling{{"oldValue", n.OldValue}, {"newValue", n.NewValue}} {
		if _, ok := e.Mapping.Status(s.Value); !ok {
			all = append(all, s)
		}
	}
	return all
}

func (n *Notification) MovementFigure() ledger.Number {
	return ledger.Number{Name: "movement", Value: strconv.FormatInt(n.MovementID, 10)}
}

func (n *Notification) Figures() []ledger.Number {
	return []ledger.Number{n.MovementFigure(), NamedMoment("moment", n.Moment)}
}

// NamedMoment prints a date and time to the second, with a blank between them.
func NamedMoment(name string, t ledger.LocalTime) ledger.Number {
	const second = HourTicks / 3600
	return NamedText(name, strings.Replace((t-t%second).String(), "T", " ", 1))
}

// lastPullOf is the date of the last complete pull of a sale day, no date when there is none.
func (e *Env) lastPullOf(day ledger.Date) ledger.Date {
	if on := e.Notifications.PulledOn[day]; len(on) > 0 {
		return on[len(on)-1]
	}
	return 0
}

// evaluateNotInPull passes once the notification is linked, and leaves one that several installments fit to its own rule.
func evaluateNotInPull(e *Env, n *Notification, t Tolerance) Outcome {
	day := n.Moment.Date()
	switch {
	case n.Target != nil, n.Ambiguous:
		return Passed.Outcome()
	case n.PlannedFor < t.Grace, e.lastPullOf(day) <= day, e.lastPullOf(day-1) <= day-1:
		return NotPulled.Outcome()
	}
	return Outcome{Status: Fires, Numbers: append(n.Figures(), NamedCount("nights", n.PlannedFor))}
}

func evaluateChain(e *Env, n *Notification, _ Tolerance) Outcome {
	if n.Target == nil {
		return NotEligible.Outcome()
	}
	if n.Previous == nil || n.OldValue == n.Previous.NewValue {
		return Passed.Outcome()
	}
	was, known1 := e.Mapping.Status(n.OldValue)
	made, known2 := e.Mapping.Status(n.Previous.NewValue)
	if !known1 || !known2 {
		return Unmapped.Outcome()
	}
	return FireIf(was != made, Outcome{Expected: ledger.Text(n.Previous.NewValue), Actual: ledger.Text(n.OldValue)}).WithNumbers(n.Figures)
}

func evaluateOrderOfArrival(_ *Env, n *Notification, _ Tolerance) Outcome {
	return FireIf(n.PreviousMoment > n.Moment, Outcome{}).WithNumbers(func() []ledger.Number {
		return append(n.Figures(), NamedText("before", strconv.FormatInt(n.PreviousID, 10)), NamedMoment("later", n.PreviousMoment))
	})
}

func evaluateArrival(e *Env, n *Notification, t Tolerance) Outcome {
	if e.Notifications.ClockMoved {
		return NotEvaluable.Outcome()
	}
	waited := e.ArrivalTime(n.LinkedNotification) - n.Moment
	if waited <= ledger.LocalTime(t.Grace)*HourTicks {
		return Passed.Outcome()
	}
	o := Outcome{Status: Fires, Severity: ledger.Info, Numbers: append(n.Figures(), NamedCount("hours", int(waited/HourTicks)))}
	if waited > lateHours*HourTicks {
		o.Severity = ledger.Error
	}
	return o
}
