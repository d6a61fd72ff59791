package rules

import (
	"net/url"
	"time"

	"concilia/store/ledger"
)

// untoldShare of the changes of a day may go untold, in percent, before it is an error.
const untoldShare = 1

func (e *Env) eventsOf(k ledger.InstallmentKey) []ledger.LinkedNotification {
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
	last := &Notice{LinkedNotification: &events[len(events)-1]}
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

// Change is a change of an installment's class between pulls.
type Change struct {
	Before, After ledger.Class
	From, To      ledger.Date // dates of the last pull that showed it before, and of the first that showed it after
	Told          bool        // a notification said so
}

// Changes returns the changes of a row's class for which a notification was due, oldest first: those since notifications
// are received, to a class that has a notified status. Versions with an unmapped status are skipped.
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

// UntoldSeverity is the severity of untold changes of a day without a notification, out of all.
func UntoldSeverity(untold, all int) ledger.Severity {
	if untold*100 > all*untoldShare {
		return ledger.Error
	}
	return ledger.Warning
}

// Silence judges the notifications of an account as a whole. last is when the last of them happened or arrived; untold
// is the number of changes in this run's pulls without a notification.
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

// SubscriptionDrifted judges the service's last answer about the account's subscription.
func (e *Env) SubscriptionDrifted() Outcome {
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
