package storetest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
)

// named: an installment is found by what a notification says of it, which is no day, whichever row of its sale came
// first, and also when that one is gone.
func named(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	first, later := row(day(1), "7", 3, 3), row(day(1), "7", 1, 3)
	n.merge(day(1), day(1), first)
	n.merge(day(1), day(1), first, later)
	n.merge(day(1), day(2), later, row(day(2), "8", 2, 2), row(day(2), "8", 1, 2)) // the one that came first vanishes
	n.merge(day(1), day(1), received(later, 90*ledger.Real))
	receive(t, n.l, 4, notice(account, 1, "7", 1, day(5), "Paid"), notice(account, 2, "7", 2, day(5), "Paid"),
		notice(account, 3, "7", 3, day(5), "Canceled"), notice(account, 4, "8", 2, day(5), "Paid"))
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
