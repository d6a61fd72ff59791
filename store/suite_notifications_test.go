package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
)

// notificationOf is a notification about installment k of a sale of row, that happened at noon of a day and arrived a minute
// later.
func notificationOf(a ledger.Account, movement int64, nsu string, k int, on ledger.Date, value string) ledger.Notification {
	return ledger.Notification{
		Account: a, MovementID: movement, NSU: nsu, Auth: "A" + nsu, Installment: k, Moment: at(on, 12), Type: "status",
		OldValue: "Authorized", NewValue: value, Body: fmt.Appendf(nil, "{%d %s}", movement, value),
		BodyHash: fmt.Sprintf("hash-%d-%s", movement, value), ReceivedAt: on.Time().Add(15*time.Hour + time.Minute),
	}
}

func (n *night) heard() []ledger.LinkedNotification {
	n.t.Helper()
	var all []ledger.LinkedNotification
	ok(n.t, n.l.Notifications(n.t.Context(), n.account, func(x *ledger.LinkedNotification) error {
		all = append(all, *x)
		return nil
	}))
	return all
}

func receive(t *testing.T, l *store.Ledger, want int, all ...ledger.Notification) {
	t.Helper()
	added, err := l.ReceiveNotifications(t.Context(), all)
	ok(t, err)
	equal(t, "new notifications", added, want)
}

func notifications(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	other := notificationOf(account+1, 1, "7", 1, day(2), "Paid")
	a, b := notificationOf(account, 2, "7", 1, day(3), "Paid"), notificationOf(account, 1, "8", 1, day(4), "Blocked")
	receive(t, n.l, 3, other, b, a)
	all := n.heard()
	equal(t, "of the account alone", len(all), 2)
	want := ledger.LinkedNotification{Notification: a, Sequence: 1, Bodies: 1, PreviousID: 1, PreviousMoment: b.Moment}
	want.Body = nil
	if d := cmp.Diff(want, all[0]); d != "" {
		t.Error("the notification as it was handed over, after the one that arrived first:", d)
	}
	equal(t, "sequence of the second to arrive", all[1].Sequence, 2)
	equal(t, "the first movement has none before it", all[1].PreviousID, 0)

	receive(t, n.l, 0, a, b)
	equal(t, "the same arrivals handed over again are no repeats", n.heard()[0].Repeats, 0)
	again := a
	again.ReceivedAt = a.ReceivedAt.Add(time.Minute)
	third := a
	third.ReceivedAt = a.ReceivedAt.Add(time.Hour)
	receive(t, n.l, 0, third, again)
	equal(t, "two further arrivals", n.heard()[0].Repeats, 2)
	receive(t, n.l, 0, again, third)
	equal(t, "and those handed over again", n.heard()[0].Repeats, 2)
	equal(t, "the first arrival stays", n.heard()[0].ReceivedAt, a.ReceivedAt)

	reused := notificationOf(account, 2, "7", 1, day(5), "Canceled")
	receive(t, n.l, 1, reused)
	all = n.heard()
	equal(t, "another body under one movement is another notification", len(all), 3)
	equal(t, "bodies of the movement", fmt.Sprint(all[0].Bodies, all[1].Bodies, all[2].Bodies), "2 2 1")
	equal(t, "sequence goes on", all[1].Sequence, 3)
	receive(t, n.l, 0)
}

