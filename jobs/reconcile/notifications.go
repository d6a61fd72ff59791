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

// Notices reads the notifications of an account.
type Notices interface {
	// NotificationStart says since when the account is told of changes.
	NotificationStart(ctx context.Context, a ledger.Account) (ledger.NotificationStart, error)
	// Notifications hands over every notification: those linked to none first, then installment by installment, each
	// one's by moment and movement. The notification is the callee's to keep.
	Notifications(ctx context.Context, a ledger.Account, fn func(*ledger.LinkedNotification) error) error
	// NotificationsOf lists those linked to installments of a sale day, by moment and movement.
	NotificationsOf(ctx context.Context, a ledger.Account, day ledger.Date) ([]ledger.LinkedNotification, error)
	// CompletePullDates gives, for every day of a source, the dates on which complete pulls of it began, in order.
	CompletePullDates(ctx context.Context, a ledger.Account, s ledger.Source) (map[ledger.Date][]ledger.Date, error)
}

// notices is what the run knows of notifications while it goes through the account.
type notices struct {
	events map[ledger.InstallmentKey][]ledger.LinkedNotification // of the sale day at hand
	untold []untold
	last   ledger.LocalTime // when the last notification happened or arrived
	reused map[int64]*reused
}

// changed counts changes of class, and those of them that no notification told of.
type changed struct{ all, untold int }

// untold is an installment with a change nobody told of, until it is known how many there are of its day.
type untold struct {
	place place
	o     rules.Outcome
	on    ledger.Date
}

// reused gathers what comes of the bodies of one movement: they are one subject.
type reused struct {
	place place
	outs  []rules.Outcome
}

// readNotices prepares what the rules on notifications rest on, which is nothing in an account that is not told.
func (w *work) readNotices(ctx context.Context) (rules.NotificationFacts, error) {
	told, err := w.src.NotificationStart(ctx, w.account)
	if err != nil {
		return rules.NotificationFacts{}, fmt.Errorf("notifications: %w", err)
	}
	n := rules.NotificationFacts{From: told.FirstDay(), Subscription: told.Subscription, Zone: w.in.Zone, ClockMoved: w.run.Clock != ""}
	if n.From == 0 {
		return n, nil
	}
	w.notices = notices{reused: map[int64]*reused{}}
	n.EventsOf = func(k ledger.InstallmentKey) []ledger.LinkedNotification { return w.notices.events[k] }
	if n.PulledOn, err = w.src.CompletePullDates(ctx, w.account, ledger.Cards); err != nil {
		return n, fmt.Errorf("dates of pulls: %w", err)
	}
	return n, nil
}

// readEvents fetches what was notified of the sales of a day.
func (w *work) readEvents(ctx context.Context, day ledger.Date) error {
	if w.env.Notifications.From == 0 {
		return nil
	}
	all, err := w.src.NotificationsOf(ctx, w.account, day)
	if err != nil {
		return err
	}
	w.notices.events = make(map[ledger.InstallmentKey][]ledger.LinkedNotification, len(all))
	for _, n := range all {
		w.notices.events[*n.Target] = append(w.notices.events[*n.Target], n)
	}
	return nil
}

// change counts the changes of a row just judged and says when the last of those nobody told of was seen.
func (w *work) change(r *rules.Row) (untoldOn ledger.Date) {
	if w.env.Notifications.From == 0 {
		return 0
	}
	for _, c := range notifications.ClassChanges(w.env, r) {
		i := slices.IndexFunc(w.now.changes, func(x changes) bool { return x.day == c.To })
		if i < 0 {
			i, w.now.changes = len(w.now.changes), append(w.now.changes, changes{day: c.To})
		}
		w.now.changes[i].all++
		if !c.Notified {
			w.now.changes[i].untold++
			untoldOn = c.To
		}
	}
	return untoldOn
}

// setAside leaves the change of a row that was not told of for later: how grave it is depends on all changes of its day.
func (w *work) setAside(p place, on ledger.Date) {
	o := &w.outs[w.rowIdx.untold]
	if o.Status < rules.Pends {
		return
	}
	w.cases.waits[p.subject] = nil
	w.notices.untold = append(w.notices.untold, untold{p, *o, on})
	o.Status = rules.NotEvaluable // until all are known
}

