package storetest

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
	"concilia/store/ledger"
	"concilia/store/results"
)

// wall is the instant of the suite's acts.
var wall = time.Date(2026, time.November, 20, 12, 0, 0, 123_456_000, time.UTC)

func actOn(subject string, verb ledger.Verb) ledger.Act {
	return ledger.Act{
		Account: account, Verb: verb, Stage: ledger.Done, Subject: subject, Actor: "ana", Reason: "o banco pagou à parte",
		Parameters: results.EncodeActParameters(map[string]string{"until": "2026-12-31", "cap": "10.00"}), At: wall,
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
	ok(t, n.l.TransactActs(ctx, []ledger.Account{account}, func(a *results.ActTx) error {
		if err := a.UpdateCase(&after, &first, day(21)); err == nil {
			t.Error("a case was kept for an act that is not in the log")
		}
		ok(t, a.AppendAct(&first))
		ok(t, a.UpdateCase(&after, &first, day(21)))
		found, err := a.Findings(results.FindingFilter{Cases: []string{f.Case}})
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
	err = n.l.TransactActs(ctx, []ledger.Account{account}, func(a *results.ActTx) error {
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
	log, err := n.l.Acts(ctx, results.ActFilter{Accounts: []ledger.Account{account}})
	ok(t, err)
	if d := cmp.Diff([]ledger.Act{first, third}, log); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		name   string
		filter results.ActFilter
		want   int
	}{
		{"all", results.ActFilter{}, 3},
		{"by subject", results.ActFilter{Subjects: []string{"doc", "other"}}, 1},
		{"by verb", results.ActFilter{Verbs: []ledger.Verb{ledger.Close}}, 1},
		{"by time", results.ActFilter{Since: wall.Add(time.Microsecond)}, 0},
		{"by time, the instant itself", results.ActFilter{Since: wall}, 3},
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

// actsAndRuns: nobody acts on a case while a run has read it and not yet written it: one of the two would be lost.
func actsAndRuns(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	f := finding("s1", "C1", ledger.Error, ledger.Some(ledger.Amount(5)))
	ack := func(ctx context.Context) error {
		return n.l.TransactActs(ctx, []ledger.Account{account}, func(a *results.ActTx) error {
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
	log, err := l.Acts(t.Context(), results.ActFilter{})
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
		filter results.FindingFilter
		want   string
	}{
		{"an impact in excess is as large as one lost", results.FindingFilter{MinImpact: 6}, "s1"},
		{"open since a day", results.FindingFilter{OpenedBy: day(9)}, "s2s1"},
		{"open since an earlier one", results.FindingFilter{OpenedBy: day(8)}, "s1"},
		{"by brand", results.FindingFilter{Brands: []string{"elo"}}, "s1"},
		{"by product", results.FindingFilter{Products: []ledger.Product{ledger.Debit}}, "s3"},
		{"dearest first, lost or gained", results.FindingFilter{Order: results.ByImpact}, "s1s2s3"},
		{"oldest first, those not open last", results.FindingFilter{Order: results.ByAge}, "s1s2s3"},
		{"soonest due first, those without a date last", results.FindingFilter{Order: results.ByDue}, "s3s2s1"},
		{"by code", results.FindingFilter{Order: results.ByCode}, "s2s1s3"},
		{"by severity", results.FindingFilter{Order: results.BySeverity}, "s3s2s1"},
		{"by state", results.FindingFilter{Order: results.ByState}, "s1s3s2"},
		{"by subject", results.FindingFilter{Order: results.BySubject}, "s1s2s3"},
	} {
		var subjects []string
		ok(t, n.l.Findings(t.Context(), c.filter, func(f *ledger.Finding) error {
			subjects = append(subjects, f.Subject)
			return nil
		}))
		equal(t, c.name, strings.Join(subjects, ""), c.want)
	}
	equal(t, "orders that have a name", len(slices.Compact(slices.Sorted(slices.Values(results.FindingOrders())))), 7)
}