func links(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	ctx, run := t.Context(), &ledger.Run{ID: "run-1"}
	twice := row(day(2), "7", 2, 3)
	single := row(day(2), "9", 0, 0)
	n.merge(day(1), day(2), row(day(1), "7", 1, 3), row(day(1), "7", 2, 3), twice, single)
	n.merge(day(1), day(1), received(row(day(1), "7", 1, 3), 90*ledger.Real)) // the second number vanishes
	receive(t, n.l, 4,
		notificationOf(account, 1, "7", 2, day(5), "Paid"), notificationOf(account, 2, "9", 0, day(5), "Paid"),
		notificationOf(account, 3, "6", 1, day(5), "Paid"), notificationOf(account, 4, "7", 1, day(5), "Paid"))
	look := func() (got []string, all []ledger.LinkedNotification) {
		ok(t, n.l.UnlinkedNotifications(ctx, account, func(x *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
			line := fmt.Sprint(x.MovementID)
			for _, k := range fits {
				line += " " + k.Subject()
			}
			got, all = append(got, line), append(all, *x)
			return nil
		}))
		return got, all
	}
	got, all := look()
	want := []string{
		"1 card:1001:2026-11-01:7:A7:2 card:1001:2026-11-02:7:A7:2", // a vanished one may be meant too
		"2 card:1001:2026-11-02:9:A9:1", "3", "4 card:1001:2026-11-01:7:A7:1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	key := twice.Key()
	all[0].Ambiguous = true
	all[1].Target, all[1].LinkedOn = &ledger.InstallmentKey{SaleKey: single.SaleKey(), Number: 1}, day(6)
	all[2].PlannedFor, all[2].LastPlannedOn = 1, day(6)
	ok(t, n.l.LinkNotifications(ctx, run, account, all[:3]))
	ok(t, n.l.LinkNotifications(ctx, run, account, nil))
	if err := n.l.LinkNotifications(ctx, &ledger.Run{ID: "another"}, account, all[:1]); err == nil {
		t.Error("a run that does not hold the account linked")
	}
	heard := n.heard()
	equal(t, "the linked one comes last", heard[3].MovementID, 2)
	if d := cmp.Diff(all[1].Target, heard[3].Target); d != "" || heard[3].LinkedOn != day(6) {
		t.Error(heard[3].LinkedOn, d)
	}
	_, rest := look()
	equal(t, "still to be linked", len(rest), 3)
	equal(t, "several fit", rest[0].Ambiguous, true)
	equal(t, "a night in vain", fmt.Sprint(rest[1].PlannedFor, rest[1].LastPlannedOn), "1 2026-11-06")

	all[1].Target = &key
	ok(t, n.l.LinkNotifications(ctx, run, account, all[1:2]))
	equal(t, "what is linked stays", n.heard()[3].Target.NSU, "9")
	all[0].Target, all[0].Ambiguous, all[0].LinkedOn = &key, false, day(7)
	ok(t, n.l.LinkNotifications(ctx, run, account, all[:1]))
	of, err := n.l.NotificationsOf(ctx, account, day(2))
	ok(t, err)
	equal(t, "of a sale day", fmt.Sprint(len(of), of[0].MovementID, of[1].MovementID, of[0].Ambiguous), "2 1 2 false")

	n.pulledSince(day(5))
}

// pulledSince: a linked notification names its sale day until a complete pull shows the day.
func (n *night) pulledSince(arrived ledger.Date) {
	t := n.t
	days := func() string {
		all, err := n.l.NotifiedDays(t.Context(), n.account)
		ok(t, err)
		return fmt.Sprint(all)
	}
	equal(t, "pulled after it arrived", days(), "[]") // the night's pulls began on the twentieth
	late := notificationOf(n.account, 9, "7", 1, day(27), "Paid")
	_, err := n.l.ReceiveNotifications(t.Context(), []ledger.Notification{late})
	ok(t, err)
	key := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: n.account, Day: day(1), NSU: "7", Auth: "A7", Occurrence: 1}, Number: 1}
	ok(t, n.l.LinkNotifications(t.Context(), &ledger.Run{ID: n.run}, n.account, []ledger.LinkedNotification{{Notification: late, Target: &key, LinkedOn: arrived}}))
	equal(t, "not pulled since", days(), "[2026-11-01]")
	n.asOf = day(28)
	failed := n.pull(ledger.Cards, day(1), day(1))
	failed.Complete = false
	ok(t, n.l.StorePull(t.Context(), failed))
	equal(t, "a failed pull shows nothing", days(), "[2026-11-01]")
	n.merge(day(1), day(1), row(day(1), "7", 1, 3))
	equal(t, "pulled", days(), "[]")

	dates, err := n.l.CompletePullDates(t.Context(), n.account, ledger.Cards)
	ok(t, err)
	equal(t, "dates of the pulls of a day", fmt.Sprint(dates[day(1)]), "[2026-11-20 2026-11-28]")
	equal(t, "of a day never asked for", len(dates[day(9)]), 0)
}