// notifications judges every notification, then the changes nobody told of and the account as a whole.
func (w *work) notifications(ctx context.Context) error {
	if w.env.Notifications.From != 0 {
		if err := w.everyNotice(ctx); err != nil {
			return err
		}
	}
	days := w.changed()
	for _, u := range w.notices.untold {
		day := days[u.on]
		u.o.Severity = notifications.UnnotifiedSeverity(day.untold, day.all)
		if err := w.known(w.env.Index(notifications.ChangeUnnotified), u.o, u.place); err != nil {
			return err
		}
	}
	silence := notifications.EvaluateSilence(w.env, w.notices.last, days[w.in.AsOf].untold)
	subject := ledger.Subject("source", w.account, "notifications")
	if err := w.alone(w.env.Index(notifications.WebhookSilence), silence, place{subject: subject}); err != nil {
		return err
	}
	return w.alone(w.env.Index(notifications.SubscriptionDrift), notifications.EvaluateSubscription(w.env), place{subject: ledger.Subject("account", w.account)})
}

// changed are the changes of all rows of the account, by the day whose pull showed them.
func (w *work) changed() map[ledger.Date]changed {
	days := map[ledger.Date]changed{}
	for _, p := range w.of(kindChanged) {
		if d, err := ledger.ParseDate(p.Item); err == nil {
			days[d] = changed{all: int(p.Members)}
		}
	}
	for _, p := range w.of(kindUntold) {
		if d, err := ledger.ParseDate(p.Item); err == nil {
			day := days[d]
			day.untold = int(p.Members)
			days[d] = day
		}
	}
	return days
}

func (w *work) everyNotice(ctx context.Context) error {
	var previous *ledger.LinkedNotification
	err := w.src.Notifications(ctx, w.account, func(n *ledger.LinkedNotification) error {
		notice := &rules.Notification{LinkedNotification: n}
		if previous != nil && n.Target != nil && previous.Target != nil && *n.Target == *previous.Target {
			notice.Previous = previous
		}
		previous = n
		w.notices.last = max(w.notices.last, n.Moment, notifications.ArrivalTime(w.env, n))
		if err := w.notice(notice); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	idx := w.byKind[rules.OnNotification]
	for _, id := range slices.Sorted(maps.Keys(w.notices.reused)) {
		r := w.notices.reused[id]
		if err := w.cases.judged(r.place, idx, r.outs); err != nil {
			return err
		}
	}
	return nil
}

// notice judges one notification.
func (w *work) notice(n *rules.Notification) error {
	idx := w.byKind[rules.OnNotification]
	w.reset(idx)
	for _, i := range idx {
		w.outs[i] = w.env.EvaluateNotification(i, n)
		w.tally(i, w.outs[i].Status)
	}
	unknown := notifications.UnknownValues(w.env, n.LinkedNotification)
	for _, s := range unknown {
		w.spelled[s]++
	}
	w.seeSpellings(len(unknown))
	p := place{subject: n.Subject(), day: n.Moment.Date()}
	if n.Target != nil {
		p.day = n.Target.Day
	}
	if n.Bodies == 1 {
		return w.cases.judged(p, idx, w.outs)
	}
	w.gather(n.MovementID, p, idx)
	return nil
}

// gather keeps, rule by rule, the gravest of what comes of the bodies of one movement, the first of equals.
func (w *work) gather(movement int64, p place, idx []int) {
	r := w.notices.reused[movement]
	if r == nil {
		r = &reused{place: p, outs: make([]rules.Outcome, len(w.outs))}
		w.notices.reused[movement] = r
	}
	for _, i := range idx {
		graver := cmp.Or(cmp.Compare(w.outs[i].Status, r.outs[i].Status),
			cmp.Compare(w.env.Severity(i, &r.outs[i]).Rank(), w.env.Severity(i, &w.outs[i]).Rank()))
		if graver > 0 {
			r.outs[i] = w.outs[i]
		}
	}
}
