package storetest

import (
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// newCases are cases that a reconcile which knows what stands finds for the first time: they go another way than those
// seen again, and end the same.
func newCases(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const count = 1200 // more than are written at once, twice
	named := func(i int) ledger.Finding {
		return finding(fmt.Sprintf("s%04d", i), "C1", ledger.Error, ledger.Some(ledger.Amount(i)))
	}
	resolved := func(i int) ledger.Finding {
		f := named(i)
		f.State = ledger.Resolved
		return f
	}
	standing := func(r *results.ReconcileTx, says string, want int) {
		all, err := r.CurrentCases()
		ok(t, err)
		equal(t, says, len(all), want)
	}
	n.reconcile("a", func(r *results.ReconcileTx) {
		standing(r, "cases before the first reconcile", 0)
		for i := range count {
			ok(t, r.WriteCase(named(i), true))
		}
		standing(r, "cases of an attempt", count)
		ok(t, r.Restart())
		standing(r, "cases after the attempt was taken back", 0)
		for i := range count {
			ok(t, r.WriteCase(named(i), i%10 > 0))
		}
		ok(t, r.WriteCase(resolved(1), true))       // written already
		ok(t, r.WriteCase(resolved(count-1), true)) // gathered yet
	})
	n.reconcile("b", func(r *results.ReconcileTx) {
		standing(r, "cases before the second reconcile", count)
		ok(t, r.WriteCase(resolved(2), true))
		ok(t, r.WriteCase(named(count), true))
	})
	for _, c := range []struct {
		says  string
		of    int
		state ledger.State
		runs  string
	}{
		{"one without an event has none", 0, ledger.Opened, ""},
		{"one seen twice in a reconcile, in two lots, has two events and is as it was seen last", 1, ledger.Resolved, "aa"},
		{"so has one seen twice in one lot", count - 1, ledger.Resolved, "aa"},
		{"one that stood has the events of both reconciles", 2, ledger.Resolved, "ab"},
		{"one of the second reconcile has its own", count, ledger.Opened, "b"},
		{"one of the first has that alone", 3, ledger.Opened, "a"},
	} {
		f := named(c.of)
		got, err := n.l.FindingByCase(t.Context(), f.Case)
		ok(t, err)
		equal(t, c.says+": state", got.State, c.state)
		events, err := n.l.FindingEvents(t.Context(), f.Case)
		ok(t, err)
		runs := ""
		for i, e := range events {
			runs += e.Run
			equal(t, c.says+": sequence", e.Sequence, i+1)
			equal(t, c.says+": as of", e.AsOf, n.asOf)
		}
		equal(t, c.says+": runs", runs, c.runs)
	}
}
