package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/notifications"
	"concilia/store/ledger"
)

// NotificationSource reads the notifications of an account.
type NotificationSource interface {
	// NotificationStart returns since when the account receives notifications.
	NotificationStart(ctx context.Context, a ledger.Account) (ledger.NotificationStart, error)
	// Notifications calls fn with every notification: first those that are linked to no installment, then by installment,
	// moment and movement. fn may keep the notification.
	Notifications(ctx context.Context, a ledger.Account, fn func(*ledger.LinkedNotification) error) error
	// NotificationsOf lists those linked to installments of a sale day, by moment and movement.
	NotificationsOf(ctx context.Context, a ledger.Account, day ledger.Date) ([]ledger.LinkedNotification, error)
	// CompletePullDates returns, for every day of a list, the dates on which complete pulls of it began, in order.
	CompletePullDates(ctx context.Context, a ledger.Account, s ledger.Source) (map[ledger.Date][]ledger.Date, error)
}

// notificationEvaluator evaluates notifications, and the changes of class that came without one.
type notificationEvaluator struct {
	*attempt
	outcomes   *subjectOutcomes
	cases      *cases
	aggregates *aggregates
	ofDay      *dayNotifications
	unnotified []unnotifiedChange
	last       ledger.LocalTime       // of the last notification: its moment or arrival
	unmapped   map[rules.Spelling]int // spellings of notifications that the mapping does not list
	byMovement map[int64]*movementOutcomes
}

// dayNotifications are the notifications about the sales of the day that is being evaluated.
type dayNotifications struct {
	byInstallment map[ledger.InstallmentKey][]ledger.LinkedNotification
}

// changeCounts counts changes of class, and those of them without a notification.
type changeCounts struct{ all, unnotified int }

// unnotifiedChange is an unnotified change of an installment that waits until the changes of its day are counted.
type unnotifiedChange struct {
	place   caseContext
	outcome rules.Outcome
	on      ledger.Date
}

// movementOutcomes are the outcomes of the notifications of one movement with different bodies, which are one subject.
type movementOutcomes struct {
	place    caseContext
	outcomes []rules.Outcome
}

// readNotificationFacts reads what the rules on notifications need; they look up the notifications of a day in ofDay. An
// account without a subscription has no notifications.
func (at *attempt) readNotificationFacts(ctx context.Context, ofDay *dayNotifications) (rules.NotificationFacts, error) {
	start, err := at.src.NotificationStart(ctx, at.account)
	if err != nil {
		return rules.NotificationFacts{}, fmt.Errorf("notifications: %w", err)
	}
	n := rules.NotificationFacts{From: start.FirstDay(), Subscription: start.Subscription, Zone: at.in.Zone, ClockMoved: at.run.Clock != ""}
	if n.From == 0 {
		return n, nil
	}
	n.EventsOf = func(k ledger.InstallmentKey) []ledger.LinkedNotification { return ofDay.byInstallment[k] }
	if n.PulledOn, err = at.src.CompletePullDates(ctx, at.account, ledger.Cards); err != nil {
		return n, fmt.Errorf("dates of pulls: %w", err)
	}
	return n, nil
}

// readDay reads the notifications about the sales of a day.
func (ev *notificationEvaluator) readDay(ctx context.Context, day ledger.Date) error {
	if ev.env.Notifications.From == 0 {
		return nil
	}
	all, err := ev.src.NotificationsOf(ctx, ev.account, day)
	if err != nil {
		return err
	}
	ev.ofDay.byInstallment = make(map[ledger.InstallmentKey][]ledger.LinkedNotification, len(all))
	for _, n := range all {
		ev.ofDay.byInstallment[*n.Target] = append(ev.ofDay.byInstallment[*n.Target], n)
	}
	return nil
}

// countClassChanges counts the changes of class of a row, and returns the day of the last one without a notification.
func (ev *notificationEvaluator) countClassChanges(r *rules.Row) (unnotifiedOn ledger.Date) {
	if ev.env.Notifications.From == 0 {
		return 0
	}
	for _, c := range notifications.ClassChanges(ev.env, r) {
		i := slices.IndexFunc(ev.outcomes.delta.changes, func(x classChanges) bool { return x.day == c.To })
		if i < 0 {
			i, ev.outcomes.delta.changes = len(ev.outcomes.delta.changes), append(ev.outcomes.delta.changes, classChanges{day: c.To})
		}
		ev.outcomes.delta.changes[i].all++
		if !c.Notified {
			ev.outcomes.delta.changes[i].unnotified++
			unnotifiedOn = c.To
		}
	}
	return unnotifiedOn
}

// postponeUnnotified postpones the outcome about an unnotified change of a row, because its severity depends on all
// changes of its day.
func (ev *notificationEvaluator) postponeUnnotified(p caseContext, on ledger.Date) {
	o := &ev.outcomes.current[ev.outcomes.sharedRules.changeUnnotified]
	if o.Status < rules.Pends {
		return
	}
	ev.cases.waiting[p.subject] = nil
	ev.unnotified = append(ev.unnotified, unnotifiedChange{p, *o, on})
	o.Status = rules.NotEvaluable // until the changes of the day are counted
}

