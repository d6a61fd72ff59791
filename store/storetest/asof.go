package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// asOfRuns: what every night saw when it ended is what is answered as of it then, and after every later night: asked
// after the last, and after each where all is done that can be.
func asOfRuns(t *testing.T, open func(*testing.T) *store.Ledger) {
	nights := Few(5, 5, 3)
	for seed := range uint64(Few(3, 2, 1)) {
		t.Run(fmt.Sprint("story ", seed), func(t *testing.T) {
			s := NewStory(t, open(t), seed)
			var runs, saw []string
			for night := range nights {
				run := s.Night()
				now := s.snapshot("", run)
				if d := cmp.Diff(now, s.snapshot(run, run)); d != "" {
					t.Fatalf("night %d, as it ended (-) and as of it (+):\n%s", night, d)
				}
				runs, saw = append(runs, run), append(saw, now)
				if night%2 == 0 {
					s.Pull()
				}
				if night < nights-1 && !long() {
					continue
				}
				for i := range runs {
					if d := cmp.Diff(saw[i], s.snapshot(runs[i], runs[i])); d != "" {
						t.Fatalf("night %d, then (-) and after night %d (+):\n%s", i, night, d)
					}
				}
			}
			if saw[0] == saw[len(saw)-1] {
				t.Error("nothing happened in this story")
			}
		})
	}
}

// provenLater: a day that did not show a slip proves nothing of when it was seen, also once that day has shown it. Until
// then the view that another list gave meanwhile is the one seen last.
func provenLater(t *testing.T, open func(*testing.T) *store.Ledger) {
	s := NewStory(t, open(t), 0)
	n := s.n
	due, pay := slip(ledger.SlipsDue, "z", day(3)), slip(ledger.SlipsPayment, "z", day(3))
	pay.PaidOn, pay.Value = day(4), due.Value+ledger.Real
	night := func(fn func()) string {
		n.asOf++
		run := ledger.RunID(n.asOf.Time(), "proof")
		ok(t, n.lease.Release(t.Context()))
		n.run = run
		n.hold()
		fn()
		n.reconcile(run, func(*results.ReconcileTx) {})
		return run
	}
	first := night(func() {
		n.slips(ledger.SlipsDue, day(1), day(1), due)
		n.slips(ledger.SlipsPayment, day(4), day(4), pay)
		n.slips(ledger.SlipsDue, day(3), day(3))
	})
	saw := s.snapshot("", first)
	second := night(func() { n.slips(ledger.SlipsDue, day(3), day(3), due) })
	if d := cmp.Diff(saw, s.snapshot(first, first)); d != "" {
		t.Errorf("as the night ended (-) and as of it (+):\n%s", d)
	}
	if now := s.snapshot("", second); now == saw {
		t.Error("the proof changed nothing")
	}
}

// snapshot is everything the ledger says as of a run, or now; last names the run whose sums are asked for.
func (s *Story) snapshot(asOf, last string) string {
	t, l, a := s.n.t, s.n.l, s.n.account
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	put := func(what string, values ...any) {
		text, err := json.Marshal(values)
		ok(t, err)
		b.WriteString(what + " " + string(text) + "\n")
	}
	for _, basis := range []string{"operation", "forecast", "payment", "credit"} {
		q := reports.Query{Account: a, Basis: basis, Period: ledger.Period{From: 1, To: 1 << 20}, AsOfRun: asOf}
		cards, slips, err := l.LeftOut(ctx, q)
		ok(t, err)
		put(basis+" left out", cards, slips)
		tables := []string{"slips", "slips-summary"}
		if basis != "payment" {
			tables = append(tables, "installments", "splits", "splits-payable", "summary")
			ok(t, l.Installments(ctx, q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
				put(basis+" card", v, e)
				return nil
			}))
		}
		for _, table := range tables {
			for _, classes := range [][]ledger.Class{nil, {ledger.Open}} {
				q.Classes = classes
				sums, err := l.Sums(ctx, q, table, ledger.Percent)
				ok(t, err)
				put(basis+" "+table, classes, sums)
			}
		}
		q.Classes = nil
		ok(t, l.SlipRows(ctx, q, func(v *ledger.Slip, e *ledger.SlipExpectation) error {
			put(basis+" slip", v, e)
			return nil
		}))
	}
	ok(t, l.Findings(ctx, results.FindingFilter{AsOfRun: asOf}, func(f *ledger.Finding) error {
		f.LastRun, f.LastSeen = "", 0 // a sight that changed nothing left no event
		events, err := l.FindingEventsAsOf(ctx, f.Case, asOf)
		ok(t, err)
		put("case", f, events)
		return nil
	}))
	lines, err := l.BridgeLines(ctx, a, last)
	ok(t, err)
	tallies, err := l.RuleCountsOfRun(ctx, a, last)
	ok(t, err)
	rounding, err := l.RoundingOfRun(ctx, a, last)
	ok(t, err)
	put("bridge", lines, tallies, rounding)
	return b.String()
}
