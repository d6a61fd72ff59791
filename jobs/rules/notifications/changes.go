package notifications

import (
	"net/url"
	"time"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// unnotifiedPercent of the changes of a day may go unnotified, in percent, before it is an error.
const unnotifiedPercent = 1

func notificationsOf(e *rules.Env, k ledger.InstallmentKey) []ledger.LinkedNotification {
	if e.Notifications.EventsOf == nil {
		return nil
	}
	return e.Notifications.EventsOf(k)
}

// evaluateStateConflict compares the last notification with the row once a pull began on a later date than that of the notification. A row
// that became what it is only now may be ahead of a notification that is on its way, so it gets the grace.
func evaluateStateConflict(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	events := notificationsOf(e, r.Key)
	if e.Notifications.From == 0 || len(events) == 0 {
		return rules.NotEligible.Outcome()
	}
	last := &rules.Notification{LinkedNotification: &events[len(events)-1]}
	if lastPullOf(e, r.Key.Day) <= last.Moment.Date() {
		return rules.NotPulled.Outcome()
	}
	said, known := e.Mapping.Status(last.NewValue)
	if !known || !r.Status.Known {
		return rules.Unmapped.Outcome()
	}
	if said == r.Status.Class || said == ledger.Received && r.Class == ledger.Received {
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{Status: rules.Fires, Expected: ledger.Text(last.NewValue), Actual: ledger.Text(r.Now.Status), Numbers: last.Figures()}
	if until := r.Now.LastChanged + ledger.Date(t.Grace); e.AsOf < until {
		o.Status, o.BreakOn = rules.Pends, until
	}
	return o
}

// Change is a change of an installment's class between pulls.
type Change struct {
	Before, After ledger.Class
	From, To      ledger.Date // dates of the last pull that showed it before, and of the first that showed it after
	Notified      bool        // a notification said so
}

// ClassChanges returns the changes of a row's class for which a notification was due, oldest first: those since notifications
// are received, to a class that has a notified status. Versions with an unmapped status are skipped.
func ClassChanges(e *rules.Env, r *rules.Row) []Change {
	if e.Notifications.From == 0 || len(r.History) < 2 {
		return nil
	}
	grace := ledger.Date(e.Grace(ChangeUnnotified))
	var all []Change
	for i := 1; i < len(r.History); i++ {
		c := Change{Before: rules.ClassOf(e.Mapping, &r.History[i-1]), After: rules.ClassOf(e.Mapping, &r.History[i]), To: r.History[i].PulledOn}
		if c.Before == c.After || c.After == ledger.Chargeback || e.HasUnmappedStatus(&r.History[i-1]) || e.HasUnmappedStatus(&r.History[i]) {
			continue
		}
		c.From = r.History[i-1].PulledOn
		for _, on := range e.Notifications.PulledOn[r.Key.Day] {
			if on < c.To {
				c.From = max(c.From, on)
			}
		}
		if c.From < e.Notifications.From {
			continue
		}
		for _, n := range notificationsOf(e, r.Key) {
			class, known := e.Mapping.Status(n.NewValue)
			day := n.Moment.Date()
			c.Notified = c.Notified || (!known || class == c.After) && c.From-grace <= day && day <= c.To+grace
		}
		all = append(all, c)
	}
	return all
}

// evaluateUnnotifiedChange finds the last change without a notification; one whose notification is late comes before one whose
// notification may still come.
// How grave it is depends on the other changes of its day: see UnnotifiedSeverity.
func evaluateUnnotifiedChange(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	changes := ClassChanges(e, r)
	if len(changes) == 0 {
		return rules.NotEligible.Outcome()
	}
	o := rules.Passed.Outcome()
	for _, c := range changes {
		if c.Notified {
			continue
		}
		one := rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{
			rules.NamedText("before", string(c.Before)), rules.NamedText("after", string(c.After)), rules.NamedDate("from", c.From), rules.NamedDate("to", c.To),
		}}
		if until := c.To + ledger.Date(t.Grace) + 1; e.AsOf < until {
			one.Status, one.BreakOn = rules.Pends, until
		}
		if one.Status >= o.Status {
			o = one
		}
	}
	return o
}

// UnnotifiedSeverity is the severity of unnotified changes of a day without a notification, out of all.
func UnnotifiedSeverity(unnotified, all int) ledger.Severity {
	if unnotified*100 > all*unnotifiedPercent {
		return ledger.Error
	}
	return ledger.Warning
}

// EvaluateSilence evaluates the notifications of an account as a whole. last is when the last of them happened or arrived; unnotified
// is the number of changes in this run's pulls without a notification.
func EvaluateSilence(e *rules.Env, last ledger.LocalTime, unnotified int) rules.Outcome {
	day := e.AsOf - 1
	switch {
	case e.Notifications.From == 0 || day < e.Notifications.From:
		return rules.NotEligible.Outcome()
	case !e.IsBusinessDay(day):
		return rules.NotEvaluable.Outcome() // nothing decides it: the case stays as it was
	}
	if last == 0 {
		last = ledger.LocalTimeOf(e.Notifications.From.Time(), time.UTC)
	}
	silent := ledger.LocalTimeOf(e.AsOf.Time(), time.UTC) - last
	return rules.FireIf(unnotified > 0 && silent > ledger.LocalTime(e.Grace(WebhookSilence))*rules.HourTicks, rules.Outcome{}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedMoment("since", last), rules.NamedCount("changes", unnotified)}
	})
}

// EvaluateSubscription evaluates the service's last answer about the account's subscription.
func EvaluateSubscription(e *rules.Env) rules.Outcome {
	s := e.Notifications.Subscription
	if s.CheckedOn == 0 {
		return rules.NotEligible.Outcome()
	}
	return rules.FireIf(!s.Matches, rules.Outcome{Actual: ledger.Text(publicAddress(s.URL))}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedDate("checked", s.CheckedOn)}
	})
}

// publicAddress is a URL without what may be secret in it: user, query and fragment. One that cannot be read is not shown.
func publicAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "?"
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}
