package rules

import (
	"net/url"
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
	EventsOf func(ledger.InstallmentKey) []ledger.Linked
}

// Notice is a notification as the rules see it.
type Notice struct {
	*ledger.Linked
	// Previous is the notification of the same installment before it, by moment and movement; nil: none, or not linked.
	Previous *ledger.Linked
}

const (
	hour = ledger.LocalTime(time.Hour / 100) // in ticks of 100 ns
	// lateHours is when a late notification is an error.
	lateHours = 24
	// untoldShare of the changes of a day may go untold, in percent, before it is an error.
	untoldShare = 1
)

// OnNotice judges a notification by rule i; a rule on other subjects is not eligible.
func (e *Env) OnNotice(i int, n *Notice) Outcome {
	if e.rules[i].notice == nil || e.Notices.From == 0 {
		return only(NotEligible)
	}
	return e.rules[i].notice(e, n, e.tuned[i].tolerance)
}

// Arrived is when a notification arrived, on the clock on which its moment is read.
func (e *Env) Arrived(n *ledger.Linked) ledger.LocalTime {
	zone := e.Notices.Zone
	if zone == nil {
		zone = time.UTC
	}
	return ledger.LocalTimeOf(n.ReceivedAt, zone)
}

// UnknownValues lists the values of a notification that the mapping does not know.
func (e *Env) UnknownValues(n *ledger.Linked) []Spelling {
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
	case n.To != nil, n.Ambiguous:
		return only(Passed)
	case n.PlannedFor < t.Grace, e.lastPull(day) <= day, e.lastPull(day-1) <= day-1:
		return only(Window)
	}
	return Outcome{Status: Fires, Numbers: append(n.numbers(), count("nights", n.PlannedFor))}
}

