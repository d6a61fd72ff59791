package storetest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// cells: sums move by what is given, stand until they are others, and are answered for as each run left them.
func cells(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	count := func(item string, members int64, amount ledger.Amount) ledger.Population {
		return ledger.Population{Kind: "k", Item: item, Members: members, Amount: amount, Other: -amount}
	}
	text := func(all []ledger.Population) string {
		var parts []string
		for _, p := range all {
			parts = append(parts, fmt.Sprint(p.Item, p.Members, " ", int64(p.Amount), " ", int64(p.Other)))
		}
		return strings.Join(parts, ", ")
	}
	for _, night := range []struct {
		run, says string
		all       bool
		moved     []ledger.Population
		want      string
	}{
		{"a", "the first", false, []ledger.Population{count("x", 1, 10), count("y", 2, 20), count("x", 1, 1)}, "x2 11 -11, y2 20 -20"},
		{"b", "nothing moved", false, nil, "x2 11 -11, y2 20 -20"},
		{"c", "one moved, one is new", false, []ledger.Population{count("z", 1, 0), count("x", -1, -5)}, "x1 6 -6, y2 20 -20, z1 0 0"},
		{"d", "one came to nothing", false, []ledger.Population{count("y", -2, -20)}, "x1 6 -6, z1 0 0"},
		{"e", "moved there and back", false, []ledger.Population{count("x", 7, 7), count("x", -7, -7)}, "x1 6 -6, z1 0 0"},
		{"f", "it comes again", false, []ledger.Population{count("y", 1, 1)}, "x1 6 -6, y1 1 -1, z1 0 0"},
		{"g", "all there is", true, []ledger.Population{count("x", 1, 6), count("w", 1, 1)}, "w1 1 -1, x1 6 -6"},
		{"ga", "one below zero", false, []ledger.Population{{Kind: "k", Item: "v", Amount: -3}}, "v0 -3 0, w1 1 -1, x1 6 -6"},
		{"h", "all there is, which is nothing", true, nil, ""},
	} {
		for _, again := range []string{"", ", by the same run again"} {
			n.reconcile(night.run, func(r *results.ReconcileTx) {
				ok(t, r.UpdatePopulations(night.all, night.moved))
				now, err := r.CurrentPopulations()
				ok(t, err)
				equal(t, night.says+again, text(now), night.want)
			})
			left, err := n.l.PopulationsOfRun(t.Context(), account, night.run)
			ok(t, err)
			equal(t, night.says+again+", afterwards", text(left), night.want)
		}
	}
	for run, want := range map[string]string{"b": "x2 11 -11, y2 20 -20", "d": "x1 6 -6, z1 0 0", "f": "x1 6 -6, y1 1 -1, z1 0 0"} {
		left, err := n.l.PopulationsOfRun(t.Context(), account, run)
		ok(t, err)
		equal(t, "as run "+run+" left it", text(left), want)
	}
	n.reconcile("i", func(r *results.ReconcileTx) {
		ok(t, r.UpdatePopulations(true, []ledger.Population{count("x", 1, 1)}))
		ok(t, r.Restart())
		ok(t, r.UpdatePopulations(false, []ledger.Population{count("y", 1, 1)}))
		now, err := r.CurrentPopulations()
		ok(t, err)
		equal(t, "an attempt that was taken back", text(now), "y1 1 -1")
		if err := r.UpdateRounding(false, []ledger.ToleratedAmount{{Code: "C", Amount: math.MaxInt64}, {Code: "C", Amount: 1}}); err == nil {
			t.Error("a sum that does not fit was kept")
		}
	})
	continued(t, n)
}

// continued: a day's closing stands until a later one, and of a run that did not touch the day it is the opening too.
func continued(t *testing.T, n *night) {
	t.Helper()
	of := func(d ledger.Date, opening, closing ledger.Amount) ledger.Continuity {
		c := ledger.Continuity{Day: d, Brand: "visa", Product: ledger.Credit, Opening: opening, Closing: closing}
		c.Changes[ledger.Added] = closing - opening
		return c
	}
	text := func(all []ledger.Continuity) (s string) {
		for _, c := range all {
			s += fmt.Sprintf("%d:%d%+d=%d ", c.Day-day(0), c.Opening, c.Changes[ledger.Added], c.Closing)
		}
		return s
	}
	for _, night := range []struct {
		run              string
		rows             []ledger.Continuity
		closings, leaves string
	}{
		{"j", []ledger.Continuity{of(day(1), 0, 5), of(day(2), 0, 7)}, "", "1:0+5=5 2:0+7=7 "},
		{"k", []ledger.Continuity{of(day(2), 7, 3)}, "1:0+0=5 2:0+0=7 ", "1:5+0=5 2:7-4=3 "},
		{"l", []ledger.Continuity{of(day(1), 5, 0)}, "1:0+0=5 2:0+0=3 ", "1:5-5=0 2:3+0=3 "},
		{"m", nil, "2:0+0=3 ", "1:0+0=0 2:3+0=3 "},
	} {
		for range 2 {
			n.reconcile(night.run, func(r *results.ReconcileTx) {
				was, err := r.CurrentClosings()
				ok(t, err)
				equal(t, "open before "+night.run, text(was), night.closings)
				ok(t, r.WriteContinuity(night.rows))
			})
			left, err := n.l.ContinuityOfRun(t.Context(), account, night.run)
			ok(t, err)
			equal(t, "left by "+night.run, text(left), night.leaves)
		}
	}
}
