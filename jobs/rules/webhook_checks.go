package rules

import (
	"strconv"
	"strings"
	"time"

	"concilia/store/ledger"
)

// Notices is what the rules on notifications rest on, beside the notifications. The zero Notices is that of an account
// that is not told of changes: these rules then look at nothing.
type Notices struct {
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

// Notice is a notification as the rules see it.
type Notice struct {
	*ledger.LinkedNotification
	// Previous is the notification of the same installment before it, by moment and movement; nil: none, or not linked.
	Previous *ledger.LinkedNotification
}

const (
	hour = ledger.LocalTime(time.Hour / 100) // in ticks of 100 ns
	// lateHours is when a late notification is an error.
	lateHours = 24
)

// OnNotice judges a notification by rule i; rules on other subjects are not eligible.
func (e *Env) OnNotice(i int, n *Notice) Outcome {
	if e.rules[i].notice == nil || e.Notices.From == 0 {
		return only(NotEligible)
	}
	return e.rules[i].notice(e, n, e.tuned[i].tolerance)
}

// Arrived is when a notification arrived, as local time in the zone of its moment.
func (e *Env) Arrived(n *ledger.LinkedNotification) ledger.LocalTime {
	zone := e.Notices.Zone
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

func (n *Notice) movement() ledger.Number {
	return ledger.Number{Name: "movement", Value: strconv.FormatInt(n.MovementID, 10)}
}

func (n *Notice) numbers() []ledger.Number {
	return []ledger.Number{n.movement(), moment("moment", n.Moment)}
}

// moment prints a date and time to the second, with a blank between them.
func moment(name string, t ledger.LocalTime) ledger.Number {
	const second = hour / 3600
	return text(name, strings.Replace((t-t%second).String(), "T", " ", 1))
}

// lastPull is the date of the last complete pull of a sale day, no date when there is none.
func (e *Env) lastPull(day ledger.Date) ledger.Date {
	if on := e.Notices.PulledOn[day]; len(on) > 0 {
		return on[len(on)-1]
	}
	return 0
}

// notInPull passes once the notification is linked, and leaves one that several installments fit to its own rule.
func notInPull(e *Env, n *Notice, t Tolerance) Outcome {
	day := n.Moment.Date()
	switch {
	case n.Target != nil, n.Ambiguous:
		return only(Passed)
	case n.PlannedFor < t.Grace, e.lastPull(day) <= day, e.lastPull(day-1) <= day-1:
		return only(Window)
	}
	return Outcome{Status: Fires, Numbers: append(n.numbers(), count("nights", n.PlannedFor))}
}

func chainBroken(e *Env, n *Notice, _ Tolerance) Outcome {
	if n.Target == nil {
		return only(NotEligible)
	}
	if n.Previous == nil || n.OldValue == n.Previous.NewValue {
		return only(Passed)
	}
	was, known1 := e.Mapping.Status(n.OldValue)
	made, known2 := e.Mapping.Status(n.Previous.NewValue)
	if !known1 || !known2 {
		return only(Unmapped)
	}
	return when(was != made, Outcome{Expected: ledger.Text(n.Previous.NewValue), Actual: ledger.Text(n.OldValue)}).tell(n.numbers)
}

func outOfOrder(_ *Env, n *Notice, _ Tolerance) Outcome {
	return when(n.PreviousMoment > n.Moment, Outcome{}).tell(func() []ledger.Number {
		return append(n.numbers(), text("before", strconv.FormatInt(n.PreviousID, 10)), moment("later", n.PreviousMoment))
	})
}

func arrivedLate(e *Env, n *Notice, t Tolerance) Outcome {
	if e.Notices.ClockMoved {
		return only(NotEvaluable)
	}
	waited := e.Arrived(n.LinkedNotification) - n.Moment
	if waited <= ledger.LocalTime(t.Grace)*hour {
		return only(Passed)
	}
	o := Outcome{Status: Fires, Severity: ledger.Info, Numbers: append(n.numbers(), count("hours", int(waited/hour)))}
	if waited > lateHours*hour {
		o.Severity = ledger.Error
	}
	return o
}
