package reconcile_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
)

// told is what a fake ledger keeps of notifications.
type told struct {
	since  ledger.NotificationStart
	all    []ledger.LinkedNotification
	pulled map[ledger.Date][]ledger.Date
}

func (m *memory) NotificationStart(context.Context, ledger.Account) (ledger.NotificationStart, error) {
	return m.told.since, nil
}

func (m *memory) Notifications(_ context.Context, _ ledger.Account, fn func(*ledger.LinkedNotification) error) error {
	all := slices.Clone(m.told.all)
	subject := func(n *ledger.LinkedNotification) string {
		if n.Target == nil {
			return ""
		}
		return n.Target.Subject()
	}
	slices.SortFunc(all, func(a, b ledger.LinkedNotification) int {
		return cmp.Or(cmp.Compare(subject(&a), subject(&b)), cmp.Compare(a.Moment, b.Moment), cmp.Compare(a.MovementID, b.MovementID))
	})
	for i := range all {
		if err := fn(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) NotificationsOf(_ context.Context, _ ledger.Account, day ledger.Date) ([]ledger.LinkedNotification, error) {
	var all []ledger.LinkedNotification
	for _, n := range m.told.all {
		if n.Target != nil && n.Target.Day == day {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b ledger.LinkedNotification) int {
		return cmp.Or(cmp.Compare(a.Moment, b.Moment), cmp.Compare(a.MovementID, b.MovementID))
	})
	return all, nil
}

func (m *memory) CompletePullDates(context.Context, ledger.Account, ledger.Source) (map[ledger.Date][]ledger.Date, error) {
	return m.told.pulled, nil
}

// tellUntil is a merchant that is notified since 2024-10-01, one sale of which was blocked between the pulls of 22 and 28
// October.
func tellUntil() *memory {
	m := &memory{}
	row := installment("2024-10-21", "000123", "A1B2C3", 1, func(i *ledger.Installment) {
		i.Count, i.SaleTotal, i.SaleFee, i.SaleAntifraud, i.Forecast = 1, some("100"), some("0.10"), some("0.30"), day("2024-12-20")
	})
	row[0].PulledOn = day("2024-10-22")
	row = next(row, func(i *ledger.Installment) { i.Status = "Bloqueada" })
	row[1].PulledOn, row[1].LastChanged = day("2024-10-28"), day("2024-10-28")
	m.sales = []*ledger.Sale{saleOf(row)}
	m.told.since.Subscription = ledger.Subscription{Since: day("2024-10-01"), Matches: true, CheckedOn: day("2024-10-28")}
	m.told.pulled = map[ledger.Date][]ledger.Date{day("2024-10-21"): {day("2024-10-22"), day("2024-10-28")}}
	return m
}

// event is a notification about the sale of tellUntil, that arrived as it happened.
func event(movement int64, moment, before, value string) ledger.LinkedNotification {
	return ledger.LinkedNotification{
		Notification: ledger.Notification{
			Account: 1001, MovementID: movement, NSU: "000123", Auth: "A1B2C3", Installment: 1, OldValue: before, NewValue: value,
			Moment: must(ledger.ParseLocalTime(moment, time.UTC)), ReceivedAt: must(time.Parse("2006-01-02T15:04:05", moment)),
		},
		Bodies: 1,
		Target: &ledger.InstallmentKey{
			SaleKey: ledger.SaleKey{Account: 1001, Day: day("2024-10-21"), NSU: "000123", Auth: "A1B2C3", Occurrence: 1}, Number: 1,
		},
	}
}

// webhookEvents are the events of the family in a night, in order.
func webhookEvents(m *memory) []string {
	var all []string
	for _, f := range m.events {
		if strings.HasPrefix(f.Code, "WEBHOOK_") || strings.HasPrefix(f.Code, "PULL_") || f.Code == "ENUM_UNMAPPED" {
			all = append(all, fmt.Sprintf("%s %s %s %s", f.Code, f.Subject, f.Severity, f.State))
		}
	}
	slices.Sort(all)
	return all
}

// A change without a notification is pending for a day, then open, and is resolved when its notification comes after all; a second
// night over the same facts writes nothing.
func TestLifeOfAnUnnotifiedChange(t *testing.T) {
	t.Parallel()
	const untold = "PULL_CHANGE_WITHOUT_WEBHOOK " + shortSubject
	m := tellUntil()
	for _, step := range []struct {
		says, asOf string
		before     func()
		want       []string
	}{
		{"as it shows it may still be told of", "2024-10-28", nil, []string{untold + " E pending"}},
		{"a day later too", "2024-10-29", nil, nil},
		{"then it is an alarm", "2024-10-30", nil, []string{untold + " E open"}},
		{"that stays as it is", "2024-10-31", nil, nil},
		{
			"until the notification comes", "2024-11-01",
			func() { m.told.all = append(m.told.all, event(1, "2024-10-26T10:00:00", "Authorized", "Blocked")) },
			[]string{untold + " E resolved"},
		},
		{
			"the subscription points elsewhere", "2024-11-02", func() { m.told.since.Subscription.Matches = false },
			[]string{"WEBHOOK_SUBSCRIPTION_DRIFT account:1001 E open"},
		},
		{
			"and back", "2024-11-03", func() { m.told.since.Subscription.Matches = true },
			[]string{"WEBHOOK_SUBSCRIPTION_DRIFT account:1001 E resolved"},
		},
	} {
		if step.before != nil {
			step.before()
		}
		m.reconciled(t, inputs(step.asOf))
		if diff := gocmp.Diff(step.want, webhookEvents(m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.says, diff)
		}
	}
}

// A silent day is reported the morning after, when the pull shows changes: 29 October 2024 is a Tuesday.
func TestSilentDay(t *testing.T) {
	t.Parallel()
	m := tellUntil()
	m.told.all = []ledger.LinkedNotification{event(1, "2024-10-25T10:00:00", "", "Authorized")}
	m.sales[0].Rows[0][1].PulledOn, m.sales[0].Rows[0][1].LastChanged = day("2024-10-29"), day("2024-10-29")
	m.reconciled(t, inputs("2024-10-29"))
	want := []string{
		"PULL_CHANGE_WITHOUT_WEBHOOK " + shortSubject + " E pending", "WEBHOOK_SILENCE source:1001:notifications W open",
		"WEBHOOK_STATE_CONFLICT " + shortSubject + " E pending",
	}
	if diff := gocmp.Diff(want, webhookEvents(m)); diff != "" {
		t.Error(diff)
	}
}

// The bodies of one movement are one subject: what holds of one of them holds. Whatever the order in which they came,
// the cases are the same.
func TestBodiesOfOneMovement(t *testing.T) {
	t.Parallel()
	body := func(n ledger.LinkedNotification) ledger.LinkedNotification { n.Bodies = 2; return n }
	unlinked := func(n ledger.LinkedNotification) ledger.LinkedNotification { n.Target = nil; return n }
	late := func(n ledger.LinkedNotification, hours int) ledger.LinkedNotification {
		n.ReceivedAt = n.ReceivedAt.Add(time.Duration(hours) * time.Hour)
		return n
	}
	all := []ledger.LinkedNotification{
		event(1, "2024-10-21T10:00:00", "", "Authorized"),
		body(event(2, "2024-10-26T10:00:00", "Paid", "Blocked")),
		body(unlinked(late(event(2, "2024-10-26T11:00:00", "Authorized", "Sabe-se lá"), 30))),
		late(event(3, "2024-10-26T12:00:00", "Blocked", "Blocked"), 5),
	}
	all[2].Ambiguous = true
	want := []string{
		"ENUM_UNMAPPED value:1001:newValue:Sabe-se lá W open",
		"WEBHOOK_AMBIGUOUS webhook:1001:2 W open",
		"WEBHOOK_CHAIN_BROKEN webhook:1001:2 W open",
		"WEBHOOK_ID_REUSED webhook:1001:2 E open",
		"WEBHOOK_LATE webhook:1001:2 E open",
		"WEBHOOK_LATE webhook:1001:3 I open",
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		m := tellUntil()
		for _, i := range order {
			m.told.all = append(m.told.all, all[i])
		}
		r := m.reconciled(t, inputs("2024-11-05"))
		if diff := gocmp.Diff(want, webhookEvents(m)); diff != "" || r.Verdict != ledger.Breaks {
			t.Errorf("verdict %s (-want +got):\n%s", r.Verdict, diff)
		}
		if e := m.tallies["WEBHOOK_LATE"]; e.Evaluated != 4 || e.Fired != 2 {
			t.Errorf("tally %+v", e)
		}
		m.reconciled(t, inputs("2024-11-05"))
		if got := webhookEvents(m); len(got) > 0 {
			t.Errorf("the same night again writes %q", got)
		}
	}
}

// An account that gets no notifications: the family looks at nothing.
func TestAccountWithoutNotifications(t *testing.T) {
	t.Parallel()
	m := tellUntil()
	m.told.since = ledger.NotificationStart{}
	m.reconciled(t, inputs("2024-11-05"))
	for code, tally := range m.tallies {
		if (strings.HasPrefix(code, "WEBHOOK_") || strings.HasPrefix(code, "PULL_")) && tally.Eligible > 0 {
			t.Errorf("%s: %+v", code, tally)
		}
	}
	if got := webhookEvents(m); len(got) > 0 {
		t.Errorf("it says %q", got)
	}
}
