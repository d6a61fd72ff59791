package reconcile_test

import (
	"cmp"
	"context"
	"slices"

	"concilia/store/ledger"
)

// told is what a memory keeps of notifications.
type told struct {
	since  ledger.Notified
	all    []ledger.Linked
	pulled map[ledger.Date][]ledger.Date
}

func (m *memory) Notified(context.Context, ledger.Account) (ledger.Notified, error) {
	return m.told.since, nil
}

func (m *memory) Notifications(_ context.Context, _ ledger.Account, fn func(*ledger.Linked) error) error {
	all := slices.Clone(m.told.all)
	subject := func(n *ledger.Linked) string {
		if n.To == nil {
			return ""
		}
		return n.To.Subject()
	}
	slices.SortFunc(all, func(a, b ledger.Linked) int {
		return cmp.Or(cmp.Compare(subject(&a), subject(&b)), cmp.Compare(a.Moment, b.Moment), cmp.Compare(a.MovementID, b.MovementID))
	})
	for i := range all {
		if err := fn(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) NotificationsOf(_ context.Context, _ ledger.Account, day ledger.Date) ([]ledger.Linked, error) {
	var all []ledger.Linked
	for _, n := range m.told.all {
		if n.To != nil && n.To.Day == day {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b ledger.Linked) int {
		return cmp.Or(cmp.Compare(a.Moment, b.Moment), cmp.Compare(a.MovementID, b.MovementID))
	})
	return all, nil
}

func (m *memory) PullDates(context.Context, ledger.Account, ledger.Source) (map[ledger.Date][]ledger.Date, error) {
	return m.told.pulled, nil
}
