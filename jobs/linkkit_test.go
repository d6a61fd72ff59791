package jobs_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// notified is a merchant who gets notifications of changes.
type notified struct {
	*merchant
	box  *jobstest.Mailbox
	upTo time.Time // of the events handed over so far
}

func newNotified(t *testing.T, o world.Options) *notified {
	t.Helper()
	n := &notified{merchant: newMerchant(t, o), box: &jobstest.Mailbox{}}
	n.Inbox, n.upTo = n.box, n.World.Now()
	// Slips and reports are others' business; what is asked of them makes nights long.
	n.Plan = plan.Settings{SlipsDueBack: 5, SlipsDueForward: 5}
	n.SkipReports()
	n.Accounts = n.Accounts[:1]
	// The wall clock goes on from where the business clock is set, so that pulls come one after the other.
	var ticks atomic.Int64
	n.Wall = func() time.Time { return n.World.Now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	return n
}

// deliver hands over what happened since the last time, each a minute after it happened or now.
func (n *notified) deliver(now bool) int {
	count := 0
	for _, a := range n.World.Accounts()[:1] {
		for e := range n.World.Events(a.Number, n.upTo, n.World.Now()) {
			at := e.Moment.Add(time.Minute)
			if now {
				at = n.World.Now()
			}
			n.box.Waiting = append(n.box.Waiting, ledger.Notification{
				Account: ledger.Account(a.Number), MovementID: e.ID, NSU: e.NSU, Auth: e.CodAuth, Installment: e.Number,
				Moment: ledger.LocalTimeOf(e.Moment, n.Zone), OldValue: e.Old, NewValue: e.New, Body: []byte("{}"), BodyHash: fmt.Sprint(e.ID), ReceivedAt: at.UTC(),
			})
			count++
		}
	}
	n.upTo = n.World.Now()
	return count
}

// heard are the notifications the ledger has.
func (n *notified) heard(t *testing.T) []ledger.LinkedNotification {
	t.Helper()
	var all []ledger.LinkedNotification
	for _, a := range n.Accounts {
		if err := n.Ledger.Notifications(t.Context(), a.Number, func(l *ledger.LinkedNotification) error {
			all = append(all, *l)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// webhookCases counts the standing cases of the rules on notifications.
func (n *notified) webhookCases(t *testing.T, states ...ledger.State) map[string]int {
	t.Helper()
	out := map[string]int{}
	err := n.Ledger.Findings(t.Context(), caselog.FindingFilter{States: states}, func(f *ledger.Finding) error {
		if strings.HasPrefix(f.Code, "WEBHOOK_") || strings.HasPrefix(f.Code, "PULL_") {
			out[f.Code]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// saleDays are the days on which an account sold what notifications speak of, as the ledger has it.
func (n *notified) saleDays(t *testing.T, all []ledger.Notification) map[string]bool {
	t.Helper()
	type name struct {
		account   ledger.Account
		nsu, auth string
	}
	days := map[name]ledger.Date{}
	for _, a := range n.Accounts {
		if err := n.Ledger.Sales(t.Context(), a.Number, func(s *ledger.Sale) error {
			days[name{a.Number, s.Key.NSU, s.Key.Auth}] = s.Key.Day
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]bool{}
	for _, e := range all {
		out[windowName(e.Account, days[name{e.Account, e.NSU, e.Auth}])] = true
	}
	return out
}

func windowName(a ledger.Account, d ledger.Date) string { return a.String() + " " + d.String() }

// pulledBy are the days of cards that a run asked for.
func (n *notified) pulledBy(t *testing.T, run string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, a := range n.Accounts {
		pulls, err := n.Ledger.PullsOfRun(t.Context(), a.Number, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pulls {
			if p.Window.Source == ledger.Cards {
				out[windowName(a.Number, p.Window.Period.From)] = true
			}
		}
	}
	return out
}
