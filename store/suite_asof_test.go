package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/storetest"
)

// asOfRuns: what every night saw when it ended is what is answered as of it then, and after every later night: asked
// after the last, and after each where all is done that can be.
func asOfRuns(t *testing.T, open func(*testing.T) *store.Ledger) {
	nights := storetest.Few(5, 5, 3)
	for seed := range uint64(storetest.Few(3, 2, 1)) {
		t.Run(fmt.Sprint("story ", seed), func(t *testing.T) {
			s := newStory(t, open(t), seed)
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
				s.n.l.MaxSortedRows = 1 + night%2 // few, so that most days are packed, into a file
				if night < nights-1 && !storetest.Long() {
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

// largeDays: days of more rows than are sorted as they are come in the order in which the database has them now, also between days of
// few, and however many there are each row is read from the ledger once.
func largeDays(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const days, many = 6, 40
	for d := range days {
		rows := []ledger.Installment{row(day(d+1), "1", 1, 1)}
		for i := 2; i <= many && d%3 != 1; i++ {
			next := row(day(d+1), fmt.Sprint(i), 1, 1)
			next.SoldAt = at(day(d+1), i*7%5)
			if i%4 == 0 {
				next.Splits = nil
			}
			rows = append(rows, next)
		}
		n.merge(day(d+1), day(d+1), rows...)
	}
	n.reconcile("run", func(r *results.ReconcileTx) {
		for i, s := range n.sales() {
			if e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue); i%5 > 0 {
				e.Brackets = e.Brackets[:i%3]
				ok(t, r.ReplaceExpectation(&e))
			}
		}
	})
	read := func(asOf string, days int) (text string) {
		q := november("operation")
		q.AsOfRun, q.Period.To = asOf, day(days)
		ok(t, n.l.Installments(t.Context(), q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			dropUnreported(v, e)
			line, err := json.Marshal([]any{v, e})
			text += string(line) + "\n"
			return err
		}))
		return text
	}
	for _, most := range []int{many, 2, 1} {
		n.l.MaxSortedRows = most
		if d := cmp.Diff(read("", days), read("run", days)); d != "" {
			t.Errorf("%d rows of a day as they are: now (-), and as of the run (+):\n%s", most, d)
		}
		for _, days := range []int{1, days} {
			if streams := store.CountStreams(n.l, func() { read("run", days) }); streams != 2 {
				t.Errorf("%d rows of a day as they are: %d days are read by %d queries, should be one of versions and one of expectations", most, days, streams)
			}
		}
	}
	failure := errors.New("enough")
	q := november("operation")
	q.AsOfRun = "run"
	for at := 1; at < 3*many; at += many / 4 { // what is read ahead is at another place each time
		left := at
		err := n.l.Installments(t.Context(), q, func(*ledger.InstallmentVersion, *ledger.Expectation) error {
			if left--; left == 0 {
				return failure
			}
			return nil
		})
		if !errors.Is(err, failure) {
			t.Errorf("the reader of rows failed at row %d: %v", at, err)
		}
	}
}

// provenLater: a day that did not show a slip proves nothing of when it was seen, also once that day has shown it. Until
// then the view that another list gave meanwhile is the one seen last.
func provenLater(t *testing.T, open func(*testing.T) *store.Ledger) {
	s := newStory(t, open(t), 0)
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
func (s *story) snapshot(asOf, last string) string {
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
				dropUnreported(v, e)
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
	ok(t, l.Findings(ctx, caselog.FindingFilter{AsOfRun: asOf}, func(f *ledger.Finding) error {
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

// turns: since when an installment is cancelled, charged back or taken back, whatever changed of it afterwards, and as
// of every run.
func turns(t *testing.T, open func(*testing.T) *store.Ledger) {
	type seen struct {
		change func(*ledger.Installment)
		class  ledger.Class
		judged bool
	}
	to := func(status string) func(*ledger.Installment) {
		return func(i *ledger.Installment) { i.Status = status }
	}
	takenBack := func(amount ledger.Amount) func(*ledger.Installment) {
		return func(i *ledger.Installment) { i.Received = ledger.Some(amount) }
	}
	other := func(i *ledger.Installment) { i.Reference += "x" }
	for _, tc := range []struct {
		why    string
		nights []seen
		want   []string // of every night that evaluates: class and taken back, 0 none
	}{
		{
			"an open row has neither",
			[]seen{{to("Authorized"), ledger.Open, true}, {other, ledger.Open, true}},
			[]string{"0 0", "0 0"},
		},
		{"cancelled when it came", []seen{{to("Canceled"), ledger.Cancelled, true}}, []string{"1 0"}},
		{
			"a later change of a cancelled row does not move the day",
			[]seen{{to("Authorized"), ledger.Open, true}, {to("Canceled"), ledger.Cancelled, true}, {other, ledger.Cancelled, true}, {other, ledger.Cancelled, true}},
			[]string{"0 0", "2 0", "2 0", "2 0"},
		},
		{
			"nobody judged the night on which it was cancelled",
			[]seen{{to("Authorized"), ledger.Open, true}, {to("Canceled"), ledger.Cancelled, false}, {other, ledger.Cancelled, true}},
			[]string{"0 0", "2 0"},
		},
		{
			"the same class in other words",
			[]seen{{to("Canceled"), ledger.Cancelled, true}, {to("Voided"), ledger.Cancelled, true}},
			[]string{"1 0", "1 0"},
		},
		{
			"words that the mapping learnt to read afterwards count from the day they were said",
			[]seen{{to("Cancellata"), ledger.Open, true}, {other, ledger.Cancelled, true}},
			[]string{"0 0", "1 0"},
		},
		{
			"charged back after it was cancelled is another class",
			[]seen{{to("Canceled"), ledger.Cancelled, true}, {to("Chargeback"), ledger.Chargeback, true}, {other, ledger.Chargeback, true}},
			[]string{"1 0", "2 0", "2 0"},
		},
		{
			"cancelled, open, and cancelled again was first seen so the first time",
			[]seen{{to("Canceled"), ledger.Cancelled, true}, {to("Authorized"), ledger.Open, true}, {to("Canceled"), ledger.Cancelled, true}},
			[]string{"1 0", "0 0", "1 0"},
		},
		{
			"taken back, then by another amount",
			[]seen{
				{takenBack(97 * ledger.Real), ledger.Received, true},
				{takenBack(-97 * ledger.Real), ledger.Received, true},
				{func(i *ledger.Installment) { takenBack(-96 * ledger.Real)(i); i.Status = "Canceled" }, ledger.Cancelled, true},
			},
			[]string{"0 0", "0 2", "3 2"},
		},
		{
			"less than half a cent is nothing taken back",
			[]seen{
				{takenBack(-49), ledger.Received, true}, {takenBack(-50), ledger.Received, true}, {other, ledger.Received, true},
			},
			[]string{"0 0", "0 2", "0 2"},
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			n := begin(t, open(t))
			sent := row(day(1), "7", 1, 1)
			var runs, now []string
			for i, night := range tc.nights {
				n.asOf = day(i + 1)
				night.change(&sent)
				n.merge(day(1), day(1), sent, row(day(1), "8", 1, 1)) // another row, which never changes
				if !night.judged {
					continue
				}
				run := fmt.Sprint("run ", i)
				n.reconcile(run, func(r *results.ReconcileTx) {
					for _, s := range n.sales() {
						e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
						if s.Key.NSU == sent.NSU {
							e.Class = night.class
						}
						ok(t, r.ReplaceExpectation(&e))
					}
				})
				runs, now = append(runs, run), append(now, n.since("", sent.NSU))
			}
			for i, run := range runs {
				equal(t, "as it stood after "+run, now[i], tc.want[i])
				equal(t, "as of "+run, n.since(run, sent.NSU), tc.want[i])
				equal(t, "of the other row as of "+run, n.since(run, "8"), "0 0")
			}
		})
	}
}

// since is the day of November on which the class, and the taking back, of a row were first seen.
func (n *night) since(run, nsu string) (text string) {
	n.t.Helper()
	q := november("operation")
	q.AsOfRun = run
	ok(n.t, n.l.Installments(n.t.Context(), q, func(v *ledger.InstallmentVersion, _ *ledger.Expectation) error {
		if v.NSU != nsu {
			return nil
		}
		of := func(d ledger.Date) int { return max(0, int(d-day(1))+1) }
		text = fmt.Sprint(of(v.ClassSince), " ", of(v.TakenBackSince))
		return nil
	}))
	return text
}

// dropUnreported empties the members of an installment and its expectation that are not read as of a run.
func dropUnreported(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	v.Content, v.FirstPull, v.LastPull, v.PulledOn, v.Vanished, v.CardType, v.CardName = ledger.Hash{}, "", "", 0, false, "", ""
	if e != nil {
		e.Inputs, e.Unmapped, e.Received, e.NextOn, e.AggregateDelta = "", false, 0, 0, ""
	}
}