func chainBroken(e *Env, n *Notice, _ Tolerance) Outcome {
	if n.To == nil {
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
	return when(n.Before > n.Moment, Outcome{}).tell(func() []ledger.Number {
		return append(n.numbers(), text("before", strconv.FormatInt(n.BeforeID, 10)), moment("later", n.Before))
	})
}

func arrivedLate(e *Env, n *Notice, t Tolerance) Outcome {
	if e.Notices.ClockMoved {
		return only(NotEvaluable)
	}
	waited := e.Arrived(n.Linked) - n.Moment
	if waited <= ledger.LocalTime(t.Grace)*hour {
		return only(Passed)
	}
	o := Outcome{Status: Fires, Severity: ledger.Info, Numbers: append(n.numbers(), count("hours", int(waited/hour)))}
	if waited > lateHours*hour {
		o.Severity = ledger.Error
	}
	return o
}

func (e *Env) eventsOf(k ledger.InstallmentKey) []ledger.Linked {
	if e.Notices.EventsOf == nil {
		return nil
	}
	return e.Notices.EventsOf(k)
}

// stateConflict compares the last notification with the row once a pull began on a later date than it tells of. A row
// that became what it is only now may be ahead of a notification that is on its way, so it gets the grace.
func stateConflict(e *Env, r *Row, t Tolerance) Outcome {
	events := e.eventsOf(r.Key)
	if e.Notices.From == 0 || len(events) == 0 {
		return only(NotEligible)
	}
	last := &Notice{Linked: &events[len(events)-1]}
	if e.lastPull(r.Key.Day) <= last.Moment.Date() {
		return only(Window)
	}
	said, known := e.Mapping.Status(last.NewValue)
	if !known || !r.status.known {
		return only(Unmapped)
	}
	if said == r.status.class || said == ledger.Received && r.Class == ledger.Received {
		return only(Passed)
	}
	o := Outcome{Status: Fires, Expected: ledger.Text(last.NewValue), Actual: ledger.Text(r.Now.Status), Numbers: last.numbers()}
	if until := r.Now.LastChanged + ledger.Date(t.Grace); e.AsOf < until {
		o.Status, o.BreakOn = Pends, until
	}
	return o
}

// Change is a change of an installment's class that the pulls showed.
type Change struct {
	Before, After ledger.Class
	From, To      ledger.Date // dates of the last pull that showed it before, and of the first that showed it after
	Told          bool        // a notification said so
}

// Changes lists the changes of a row's class that a notification should have told of, oldest first: since
// notifications come, and to a class there is a notified status for. Versions with an unmapped status are passed over.
func (e *Env) Changes(r *Row) []Change {
	if e.Notices.From == 0 || len(r.History) < 2 {
		return nil
	}
	grace := ledger.Date(e.grace(ChangeUntold))
	var all []Change
	for i := 1; i < len(r.History); i++ {
		c := Change{Before: ClassOf(e.Mapping, &r.History[i-1]), After: ClassOf(e.Mapping, &r.History[i]), To: r.History[i].PulledOn}
		if c.Before == c.After || c.After == ledger.Chargeback || e.unread(&r.History[i-1]) || e.unread(&r.History[i]) {
			continue
		}
		c.From = r.History[i-1].PulledOn
		for _, on := range e.Notices.PulledOn[r.Key.Day] {
			if on < c.To {
				c.From = max(c.From, on)
			}
		}
		if c.From < e.Notices.From {
			continue
		}
		for _, n := range e.eventsOf(r.Key) {
			class, known := e.Mapping.Status(n.NewValue)
			day := n.Moment.Date()
			c.Told = c.Told || (!known || class == c.After) && c.From-grace <= day && day <= c.To+grace
		}
		all = append(all, c)
	}
	return all
}

// unread says whether a version has a status that the mapping does not know.
func (e *Env) unread(v *ledger.InstallmentVersion) bool {
	_, status := e.Mapping.Status(v.Status)
	_, received := e.Mapping.Status(v.ReceivedStat)
	return !status || !received
}

// changeUntold tells of the last change nobody told of, one whose time is over before one that may still be told of.
// How grave it is depends on the other changes of its day: see UntoldSeverity.
func changeUntold(e *Env, r *Row, t Tolerance) Outcome {
	changes := e.Changes(r)
	if len(changes) == 0 {
		return only(NotEligible)
	}
	o := only(Passed)
	for _, c := range changes {
		if c.Told {
			continue
		}
		one := Outcome{Status: Fires, Numbers: []ledger.Number{
			text("before", string(c.Before)), text("after", string(c.After)), date("from", c.From), date("to", c.To),
		}}
		if until := c.To + ledger.Date(t.Grace) + 1; e.AsOf < until {
			one.Status, one.BreakOn = Pends, until
		}
		if one.Status >= o.Status {
			o = one
		}
	}
	return o
}

// UntoldSeverity is how grave it is that so many of the changes of a day were not told of.
func UntoldSeverity(untold, all int) ledger.Severity {
	if untold*100 > all*untoldShare {
		return ledger.Error
	}
	return ledger.Warning
}

// Silence judges the notifications of an account as a whole. last is when the last of them happened or arrived, and
// untold how many changes the pulls of this run showed that none told of.
func (e *Env) Silence(last ledger.LocalTime, untold int) Outcome {
	day := e.AsOf - 1
	switch {
	case e.Notices.From == 0 || day < e.Notices.From:
		return only(NotEligible)
	case !e.business(day):
		return only(NotEvaluable) // nothing settles: what was said before stands
	}
	if last == 0 {
		last = ledger.LocalTimeOf(e.Notices.From.Time(), time.UTC)
	}
	silent := ledger.LocalTimeOf(e.AsOf.Time(), time.UTC) - last
	return when(untold > 0 && silent > ledger.LocalTime(e.grace(WebhookSilence))*hour, Outcome{}).tell(func() []ledger.Number {
		return []ledger.Number{moment("since", last), count("changes", untold)}
	})
}

// Drift judges what the service said last of the account's subscription.
func (e *Env) Drift() Outcome {
	s := e.Notices.Subscription
	if s.CheckedOn == 0 {
		return only(NotEligible)
	}
	return when(!s.Matches, Outcome{Actual: ledger.Text(address(s.URL))}).tell(func() []ledger.Number {
		return []ledger.Number{date("checked", s.CheckedOn)}
	})
}

// address is a URL without what may be secret in it: user, query and fragment. One that cannot be read is not shown.
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "?"
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}
