package rules_test

import (
	"testing"
	"time"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/notifications"
	"concilia/store/ledger"
)

func timeOfDay(s string) ledger.LocalTime { return must(ledger.ParseLocalTime(s, time.UTC)) }

// linked is a notification of noon of 2024-10-25, a minute old when it arrived, about the second installment of rows.
func linked(change func(*ledger.LinkedNotification)) *ledger.LinkedNotification {
	n := &ledger.LinkedNotification{
		Notification: ledger.Notification{
			Account: 1001, MovementID: 991, NSU: "77", Auth: "A1", Installment: 2, Moment: timeOfDay("2024-10-25T12:00:00"),
			OldValue: "Authorized", NewValue: "Blocked", ReceivedAt: time.Date(2024, time.October, 25, 12, 1, 0, 0, time.UTC),
		},
		Sequence: 2, Bodies: 1, PreviousMoment: timeOfDay("2024-10-25T11:00:00"), PreviousID: 990,
		Target: &ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: 1001, Day: day("2024-10-21"), NSU: "77", Auth: "A1", Occurrence: 1}, Number: 2},
	}
	if change != nil {
		change(n)
	}
	return n
}

// pulledFrom says that every day was pulled on each of the dates.
func pulledFrom(dates ...string) map[ledger.Date][]ledger.Date {
	var on []ledger.Date
	for _, d := range dates {
		on = append(on, day(d))
	}
	all := map[ledger.Date][]ledger.Date{}
	for d := day("2024-10-01"); d < day("2024-12-31"); d++ {
		all[d] = on
	}
	return all
}

