package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// wall is the instant of the suite's acts.
var wall = time.Date(2026, time.November, 20, 12, 0, 0, 123_456_000, time.UTC)

func actOn(subject string, verb ledger.Verb) ledger.Act {
	return ledger.Act{
		Account: account, Verb: verb, Stage: ledger.Done, Subject: subject, Actor: "ana", Reason: "o banco pagou à parte",
		Parameters: caselog.EncodeActParameters(map[string]string{"until": "2026-12-31", "cap": "10.00"}), At: wall,
	}
}

func acts(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	ctx := t.Context()
	f := finding("s1", "C1", ledger.Error, ledger.Some(ledger.Amount(5)))
	f.LastSeen = n.asOf
	n.reconcile("a", func(r *results.ReconcileTx) { ok(t, r.WriteCase(f, true)) })

	first := actOn(f.Case, ledger.Waive)
	after := f
	after.State, after.WaivedUntil, after.WaivedCap = ledger.Waived, day(30), ledger.Some(ledger.Amount(7))
	after.Assignee, after.Reference, after.Comment, after.ClosedAs, after.ReturnState = "b", "REF", "why", ledger.ByPerson, ledger.Opened
	ok(t, n.l.TransactActs(ctx, []ledger.Account{account}, func(a *caselog.ActTx) error {
		if err := a.UpdateCase(&after, &first, day(21)); err == nil {
			t.Error("a case was kept for an act that is not in the log")
		}
		ok(t, a.AppendAct(&first))
		ok(t, a.UpdateCase(&after, &first, day(21)))
		found, err := a.Findings(caselog.FindingFilter{Cases: []string{f.Case}})
		ok(t, err)
		equal(t, "the act is seen where it was done", found[0].State, ledger.Waived)
		return nil
	}))
	got, err := n.l.FindingByCase(ctx, f.Case)
	ok(t, err)
	if d := cmp.Diff(&after, got); d != "" {
		t.Error(d)
	}
	events, err := n.l.FindingEvents(ctx, f.Case)
	ok(t, err)
	equal(t, "events", len(events), 2)
	equal(t, "the event names its act, the run before and the day",
		fmt.Sprintf("%d %s %s %s", events[1].Act, events[1].Run, events[1].AsOf, events[1].Finding.State), "1 a 2026-11-21 waived")
	equal(t, "the event of a run names none", events[0].Act, 0)

	second, err := n.l.LogAct(ctx, ledger.Act{Verb: "evidence forget", Stage: ledger.Done, Subject: "doc", Actor: "ana", At: wall})
	ok(t, err)
	equal(t, "an act of no account has a log of its own", fmt.Sprintf("%s %d %s", second.Account, second.Number, second.Parameters), "0 1 {}")

	stop := errors.New("stop")
	err = n.l.TransactActs(ctx, []ledger.Account{account}, func(a *caselog.ActTx) error {
		x := actOn(f.Case, ledger.Close)
		ok(t, a.AppendAct(&x))
		return stop
	})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	third := actOn(f.Case, ledger.Close)
	third.Stage = ledger.Proposed
	third, err = n.l.LogAct(ctx, third)
	ok(t, err)
	equal(t, "what was rolled back took no number", third.Number, 2)
	equal(t, "an act follows from the one before", third.Previous, first.Hash)
	log, err := n.l.Acts(ctx, caselog.ActFilter{Accounts: []ledger.Account{account}})
	ok(t, err)
	if d := cmp.Diff([]ledger.Act{first, third}, log); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		name   string
		filter caselog.ActFilter
		want   int
	}{
		{"all", caselog.ActFilter{}, 3},
		{"by subject", caselog.ActFilter{Subjects: []string{"doc", "other"}}, 1},
		{"by verb", caselog.ActFilter{Verbs: []ledger.Verb{ledger.Close}}, 1},
		{"by time", caselog.ActFilter{Since: wall.Add(time.Microsecond)}, 0},
		{"by time, the instant itself", caselog.ActFilter{Since: wall}, 3},
	} {
		log, err := n.l.Acts(ctx, c.filter)
		ok(t, err)
		equal(t, c.name, len(log), c.want)
	}
	for _, bad := range []ledger.Act{
		{Verb: ledger.Ack, Stage: ledger.Done, Subject: "x", At: wall},
		{Verb: ledger.Ack, Stage: "half", Subject: "x", Actor: "a", At: wall},
		{Verb: ledger.Ack, Stage: ledger.Done, Subject: "x", Actor: "a", Reason: "two\nlines", At: wall},
		{Verb: ledger.Ack, Stage: ledger.Done, Subject: "x", Actor: "a"},
	} {
		if _, err := n.l.LogAct(ctx, bad); err == nil {
			t.Errorf("taken into the log: %+v", bad)
		}
	}
	n.reconcile("b", func(*results.ReconcileTx) {})
	faults, err := n.l.VerifyActs(ctx)
	ok(t, err)
	equal(t, "faults of a log nobody touched", len(faults), 0)

	ids, err := n.l.CaseIDs(ctx, f.Case[:6], 2)
	ok(t, err)
	equal(t, "a case by its beginning", strings.Join(ids, " "), f.Case)
	ids, err = n.l.CaseIDs(ctx, strings.Repeat("0", 16), 2)
	ok(t, err)
	equal(t, "no case", len(ids), 0)
}

