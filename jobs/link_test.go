package jobs_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/jobstest"
	"concilia/store"
	"concilia/store/ledger"
)

// Mornings with the receiver down for three of them: the days that notifications name are asked for and no others,
// every notification is in effect once, and once all have come no case is open but for how late they were.
func TestNightsWithNotifications(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	n := newNotified(t, world.Options{Seed: 51, Days: 40, Installments: 200})
	n.RunNight(t)
	// Who takes notifications looks for early payments once a week only: the days asked for are those named.
	if err := n.Ledger.RecordSubscription(t.Context(), n.Accounts[0].Number, "https://us", true, n.Today()); err != nil {
		t.Fatal(err)
	}
	told := 0
	for morning := range 9 {
		n.World.SetNow(n.World.Now().AddDate(0, 0, 1))
		down := morning >= 3 && morning < 6
		if !down {
			told += n.deliver(morning == 6)
		}
		arrived := slices.Clone(n.box.Waiting)
		windows, err := n.PlanWindows(t.Context(), n.Today()) // nothing of the inbox is in the ledger yet
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, w := range windows {
			if w.Source == ledger.Cards {
				want[windowName(w.Account, w.Period.From)] = true
			}
		}
		s := n.RunNight(t)
		maps.Copy(want, n.saleDays(t, arrived))
		if diff := cmp.Diff(want, n.pulledBy(t, s.Run)); diff != "" {
			t.Errorf("as of %s wanted (-) and asked for (+):\n%s", n.Today(), diff)
		}
		cases := n.webhookCases(t, ledger.Opened, ledger.Reopened)
		delete(cases, "WEBHOOK_LATE")
		if morning < 3 || morning == 8 {
			if len(cases) > 0 {
				t.Errorf("as of %s: %v", n.Today(), cases)
			}
		}
		if pending := n.webhookCases(t, ledger.Pending)[untold]; morning == 5 && (pending == 0 || cases["WEBHOOK_SILENCE"] == 0) {
			t.Errorf("as of %s, with the receiver down: %v, %d changes still to be told", n.Today(), cases, pending)
		}
	}
	all := n.heard(t)
	if len(all) != told || told == 0 {
		t.Errorf("%d notifications came, the ledger has %d", told, len(all))
	}
	for _, l := range all {
		if l.Target == nil || l.Repeats > 0 || l.Target.NSU != l.NSU {
			t.Errorf("movement %d of %s: linked to %v", l.MovementID, l.Moment, l.Target)
		}
	}
	late := n.webhookCases(t, ledger.Opened)["WEBHOOK_LATE"]
	if late == 0 {
		t.Error("three days late, and no case says so")
	}

	events, before := n.webhookCases(t), n.heard(t)
	again := n.RunNight(t)
	if len(again.NewFindings) > 0 || again.Pulled.New+again.Pulled.Changed > 0 {
		t.Errorf("the same morning again: %v, %+v", again.NewFindings, *again.Pulled)
	}
	if diff := cmp.Diff(before, n.heard(t)); diff != "" || !maps.Equal(events, n.webhookCases(t)) {
		t.Errorf("the same morning again changed notifications or cases:\n%s", diff)
	}
}

const untold = "PULL_CHANGE_WITHOUT_WEBHOOK"

// A notification about a sale that was not pulled yet is linked once a pull brings the sale.
func TestLinkAfterThePull(t *testing.T) {
	t.Parallel()
	n := newNotified(t, world.Options{Seed: 52, Days: 10, Installments: 100})
	n.upTo = n.upTo.AddDate(0, 0, -1)
	told := n.deliver(false)
	n.RunNight(t)
	all := n.heard(t)
	if told == 0 || len(all) != told {
		t.Fatalf("%d of %d notifications", len(all), told)
	}
	for _, l := range all {
		if l.Target == nil || l.LinkedOn != n.Today() || l.PlannedFor != 0 {
			t.Errorf("movement %d: linked to %v on %s after %d nights", l.MovementID, l.Target, l.LinkedOn, l.PlannedFor)
		}
	}
}

// A pull takes over and links what the receiver kept, and evaluates nothing. What came twice is one notification with a
// repeat, and taking over again finds nothing.
func TestPullRangeLinks(t *testing.T) {
	t.Parallel()
	n := newNotified(t, world.Options{Seed: 53, Days: 10, Installments: 100})
	inbox, err := store.OpenInbox(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inbox.Close() })
	n.Inbox = inbox
	n.upTo = n.upTo.AddDate(0, 0, -1)
	n.deliver(false)
	again := n.box.Waiting[0]
	again.ReceivedAt = again.ReceivedAt.Add(time.Hour)
	for _, e := range append(n.box.Waiting, again) {
		if _, err := inbox.Keep(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := n.PullRange(t.Context(), ledger.Period{From: n.Today() - 10, To: n.Today() - 1}, []ledger.Source{ledger.Cards}); err != nil {
			t.Fatal(err)
		}
		all := n.heard(t)
		if len(all) != len(n.box.Waiting) {
			t.Errorf("%d of %d notifications", len(all), len(n.box.Waiting))
		}
		for _, l := range all {
			if l.Target == nil || (l.Repeats == 1) != (l.MovementID == again.MovementID) {
				t.Errorf("movement %d: linked to %v, %d repeats", l.MovementID, l.Target, l.Repeats)
			}
		}
	}
	if left, err := inbox.Pending(t.Context(), 1); err != nil || len(left) > 0 || len(n.webhookCases(t)) > 0 {
		t.Errorf("the inbox still has %v, or something was judged: %v", left, err)
	}
}

// A notification nothing fits is looked for on seven nights, on the day it tells of and the day before, and is one alarm
// after that.
func TestNotificationOfNothing(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	n := newNotified(t, world.Options{Seed: 54, Days: 25, Installments: 60})
	n.RunNight(t)
	moment := n.Today() - 20
	n.box.Waiting = []ledger.Notification{{
		Account: n.Accounts[0].Number, MovementID: 7, NSU: "no such", Auth: "none", Installment: 1, NewValue: "Paid", OldValue: "Authorized",
		Moment: ledger.LocalTimeOf(moment.Time().Add(12*time.Hour), time.UTC), BodyHash: "7", ReceivedAt: n.World.Now().UTC(),
	}}
	reasons := func() (days []string) {
		windows, err := n.PlanWindows(t.Context(), n.Today())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range windows {
			if strings.Contains(w.Reason, "notification") {
				days = append(days, w.Period.From.String()+" "+w.Reason)
			}
		}
		return days
	}
	const reason = " a notification not linked yet"
	want := []string{moment.String() + reason, (moment - 1).String() + reason}
	for night := range 9 {
		n.World.SetNow(n.World.Now().AddDate(0, 0, 1))
		if night > 0 {
			planned := reasons()
			if night < 7 && !slices.Equal(planned, want) || night >= 7 && len(planned) > 0 {
				t.Errorf("night %d plans %q", night+1, planned)
			}
		}
		n.RunNight(t)
		n.RunNight(t) // a morning lived twice is one night
		l := n.heard(t)[0]
		if l.PlannedFor != min(night+1, 7) {
			t.Errorf("night %d: looked for on %d nights", night+1, l.PlannedFor)
		}
		alarms, due := n.webhookCases(t, ledger.Opened)["WEBHOOK_NOT_IN_PULL"], 0
		if night >= 6 {
			due = 1
		}
		if alarms != due {
			t.Errorf("night %d: %d alarms", night+1, alarms)
		}
	}
}
