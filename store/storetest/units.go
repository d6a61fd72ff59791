package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// units: what is planned once stays as it is, one worker at a time has a unit, what was done is not done again, and a
// pull and the end of its units are one commit.
func units(t *testing.T, open func(t *testing.T) *store.Ledger) {
	ctx := context.Background()
	l := open(t)
	n := begin(t, l)
	cards := func(d int) ledger.WorkUnit {
		return ledger.UnitOfWindow(n.run, ledger.PullUnit, ledger.Window{
			Account: account, Source: ledger.Cards, Period: ledger.Period{From: day(d), To: day(d)}, Reason: "asked for",
		})
	}
	planned := []ledger.WorkUnit{cards(2), cards(1), cards(3)}
	ok(t, l.PlanUnits(ctx, planned))
	all := runs.UnitFilter{Accounts: []ledger.Account{account}, Kind: ledger.PullUnit}
	claim := func(d int, worker string, want bool) {
		t.Helper()
		taken, err := l.ClaimUnit(ctx, cards(d), worker, time.Minute)
		ok(t, err)
		if taken != want {
			t.Errorf("day %d, claimed by %s: %v, want %v", d, worker, taken, want)
		}
	}
	claim(1, "one/1", true)
	claim(1, "two/2", false)
	claim(1, "one/1", true) // its own

	failed := cards(1)
	failed.State, failed.Failure = ledger.UnitFailed, "no answer"
	ok(t, l.FinishUnit(ctx, failed))
	claim(1, "two/2", true) // a failed one is free

	// A pull does the units of two days in its own commit.
	p := n.pull(ledger.Cards, day(1), day(2))
	p.SHA256 = "abc"
	for d, rows := range map[int]int64{1: 3, 2: 4} {
		u := cards(d)
		u.Rows = rows
		p.Units = append(p.Units, u)
	}
	ok(t, l.MergeInstallments(ctx, p, nil, nil))
	claim(1, "one/1", false)
	ok(t, l.PlanUnits(ctx, planned)) // again: nothing moves

	got, err := l.Units(ctx, n.run, all)
	ok(t, err)
	want := []ledger.WorkUnit{cards(1), cards(2), cards(3)}
	for i := range want[:2] {
		want[i].State, want[i].Rows, want[i].Hash = ledger.UnitDone, int64(3+i), p.SHA256
	}
	want[0].Attempts, want[0].Worker, want[1].Attempts = 3, "two/2", 1
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("units, wanted (-), read (+):\n%s", d)
	}

	// Another answer to what is done already is not merged: its question alone is kept.
	again := n.pull(ledger.Cards, day(1), day(1))
	again.Units = []ledger.WorkUnit{cards(1)}
	ok(t, l.MergeInstallments(ctx, again, []ledger.Installment{row(day(1), "9", 1, 1)}, nil))
	if again.Counts.New != 0 {
		t.Errorf("a unit that was done took %d new rows", again.Counts.New)
	}
	left := all
	left.States = []ledger.UnitState{ledger.UnitPlanned, ledger.UnitFailed}
	got, err = l.Units(ctx, n.run, left)
	ok(t, err)
	if len(got) != 1 || got[0].What != cards(3).What {
		t.Errorf("left to do: %v, want the third day", got)
	}

	// A window that fails, fails its units.
	gone := n.pull(ledger.Cards, day(3), day(3))
	gone.Complete, gone.Failure, gone.Units = false, "timed out", []ledger.WorkUnit{cards(3)}
	ok(t, l.StorePull(ctx, gone))
	u, err := l.Unit(ctx, cards(3))
	ok(t, err)
	if u.State != ledger.UnitFailed || u.Failure != "timed out" || u.Attempts != 1 {
		t.Errorf("the third day: %s, %q, %d attempts", u.State, u.Failure, u.Attempts)
	}
	calledOff(t, l, n)
}

// calledOff: what a dead leader had others do is theirs no more, begun or not; what was done stays, and what is planned anew
// is anybody's.
func calledOff(t *testing.T, l *store.Ledger, n *night) {
	ctx := context.Background()
	var sets []ledger.WorkUnit
	for _, what := range []string{"done", "begun", "offered"} {
		sets = append(sets, ledger.WorkUnit{
			Account: account, Run: n.run, Kind: ledger.RenderUnit, What: what, State: ledger.UnitPlanned, Reason: "test",
		})
	}
	ok(t, l.PlanUnits(ctx, sets))
	for i := range sets[:2] {
		taken, err := l.ClaimUnit(ctx, sets[i], "one/1", time.Minute)
		ok(t, err)
		equal(t, "taken", taken, true)
	}
	end := func(u ledger.WorkUnit) {
		t.Helper()
		u.Worker, u.State, u.Result = "one/1", ledger.UnitDone, []byte(`"of one"`)
		ok(t, l.FinishUnit(ctx, u))
	}
	end(sets[0])
	ok(t, l.CancelUnits(ctx, n.run, []ledger.Account{account}, "taken up", ledger.RenderUnit))
	ok(t, l.CancelUnits(ctx, n.run, []ledger.Account{account}, "taken up", ledger.RenderUnit)) // again: nothing moves
	end(sets[1])                                                                               // too late
	var got []string
	for i := range sets {
		u, err := l.Unit(ctx, sets[i])
		ok(t, err)
		got = append(got, fmt.Sprint(u.What, " ", u.State, " ", u.Attempts, " ", u.Failure))
	}
	equal(t, "called off", strings.Join(got, ", "), "done done 1 , begun failed 1 taken up, offered failed 1 taken up")
	mine, err := l.ConfirmUnitLease(ctx, sets[1], "one/1", time.Minute)
	ok(t, err)
	equal(t, "still mine", mine, false)
	taken, err := l.ClaimUnit(ctx, sets[1], "two/2", time.Minute)
	ok(t, err)
	equal(t, "taken by another", taken, true)
}
