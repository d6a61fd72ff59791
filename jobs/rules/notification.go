package rules

import (
	"strconv"
	"time"

	"concilia/store/ledger"
)

// NotificationFacts is what the rules on notifications need in addition to the notifications. The zero Notices is that of an account
// that receives no notifications: these rules then look at nothing.
type NotificationFacts struct {
	// From is the first day from which notifications can be expected; none: the account receives no notifications.
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
	// HourTicks is an hour in the ticks of 100 ns that a LocalTime counts.
	HourTicks = ledger.LocalTime(time.Hour / 100)
	// LateHours is how many hours late a notification is an error.
	LateHours = 24
)

// MovementFigure is the number of the movement, as cases about the notification show it.
func (n *Notification) MovementFigure() ledger.Number {
	return ledger.Number{Name: "movement", Value: strconv.FormatInt(n.MovementID, 10)}
}

// Figures are what every case about the notification shows of it: its movement and its moment.
func (n *Notification) Figures() []ledger.Number {
	return []ledger.Number{n.MovementFigure(), NamedMoment("moment", n.Moment)}
}