// evaluateNotifications evaluates every notification, then the unnotified changes, then the account as a whole.
func (ev *notificationEvaluator) evaluateNotifications(ctx context.Context) error {
	if ev.env.Notifications.From != 0 {
		if err := ev.evaluateEveryNotification(ctx); err != nil {
			return err
		}
	}
	days := ev.countChangesByDay()
	for _, u := range ev.unnotified {
		day := days[u.on]
		u.outcome.Severity = notifications.UnnotifiedSeverity(day.unnotified, day.all)
		if err := ev.cases.recordAlone(ev.env.Index(notifications.ChangeUnnotified), u.outcome, u.place); err != nil {
			return err
		}
	}
	silence := notifications.EvaluateSilence(ev.env, ev.last, days[ev.in.AsOf].unnotified)
	subject := ledger.Subject("source", ev.account, "notifications")
	if err := ev.cases.evaluateAlone(ev.env.Index(notifications.WebhookSilence), silence, caseContext{subject: subject}); err != nil {
		return err
	}
	return ev.cases.evaluateAlone(ev.env.Index(notifications.SubscriptionDrift), notifications.EvaluateSubscription(ev.env), caseContext{subject: ledger.Subject("account", ev.account)})
}

// countChangesByDay returns the changes of all rows of the account, by the day of the pull that showed them.
func (ev *notificationEvaluator) countChangesByDay() map[ledger.Date]changeCounts {
	days := map[ledger.Date]changeCounts{}
	for _, p := range ev.aggregates.populationsOf(kindChanged) {
		if d, err := ledger.ParseDate(p.Item); err == nil {
			days[d] = changeCounts{all: int(p.Members)}
		}
	}
	for _, p := range ev.aggregates.populationsOf(kindUnnotified) {
		if d, err := ledger.ParseDate(p.Item); err == nil {
			day := days[d]
			day.unnotified = int(p.Members)
			days[d] = day
		}
	}
	return days
}

func (ev *notificationEvaluator) evaluateEveryNotification(ctx context.Context) error {
	var previous *ledger.LinkedNotification
	err := ev.src.Notifications(ctx, ev.account, func(n *ledger.LinkedNotification) error {
		notice := &rules.Notification{LinkedNotification: n}
		if previous != nil && n.Target != nil && previous.Target != nil && *n.Target == *previous.Target {
			notice.Previous = previous
		}
		previous = n
		ev.last = max(ev.last, n.Moment, notifications.ArrivalTime(ev.env, n))
		if err := ev.evaluateNotification(notice); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	idx := ev.outcomes.rulesOn[rules.OnNotification]
	for _, id := range slices.Sorted(maps.Keys(ev.byMovement)) {
		r := ev.byMovement[id]
		if err := ev.cases.recordOutcomes(r.place, idx, r.outcomes); err != nil {
			return err
		}
	}
	return nil
}

// evaluateNotification evaluates one notification.
func (ev *notificationEvaluator) evaluateNotification(n *rules.Notification) error {
	idx := ev.outcomes.rulesOn[rules.OnNotification]
	ev.outcomes.clearImpacts(idx)
	for _, i := range idx {
		ev.outcomes.current[i] = ev.env.EvaluateNotification(i, n)
		ev.outcomes.countStatus(i, ev.outcomes.current[i].Status)
	}
	unknown := notifications.UnknownValues(ev.env, n.LinkedNotification)
	for _, s := range unknown {
		ev.unmapped[s]++
	}
	ev.outcomes.countSpellings(len(unknown))
	p := caseContext{subject: n.Subject(), day: n.Moment.Date()}
	if n.Target != nil {
		p.day = n.Target.Day
	}
	if n.Bodies == 1 {
		return ev.cases.recordOutcomes(p, idx, ev.outcomes.current)
	}
	ev.keepGravest(n.MovementID, p, idx)
	return nil
}

// keepGravest keeps, for each rule, the gravest outcome among the bodies of one movement, the first one of equals.
func (ev *notificationEvaluator) keepGravest(movement int64, p caseContext, idx []int) {
	r := ev.byMovement[movement]
	if r == nil {
		r = &movementOutcomes{place: p, outcomes: make([]rules.Outcome, len(ev.outcomes.current))}
		ev.byMovement[movement] = r
	}
	for _, i := range idx {
		graver := cmp.Or(cmp.Compare(ev.outcomes.current[i].Status, r.outcomes[i].Status),
			cmp.Compare(ev.env.Severity(i, &r.outcomes[i]).Rank(), ev.env.Severity(i, &ev.outcomes.current[i]).Rank()))
		if graver > 0 {
			r.outcomes[i] = ev.outcomes.current[i]
		}
	}
}