// notices makes the account one that is notified since 2024-10-01; every day was pulled on 22 October and on the as-of.
func notices(change func(*rules.NotificationFacts)) func(*rules.Options) {
	return func(o *rules.Options) {
		o.Notifications = rules.NotificationFacts{From: day("2024-10-01"), PulledOn: pulledFrom("2024-10-22", o.AsOf.String())}
		if change != nil {
			change(&o.Notifications)
		}
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	unlinked := func(nights int, ambiguous bool) func(*ledger.LinkedNotification) {
		return func(n *ledger.LinkedNotification) { n.Target, n.PlannedFor, n.Ambiguous = nil, nights, ambiguous }
	}
	arrived := func(hours float64) func(*ledger.LinkedNotification) {
		return func(n *ledger.LinkedNotification) {
			n.ReceivedAt = n.Moment.Date().Time().Add(12*time.Hour + time.Duration(hours*float64(time.Hour)))
		}
	}
	after := func(value string) *ledger.LinkedNotification {
		return linked(func(n *ledger.LinkedNotification) { n.MovementID, n.NewValue = 990, value })
	}
	for _, c := range []struct {
		says     string
		code     string
		make     func(*ledger.LinkedNotification)
		previous *ledger.LinkedNotification
		change   func(*rules.NotificationFacts)
		want     rules.Status
		severity ledger.Severity
	}{
		{"an account that is not told is not looked at", "WEBHOOK_ID_REUSED", func(n *ledger.LinkedNotification) { n.Bodies = 2 }, nil, func(n *rules.NotificationFacts) { n.From = 0 }, none, ""},

		{"a linked one is in the pull", "WEBHOOK_NOT_IN_PULL", nil, nil, nil, passes, ""},
		{"after six nights it is too early to tell", "WEBHOOK_NOT_IN_PULL", unlinked(6, false), nil, nil, rules.NotPulled, ""},
		{"after seven nights it is an alarm", "WEBHOOK_NOT_IN_PULL", unlinked(7, false), nil, nil, fires, ledger.Error},
		{"a day that was never pulled after its end proves nothing", "WEBHOOK_NOT_IN_PULL", unlinked(7, false), nil, func(n *rules.NotificationFacts) {
			n.PulledOn[day("2024-10-25")] = []ledger.Date{day("2024-10-25")}
		}, rules.NotPulled, ""},
		{"nor does the day before", "WEBHOOK_NOT_IN_PULL", unlinked(7, false), nil, func(n *rules.NotificationFacts) { delete(n.PulledOn, day("2024-10-24")) }, rules.NotPulled, ""},
		{"one that fits several is another alarm's", "WEBHOOK_NOT_IN_PULL", unlinked(9, true), nil, nil, passes, ""},

		{"several fit and none wins", "WEBHOOK_AMBIGUOUS", unlinked(0, true), nil, nil, fires, ledger.Warning},
		{"none fits", "WEBHOOK_AMBIGUOUS", unlinked(0, false), nil, nil, passes, ""},
		{"a linked one is not ambiguous any more", "WEBHOOK_AMBIGUOUS", func(n *ledger.LinkedNotification) { n.Ambiguous = true }, nil, nil, passes, ""},

		{"an unlinked one is in no chain", "WEBHOOK_CHAIN_BROKEN", unlinked(0, false), nil, nil, none, ""},
		{"the first of a chain", "WEBHOOK_CHAIN_BROKEN", nil, nil, nil, passes, ""},
		{"the old value is the new one of the one before", "WEBHOOK_CHAIN_BROKEN", nil, after("Authorized"), nil, passes, ""},
		{"the same class spelled otherwise", "WEBHOOK_CHAIN_BROKEN", nil, after("Autorizada"), nil, passes, ""},
		{"another class", "WEBHOOK_CHAIN_BROKEN", nil, after("Paid"), nil, fires, ledger.Warning},
		{"the same spelling that nobody listed", "WEBHOOK_CHAIN_BROKEN", func(n *ledger.LinkedNotification) { n.OldValue = "Xyz" }, after("Xyz"), nil, passes, ""},
		{"a spelling nobody listed", "WEBHOOK_CHAIN_BROKEN", nil, after("Xyz"), nil, rules.Unmapped, ""},

		{"movements in the order of their moments", "WEBHOOK_OUT_OF_ORDER", nil, nil, nil, passes, ""},
		{"two of one moment", "WEBHOOK_OUT_OF_ORDER", func(n *ledger.LinkedNotification) { n.PreviousMoment = n.Moment }, nil, nil, passes, ""},
		{"the first movement", "WEBHOOK_OUT_OF_ORDER", func(n *ledger.LinkedNotification) { n.PreviousMoment, n.PreviousID = 0, 0 }, nil, nil, passes, ""},
		{"the one before it happened later", "WEBHOOK_OUT_OF_ORDER", func(n *ledger.LinkedNotification) { n.PreviousMoment = n.Moment + 1 }, nil, nil, fires, ledger.Info},

		{"it came once", "WEBHOOK_DUPLICATE", nil, nil, nil, passes, ""},
		{"it came again", "WEBHOOK_DUPLICATE", func(n *ledger.LinkedNotification) { n.Repeats = 1 }, nil, nil, fires, ledger.Info},
		{"another content is no duplicate", "WEBHOOK_DUPLICATE", func(n *ledger.LinkedNotification) { n.Bodies = 2 }, nil, nil, passes, ""},

		{"one content under a movement", "WEBHOOK_ID_REUSED", nil, nil, nil, passes, ""},
		{"two contents under a movement", "WEBHOOK_ID_REUSED", func(n *ledger.LinkedNotification) { n.Bodies = 2 }, nil, nil, fires, ledger.Error},

		{"four hours are in time", "WEBHOOK_LATE", arrived(4), nil, nil, passes, ""},
		{"a minute more is not", "WEBHOOK_LATE", arrived(4.02), nil, nil, fires, ledger.Info},
		{"a day is late", "WEBHOOK_LATE", arrived(24), nil, nil, fires, ledger.Info},
		{"more than a day is an error", "WEBHOOK_LATE", arrived(24.02), nil, nil, fires, ledger.Error},
		{"one from the future is not late", "WEBHOOK_LATE", arrived(-30), nil, nil, passes, ""},
		{"with a clock that was moved nobody can tell", "WEBHOOK_LATE", arrived(30), nil, func(n *rules.NotificationFacts) { n.ClockMoved = true }, rules.NotEvaluable, ""},
		{"it is read on the clock of the zone", "WEBHOOK_LATE", arrived(6), nil, func(n *rules.NotificationFacts) { n.Zone = time.FixedZone("", -3*3600) }, passes, ""},
	} {
		e := world{change: notices(c.change)}.env(t)
		i := e.Index(c.code)
		o := e.EvaluateNotification(i, &rules.Notification{LinkedNotification: linked(c.make), Previous: c.previous})
		if o.Status != c.want {
			t.Errorf("%s: %s: status %d, want %d", c.code, c.says, o.Status, c.want)
		}
		if got := e.Severity(i, &o); c.severity != "" && got != c.severity {
			t.Errorf("%s: %s: severity %s, want %s", c.code, c.says, got, c.severity)
		}
		if o.Status >= pends {
			told(t, c.code, o)
		}
	}
}

// blocked is rows with a second version of the second installment, seen on a day.
func blocked(on string, change func(*ledger.InstallmentVersion)) func(histories) histories {
	return func(h histories) histories {
		h[1] = then(h[1], func(v *ledger.InstallmentVersion) {
			v.Status, v.PulledOn, v.LastChanged = "Bloqueada", day(on), day(on)
			if change != nil {
				change(v)
			}
		})
		return h
	}
}

// events are the notifications of the second installment: each a moment and a new value.
func events(told ...string) func(*rules.NotificationFacts) {
	return func(n *rules.NotificationFacts) {
		var all []ledger.LinkedNotification
		for i := 0; i < len(told); i += 2 {
			all = append(all, *linked(func(l *ledger.LinkedNotification) { l.Moment, l.NewValue = timeOfDay(told[i]), told[i+1] }))
		}
		n.EventsOf = func(k ledger.InstallmentKey) []ledger.LinkedNotification {
			if k.Number != 2 {
				return nil
			}
			return all
		}
	}
}

func TestNoticesAgainstPulls(t *testing.T) {
	t.Parallel()
	const noon = "2024-10-25T12:00:00"
	same := func(h histories) histories { return h }
	status := func(s string) func(histories) histories {
		return second(func(i *ledger.Installment) { i.Status = s })
	}
	at := func(asOf string, change func(*rules.NotificationFacts)) world {
		return world{asOf: asOf, change: notices(change)}
	}
	const conflict, untold = "WEBHOOK_STATE_CONFLICT", "PULL_CHANGE_WITHOUT_WEBHOOK"
	for _, c := range []struct {
		code, says string
		w          world
		make       func(histories) histories
		want       rules.Status
		breakOn    string
	}{
		{conflict, "no notification, nothing to compare", at("2024-11-01", nil), same, none, ""},
		{conflict, "an account that is not told is not looked at", at("2024-11-01", func(n *rules.NotificationFacts) { events(noon, "Blocked")(n); n.From = 0 }), same, none, ""},
		{conflict, "the row says the same", at("2024-11-01", events(noon, "Authorized")), same, passes, ""},
		{conflict, "the row says another thing", at("2024-11-01", events(noon, "Blocked")), same, fires, ""},
		{conflict, "only the last notification counts", at("2024-11-01", events("2024-10-24T00:00:00", "Blocked", noon, "Authorized")), same, passes, ""},
		{conflict, "the day was not pulled on a later date yet", at("2024-10-25", events(noon, "Blocked")), same, rules.NotPulled, ""},
		{conflict, "the row became so only now", at("2024-10-28", events(noon, "Authorized")), blocked("2024-10-28", nil), pends, "2024-10-29"},
		{conflict, "the next night it is a conflict", at("2024-10-29", events(noon, "Authorized")), blocked("2024-10-28", nil), fires, ""},
		{conflict, "Paid agrees with a received row", at("2025-01-02", events(noon, "Paid")), settled("", "97.11"), passes, ""},
		{conflict, "Paid does not agree with an open row", at("2024-11-01", events(noon, "Paid")), same, fires, ""},
		{conflict, "Canceled does not agree with a received row", at("2025-01-02", events(noon, "Canceled")), settled("", "97.11"), fires, ""},
		{conflict, "a value nobody listed", at("2024-11-01", events(noon, "Xyz")), same, rules.Unmapped, ""},
		{conflict, "a status nobody listed", at("2024-11-01", events(noon, "Blocked")), status("Xyz"), rules.Unmapped, ""},

		{untold, "no change, nothing to tell", at("2024-11-01", nil), same, none, ""},
		{untold, "an account that is not told is not looked at", at("2024-11-01", func(n *rules.NotificationFacts) { n.From = 0 }), blocked("2024-10-28", nil), none, ""},
		{untold, "a change of figures is no change of class", at("2024-11-01", nil), blocked("2024-10-28", func(v *ledger.InstallmentVersion) { v.Status = "Autorizada" }), none, ""},
		{untold, "a notification told of it", at("2024-11-01", events(noon, "Blocked")), blocked("2024-10-28", nil), passes, ""},
		{untold, "none did", at("2024-11-01", nil), blocked("2024-10-28", nil), fires, ""},
		{untold, "one of another class did not", at("2024-11-01", events(noon, "Paid")), blocked("2024-10-28", nil), fires, ""},
		{untold, "a value nobody listed may have", at("2024-11-01", events(noon, "Xyz")), blocked("2024-10-28", nil), passes, ""},
		{untold, "a day before the pull before is near enough", at("2024-11-01", events("2024-10-21T00:00:00", "Blocked")), blocked("2024-10-28", nil), passes, ""},
		{untold, "two are not", at("2024-11-01", events("2024-10-20T23:59:59", "Blocked")), blocked("2024-10-28", nil), fires, ""},
		{untold, "a day after the pull that showed it is near enough", at("2024-11-01", events("2024-10-29T23:59:59", "Blocked")), blocked("2024-10-28", nil), passes, ""},
		{untold, "two are not, after", at("2024-11-01", events("2024-10-30T00:00:00", "Blocked")), blocked("2024-10-28", nil), fires, ""},
		{untold, "a day may pass until one comes", at("2024-10-29", nil), blocked("2024-10-28", nil), pends, "2024-10-30"},
		{untold, "then it is over", at("2024-10-30", nil), blocked("2024-10-28", nil), fires, ""},
		{untold, "a pull in between narrows when it happened", at("2024-11-01", func(n *rules.NotificationFacts) {
			events("2024-10-23T00:00:00", "Blocked")(n)
			n.PulledOn = pulledFrom("2024-10-22", "2024-10-27", "2024-10-28")
		}), blocked("2024-10-28", nil), fires, ""},
		{untold, "before notifications came nobody could tell", at("2024-11-01", func(n *rules.NotificationFacts) { n.From = day("2024-10-23") }), blocked("2024-10-28", nil), none, ""},
		{untold, "there is no notified status for a chargeback", at("2024-11-01", nil), blocked("2024-10-28", func(v *ledger.InstallmentVersion) { v.Status = "Chargeback" }), none, ""},
		{untold, "what a status nobody listed means is not guessed", at("2024-11-01", nil), blocked("2024-10-28", func(v *ledger.InstallmentVersion) { v.Status = "Xyz"; v.ReceivedStatus = "Pago" }), none, ""},
	} {
		e := c.w.env(t)
		h := c.make(rows())
		s := rules.NewSale(e, h[0].Current().SaleKey(), h, true)
		o := e.EvaluateRow(e.Index(c.code), s.Rows[1])
		if o.Status != c.want || o.BreakOn != day(c.breakOn) {
			t.Errorf("%s: %s: status %d, want %d; breaks on %s", c.code, c.says, o.Status, c.want, o.BreakOn)
		}
		if o.Status >= pends {
			told(t, c.code, o)
		}
	}
}

// 2024-11-01 is a Friday, the second a holiday on a Saturday.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, asOf, last string
		untold           int
		from             string
		want             rules.Status
	}{
		{"one came within six hours of the end of the day", "2024-11-01", "2024-10-31T18:00:00", 3, "2024-10-01", passes},
		{"none came in more than six hours", "2024-11-01", "2024-10-31T17:59:59", 3, "2024-10-01", fires},
		{"and all changes were told of", "2024-11-01", "2024-10-31T01:00:00", 0, "2024-10-01", passes},
		{"one came this morning", "2024-11-01", "2024-11-01T03:00:00", 3, "2024-10-01", passes},
		{"none ever came", "2024-11-01", "", 1, "2024-10-01", fires},
		{"the day was no business day", "2024-11-03", "2024-10-31T01:00:00", 3, "2024-10-01", rules.NotEvaluable},
		{"notifications are expected only from today", "2024-11-01", "", 3, "2024-11-01", none},
		{"the account is not told", "2024-11-01", "", 3, "", none},
	} {
		e := world{asOf: c.asOf, change: notices(func(n *rules.NotificationFacts) { n.From = day(c.from) })}.env(t)
		last := ledger.LocalTime(0)
		if c.last != "" {
			last = timeOfDay(c.last)
		}
		o := notifications.EvaluateSilence(e, last, c.untold)
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, c.want)
		}
		if o.Status >= pends {
			told(t, notifications.WebhookSilence, o)
		}
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		s    ledger.Subscription
		want rules.Status
		text string
	}{
		{"nobody asked", ledger.Subscription{}, none, ""},
		{"it points here", ledger.Subscription{URL: "https://here/x", Matches: true, CheckedOn: day("2024-10-31")}, passes, ""},
		{
			"it points elsewhere; what may be secret in the address is not told",
			ledger.Subscription{URL: "https://me:hush@there/x?key=hush#hush", CheckedOn: day("2024-10-31")},
			fires, "On 2024-10-31 the service did not send this account's notifications here, but to https://there/x.",
		},
		{
			"there is none",
			ledger.Subscription{CheckedOn: day("2024-10-31")},
			fires, "On 2024-10-31 the service did not send this account's notifications here.",
		},
		{
			"an address that is none",
			ledger.Subscription{URL: "ht tp://\x7f", CheckedOn: day("2024-10-31")},
			fires, "On 2024-10-31 the service did not send this account's notifications here, but to ?.",
		},
	} {
		e := world{change: notices(func(n *rules.NotificationFacts) { n.From, n.Subscription = 0, c.s })}.env(t)
		o := notifications.EvaluateSubscription(e)
		f := ledger.Finding{Code: notifications.SubscriptionDrift, Actual: o.Actual, Numbers: o.Numbers}
		if got := (catalogue.Voice{Language: "en"}).Explain(f); o.Status != c.want || c.text != "" && got != c.text {
			t.Errorf("%s: status %d: %q", c.says, o.Status, got)
		}
	}
}

func TestUntoldSeverity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		untold, all int
		want        ledger.Severity
	}{{1, 1, ledger.Error}, {1, 99, ledger.Error}, {1, 100, ledger.Warning}, {2, 199, ledger.Error}, {2, 200, ledger.Warning}} {
		if got := notifications.UnnotifiedSeverity(c.untold, c.all); got != c.want {
			t.Errorf("%d of %d: %s", c.untold, c.all, got)
		}
	}
}

func TestExplainMoments(t *testing.T) {
	t.Parallel()
	e := world{change: notices(nil)}.env(t)
	o := e.EvaluateNotification(e.Index("WEBHOOK_DUPLICATE"), &rules.Notification{LinkedNotification: linked(func(n *ledger.LinkedNotification) { n.Repeats = 2 })})
	f := ledger.Finding{Code: "WEBHOOK_DUPLICATE", Numbers: o.Numbers}
	for lang, want := range map[string]string{
		"en": "Notification 991 of 2024-10-25 12:00:00 arrived 3 times.", "pt-BR": "A notificação 991 de 25/10/2024 12:00:00 chegou 3 vezes.",
	} {
		if got := (catalogue.Voice{Language: lang}).Explain(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