func subscriptions(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	ctx := t.Context()
	for _, c := range []struct {
		says string
		do   func()
		want ledger.NotificationStart
		from ledger.Date
	}{
		{"nothing is recorded", func() {}, ledger.NotificationStart{}, 0},
		{
			"a subscription that points elsewhere promises nothing",
			func() { ok(t, l.RecordSubscription(ctx, account, "https://there", false, day(4))) },
			ledger.NotificationStart{Subscription: ledger.Subscription{URL: "https://there", CheckedOn: day(4)}},
			0,
		},
		{
			"it points here",
			func() { ok(t, l.RecordSubscription(ctx, account, "https://here", true, day(6))) },
			ledger.NotificationStart{Subscription: ledger.Subscription{Since: day(6), URL: "https://here", Matches: true, CheckedOn: day(6)}},
			day(6),
		},
		{
			"the first such day stays",
			func() { ok(t, l.RecordSubscription(ctx, account, "", false, day(8))) },
			ledger.NotificationStart{Subscription: ledger.Subscription{Since: day(6), CheckedOn: day(8)}},
			day(6),
		},
		{
			"the notification that arrived first counts, not the oldest",
			func() { receive(t, l, 1, notificationOf(account, 5, "7", 1, day(7), "Paid")) },
			ledger.NotificationStart{First: at(day(7), 12), Subscription: ledger.Subscription{Since: day(6), CheckedOn: day(8)}},
			day(6),
		},
	} {
		c.do()
		got, err := l.NotificationStart(ctx, account)
		ok(t, err)
		if d := cmp.Diff(c.want, got); d != "" || got.FirstDay() != c.from {
			t.Errorf("%s: from %s %s", c.says, got.FirstDay(), d)
		}
	}
}

// named: an installment is found by what a notification says of it, which is no day, whichever row of its sale came
// first, and also when that one is gone.
func named(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	first, later := row(day(1), "7", 3, 3), row(day(1), "7", 1, 3)
	n.merge(day(1), day(1), first)
	n.merge(day(1), day(1), first, later)
	n.merge(day(1), day(2), later, row(day(2), "8", 2, 2), row(day(2), "8", 1, 2)) // the one that came first vanishes
	n.merge(day(1), day(1), received(later, 90*ledger.Real))
	receive(t, n.l, 4, notificationOf(account, 1, "7", 1, day(5), "Paid"), notificationOf(account, 2, "7", 2, day(5), "Paid"),
		notificationOf(account, 3, "7", 3, day(5), "Canceled"), notificationOf(account, 4, "8", 2, day(5), "Paid"))
	var got []string
	ok(t, n.l.UnlinkedNotifications(t.Context(), account, func(x *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		line := fmt.Sprint(x.MovementID)
		for _, k := range fits {
			line += " " + k.Subject()
		}
		got = append(got, line)
		return nil
	}))
	want := []string{
		"1 card:1001:2026-11-01:7:A7:1", "2", "3 card:1001:2026-11-01:7:A7:3", "4 card:1001:2026-11-02:8:A8:2",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// By their NSUs and by their days the current versions are found, without what vanished.
	list := func(read func(fn func(*ledger.InstallmentVersion) error) error) (all []string) {
		ok(t, read(func(v *ledger.InstallmentVersion) error {
			all = append(all, fmt.Sprintf("%s v%d", v.Key().Subject(), v.Version))
			return nil
		}))
		return all
	}
	for _, c := range []struct {
		says string
		got  []string
		want []string
	}{
		{
			"by NSU", list(func(fn func(*ledger.InstallmentVersion) error) error {
				return n.l.InstallmentsByNSU(t.Context(), account, []string{"7", "none"}, fn)
			}), []string{"card:1001:2026-11-01:7:A7:1 v2"},
		},
		{
			"by no NSU", list(func(fn func(*ledger.InstallmentVersion) error) error {
				return n.l.InstallmentsByNSU(t.Context(), account, nil, fn)
			}), nil,
		},
		{
			"by day", list(func(fn func(*ledger.InstallmentVersion) error) error {
				return n.l.InstallmentsSoldIn(t.Context(), account, ledger.Period{From: day(1), To: day(2)}, fn)
			}), []string{"card:1001:2026-11-01:7:A7:1 v2", "card:1001:2026-11-02:8:A8:1 v1", "card:1001:2026-11-02:8:A8:2 v1"},
		},
		{
			"by a day without sales", list(func(fn func(*ledger.InstallmentVersion) error) error {
				return n.l.InstallmentsSoldIn(t.Context(), account, ledger.Period{From: day(3), To: day(9)}, fn)
			}), nil,
		},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", c.says, d)
		}
	}
}
