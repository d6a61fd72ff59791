package notifications

import (
	"strconv"
	"time"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// ArrivalTime is when a notification arrived, as local time in the zone of its moment.
func ArrivalTime(e *rules.Env, n *ledger.LinkedNotification) ledger.LocalTime {
	zone := e.Notifications.Zone
	if zone == nil {
		zone = time.UTC
	}
	return ledger.LocalTimeOf(n.ReceivedAt, zone)
}

// UnknownValues returns the values of a notification that are not in the mapping.
func UnknownValues(e *rules.Env, n *ledger.LinkedNotification) []rules.Spelling {
	var all []rules.Spelling
	for _, s := range [...]rules.Spelling{{Member: "oldValue", Value: n.OldValue}, {Member: "newValue", Value: n.NewValue}} {
		if _, ok := e.Mapping.Status(s.Value); !ok {
			all = append(all, s)
		}
	}
	return all
}

// lastPullOf is the date of the last complete pull of a sale day, no date when there is none.
func lastPullOf(e *rules.Env, day ledger.Date) ledger.Date {
	if on := e.Notifications.PulledOn[day]; len(on) > 0 {
		return on[len(on)-1]
	}
	return 0
}

// evaluateNotInPull passes once the notification is linked, and leaves one that several installments fit to its own rule.
func evaluateNotInPull(e *rules.Env, n *rules.Notification, t rules.Tolerance) rules.Outcome {
	day := n.Moment.Date()
	switch {
	case n.Target != nil, n.Ambiguous:
		return rules.Passed.Outcome()
	case n.PlannedFor < t.Grace, lastPullOf(e, day) <= day, lastPullOf(e, day-1) <= day-1:
		return rules.NotPulled.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: append(n.Figures(), rules.NamedCount("nights", n.PlannedFor))}
}

func evaluateChain(e *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
	if n.Target == nil {
		return rules.NotEligible.Outcome()
	}
	if n.Previous == nil || n.OldValue == n.Previous.NewValue {
		return rules.Passed.Outcome()
	}
	was, known1 := e.Mapping.Status(n.OldValue)
	made, known2 := e.Mapping.Status(n.Previous.NewValue)
	if !known1 || !known2 {
		return rules.Unmapped.Outcome()
	}
	return rules.FireIf(was != made, rules.Outcome{Expected: ledger.Text(n.Previous.NewValue), Actual: ledger.Text(n.OldValue)}).WithNumbers(n.Figures)
}

func evaluateOrderOfArrival(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
	return rules.FireIf(n.PreviousMoment > n.Moment, rules.Outcome{}).WithNumbers(func() []ledger.Number {
		return append(n.Figures(), rules.NamedText("before", strconv.FormatInt(n.PreviousID, 10)), rules.NamedMoment("later", n.PreviousMoment))
	})
}

func evaluateArrival(e *rules.Env, n *rules.Notification, t rules.Tolerance) rules.Outcome {
	if e.Notifications.ClockMoved {
		return rules.NotEvaluable.Outcome()
	}
	waited := ArrivalTime(e, n.LinkedNotification) - n.Moment
	if waited <= ledger.LocalTime(t.Grace)*rules.HourTicks {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{Status: rules.Fires, Severity: ledger.Info, Numbers: append(n.Figures(), rules.NamedCount("hours", int(waited/rules.HourTicks)))}
	if waited > rules.LateHours*rules.HourTicks {
		o.Severity = ledger.Error
	}
	return o
}