// actsAndRuns: an act on a case that a run has read waits until the run has written it: otherwise one of the two would be lost.
func actsAndRuns(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	f := finding("s1", "C1", ledger.Error, ledger.Some(ledger.Amount(5)))
	ack := func(ctx context.Context) error {
		return n.l.TransactActs(ctx, []ledger.Account{account}, func(a *caselog.ActTx) error {
			act, g := actOn(f.Case, ledger.Ack), f
			g.State = ledger.Acknowledged
			if err := a.AppendAct(&act); err != nil {
				return err
			}
			return a.UpdateCase(&g, &act, day(21))
		})
	}
	n.reconcile("a", func(r *results.ReconcileTx) { ok(t, r.WriteCase(f, true)) })
	n.reconcile("b", func(*results.ReconcileTx) {
		// It waits for as long as it is let, however long that is.
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := ack(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an act in the middle of a reconcile: %v", err)
		}
	})
	ok(t, ack(t.Context()))
	got, err := n.l.FindingByCase(t.Context(), f.Case)
	ok(t, err)
	equal(t, "state", got.State, ledger.Acknowledged)
	events, err := n.l.FindingEvents(t.Context(), f.Case)
	ok(t, err)
	equal(t, "events", len(events), 2)
}

// actsAtOnce: many who act at the same time leave one log without holes.
func actsAtOnce(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	const writers, each = 8, 5
	var done sync.WaitGroup
	errs := make(chan error, writers*each)
	for w := range writers {
		done.Go(func() {
			for i := range each {
				_, err := l.LogAct(context.Background(), actOn(fmt.Sprintf("%d/%d", w, i), "note"))
				errs <- err
			}
		})
	}
	done.Wait()
	close(errs)
	for err := range errs {
		ok(t, err)
	}
	log, err := l.Acts(t.Context(), caselog.ActFilter{})
	ok(t, err)
	equal(t, "acts", len(log), writers*each)
	for i, a := range log {
		equal(t, "number", a.Number, int64(i+1))
	}
	faults, err := l.VerifyActs(t.Context())
	ok(t, err)
	if len(faults) > 0 {
		t.Error(faults)
	}
}

// findingFilters: what only people ask for.
func findingFilters(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	a := finding("s1", "C2", ledger.Warning, ledger.Some(ledger.Amount(-9)))
	b := finding("s2", "C1", ledger.Error, ledger.Some(ledger.Amount(5)))
	c := finding("s3", "C3", ledger.Critical, ledger.Opt[ledger.Amount]{})
	a.OpenedOn, b.OpenedOn, c.OpenedOn = day(3), day(9), 0
	a.DueOn, b.DueOn, c.DueOn = 0, day(8), day(7)
	a.Brand, c.Product, b.State, c.State = "elo", ledger.Debit, ledger.Reopened, ledger.Pending
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, f := range []ledger.Finding{a, b, c} {
			ok(t, r.WriteCase(f, true))
		}
	})
	for _, c := range []struct {
		name   string
		filter caselog.FindingFilter
		want   string
	}{
		{"an impact in excess is as large as one lost", caselog.FindingFilter{MinImpact: 6}, "s1"},
		{"open since a day", caselog.FindingFilter{OpenedBy: day(9)}, "s2s1"},
		{"open since an earlier one", caselog.FindingFilter{OpenedBy: day(8)}, "s1"},
		{"by brand", caselog.FindingFilter{Brands: []string{"elo"}}, "s1"},
		{"by product", caselog.FindingFilter{Products: []ledger.Product{ledger.Debit}}, "s3"},
		{"dearest first, lost or gained", caselog.FindingFilter{Order: caselog.ByImpact}, "s1s2s3"},
		{"oldest first, those not open last", caselog.FindingFilter{Order: caselog.ByAge}, "s1s2s3"},
		{"soonest due first, those without a date last", caselog.FindingFilter{Order: caselog.ByDue}, "s3s2s1"},
		{"by code", caselog.FindingFilter{Order: caselog.ByCode}, "s2s1s3"},
		{"by severity", caselog.FindingFilter{Order: caselog.BySeverity}, "s3s2s1"},
		{"by state", caselog.FindingFilter{Order: caselog.ByState}, "s1s3s2"},
		{"by subject", caselog.FindingFilter{Order: caselog.BySubject}, "s1s2s3"},
	} {
		var subjects []string
		ok(t, n.l.Findings(t.Context(), c.filter, func(f *ledger.Finding) error {
			subjects = append(subjects, f.Subject)
			return nil
		}))
		equal(t, c.name, strings.Join(subjects, ""), c.want)
	}
	equal(t, "orders that have a name", len(slices.Compact(slices.Sorted(slices.Values(caselog.FindingOrders())))), 7)
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// monthClose is the close of the suite's month on a basis, and the act that says so.
func monthClose(basis, run string) (*ledger.PeriodClose, func(verb ledger.Verb) ledger.Act) {
	c := &ledger.PeriodClose{
		Account: account, Basis: basis, Period: ledger.Period{From: day(1), To: day(30)}, Revision: 2, Run: run, AsOf: day(20), Digest: "d",
	}
	return c, func(verb ledger.Verb) ledger.Act {
		return ledger.Act{
			Account: account, Verb: verb, Stage: ledger.Done, Subject: c.Subject(), Actor: "ana", Reason: "mês fechado",
			Parameters: caselog.EncodeCloseParameters(c), At: wall,
		}
	}
}

// closeMonth closes the month by an act.
func closeMonth(t *testing.T, l *store.Ledger, basis, run string) (*ledger.PeriodClose, func(ledger.Verb) ledger.Act) {
	t.Helper()
	c, act := monthClose(basis, run)
	ok(t, l.TransactActs(t.Context(), []ledger.Account{account}, func(a *caselog.ActTx) error {
		closing := act(ledger.ClosePeriod)
		ok(t, a.AppendAct(&closing))
		return a.ClosePeriod(c, &closing)
	}))
	return c, act
}

// finished reconciles as a run that ends: what people do then is done after it.
func (n *night) finished(run string, fn func(*results.ReconcileTx)) *ledger.Run {
	n.t.Helper()
	n.reconcile(run, fn)
	r, err := n.l.RunByID(n.t.Context(), run)
	ok(n.t, err)
	r.Ended = r.Began.Add(1)
	r.Verdicts = map[ledger.Account]ledger.Verdict{n.account: ledger.Reconciled}
	ok(n.t, n.l.EndRun(n.t.Context(), r))
	return r
}

// periodCloses are closes as they stand, and as they stood when a run had reconciled.
func periodCloses(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.finished("a", func(*results.ReconcileTx) {})
	c, act := closeMonth(t, n.l, "operation", "a")
	credit, _ := closeMonth(t, n.l, "credit", "a")
	n.finished("b", func(*results.ReconcileTx) {})
	err := n.l.TransactActs(t.Context(), []ledger.Account{account}, func(a *caselog.ActTx) error {
		again, twice := *c, act(ledger.ClosePeriod)
		ok(t, a.AppendAct(&twice))
		return a.ClosePeriod(&again, &twice)
	})
	if err == nil || !strings.Contains(err.Error(), "is closed already") {
		t.Errorf("a month that is closed was closed again: %v", err)
	}
	ok(t, n.l.TransactActs(t.Context(), []ledger.Account{account}, func(a *caselog.ActTx) error {
		reopening := act(ledger.ReopenPeriod)
		ok(t, a.AppendAct(&reopening))
		seen, err := a.PeriodCloses(caselog.PeriodFilter{InForce: true})
		ok(t, err)
		equal(t, "closes before the act", len(seen), 2)
		return a.ReopenPeriod(c, &reopening)
	}))
	n.finished("c", func(*results.ReconcileTx) {})
	for _, x := range []struct {
		name   string
		filter caselog.PeriodFilter
		want   string
	}{
		{"all, reopened ones too", caselog.PeriodFilter{}, "credit; operation"},
		{"those that stand", caselog.PeriodFilter{InForce: true}, "credit"},
		{"of a basis", caselog.PeriodFilter{Basis: "operation"}, "operation"},
		{"of another account", caselog.PeriodFilter{Accounts: []ledger.Account{1}}, ""},
		{"when the first run had reconciled nobody had closed any", caselog.PeriodFilter{AsOfRun: "a"}, ""},
		{"when the second had, both stood: it was reopened after it", caselog.PeriodFilter{AsOfRun: "b"}, "credit; operation"},
		{"when the third had, one", caselog.PeriodFilter{AsOfRun: "c"}, "credit"},
	} {
		got, err := n.l.PeriodCloses(t.Context(), x.filter)
		ok(t, err)
		var bases []string
		for i := range got {
			bases = append(bases, got[i].Basis)
			want := c
			if got[i].Basis == "credit" {
				want = credit
			}
			if d := cmp.Diff(want, &got[i]); d != "" {
				t.Errorf("%s: %s", x.name, d)
			}
		}
		equal(t, x.name, sorted(bases), x.want)
	}
	equal(t, "run of the reopening", c.ReopenedIn, "b")
	faults, err := n.l.VerifyActs(t.Context())
	ok(t, err)
	if len(faults) > 0 {
		t.Error(faults)
	}
}

// restatements are what changed of a closed month: kept once per run, read back, and as adjustments of the next month.
func restatements(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.merge(day(2), day(2), row(day(2), "1", 1, 1), row(day(2), "2", 1, 1))
	n.finished("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
			ok(t, r.ReplaceExpectation(&e))
		}
	})
	c, _ := closeMonth(t, n.l, "operation", "a")
	to, err := n.l.RestatedTo(t.Context(), c)
	ok(t, err)
	equal(t, "restated to, before any is", to, "a")
	changed := received(row(day(2), "2", 1, 1), 90*ledger.Real)
	n.asOf = day(35)
	n.merge(day(2), day(2), row(day(2), "1", 1, 1), changed)
	run := n.finished("b", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			if v := s.Rows[0].Current(); v.NSU == "2" {
				e := believe(v, ledger.Received, ledger.LineReceived)
				ok(t, r.ReplaceExpectation(&e))
			}
		}
	})
	for asOf, want := range map[string]string{"a": "2 v1 open", "b": "2 v2 received"} {
		moved := ""
		ok(t, n.l.MovedCards(t.Context(), c, "a", "b", asOf, func(k *ledger.ReportedCard) error {
			moved += fmt.Sprintf("%s v%d %s", k.Key.NSU, k.Version, k.Class)
			return nil
		}))
		equal(t, "moved as of "+asOf, moved, want)
	}
	ok(t, n.l.MovedCards(t.Context(), c, "b", "b", "b", func(*ledger.ReportedCard) error {
		t.Error("something moved after the last run")
		return nil
	}))
	change := func(nsu string, net ledger.Amount) ledger.Restatement {
		return ledger.Restatement{
			Subject: "card:1001:2026-11-02:" + nsu + ":A" + nsu + ":1", Cause: ledger.CauseRestated,
			Fields:  []ledger.RestatedField{{Name: "received", Old: "", New: "90.0000"}, {Name: "class", Old: "open", New: "received"}},
			Changes: ledger.RestatedSums{Gross: 1, Net: net, Received: 3, Contract: 4, Came: 5, NotDue: 6, Overdue: 7, Blocked: 8, ShortBy: 9, OverBy: 10},
		}
	}
	ok(t, n.l.KeepRestated(t.Context(), c, run, []ledger.Restatement{change("9", 7)}, 700))
	kept := []ledger.Restatement{change("1", 50), change("2", 50)}
	ok(t, n.l.KeepRestated(t.Context(), c, run, kept, -5)) // in place of what it kept before
	to, err = n.l.RestatedTo(t.Context(), c)
	ok(t, err)
	equal(t, "restated to", to, "b")
	for run, want := range map[string]ledger.Amount{"a": 0, "b": -5, "c": -5} {
		moved, err := n.l.RestatedAgenda(t.Context(), c, run)
		ok(t, err)
		equal(t, "moved besides, up to run "+run, moved, want)
	}
	for i := range kept {
		kept[i].Close, kept[i].Run, kept[i].SeenOn = *c, "b", day(35)
		kept[i].Close.Acted = ""
	}
	november := reports.Query{Account: account, Basis: "operation", Period: ledger.Period{From: day(1), To: day(30)}}
	restated := func(q reports.Query) (out []ledger.Restatement) {
		ok(t, n.l.Restatements(t.Context(), q, func(r *ledger.Restatement) error {
			r.Close.Digest, r.Close.Acted = c.Digest, ""
			out = append(out, *r)
			return nil
		}))
		return out
	}
	if d := cmp.Diff(kept, restated(november)); d != "" {
		t.Error(d)
	}
	december := november
	december.Period = ledger.Period{From: day(31), To: day(61)}
	before, credit, filtered := november, november, november
	before.AsOfRun, credit.Basis, filtered.Brands = "a", "credit", []string{"visa"}
	for name, q := range map[string]reports.Query{
		"of another month": december, "as of the run that was closed": before, "on another basis": credit, "of a brand": filtered,
	} {
		equal(t, name, len(restated(q)), 0)
	}
	adjusted := func(q reports.Query) (out string) {
		ok(t, n.l.Adjustments(t.Context(), q, func(d ledger.Date, printed, exact ledger.RestatedSums) error {
			out += fmt.Sprint(d, " ", int64(printed.Net), " ", int64(exact.Net), " ", int64(exact.OverBy))
			return nil
		}))
		return out
	}
	equal(t, "each change is rounded by itself", adjusted(december), "2026-12-05 200 100 20")
	equal(t, "what a month shows of its own days is as it stands", adjusted(november), "")
}
