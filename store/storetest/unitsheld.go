package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// unitsHeld: only the worker that has a unit is told that it is still its own, prolongs it and gives it back, with a word
// that the next one finds; and only while the run holds the account.
func unitsHeld(t *testing.T, open func(t *testing.T) *store.Ledger) {
	ctx := context.Background()
	l := open(t)
	n := begin(t, l)
	u := ledger.WorkUnit{Account: account, Run: n.run, Kind: ledger.RenderUnit, What: "sets-1", State: ledger.UnitPlanned}
	ok(t, l.PlanUnits(ctx, []ledger.WorkUnit{u}))
	still := func(worker string, want bool) {
		t.Helper()
		mine, err := l.ConfirmUnitLease(ctx, u, worker, time.Minute)
		ok(t, err)
		if mine != want {
			t.Errorf("still of %s: %t, want %t", worker, mine, want)
		}
	}
	is := func(state ledger.UnitState, failure string) {
		t.Helper()
		got, err := l.Unit(ctx, u)
		ok(t, err)
		if got.State != state || got.Failure != failure {
			t.Errorf("%s, %q; want %s, %q", got.State, got.Failure, state, failure)
		}
	}
	still("one/1", false) // nobody has it
	taken, err := l.ClaimUnit(ctx, u, "one/1", time.Minute)
	ok(t, err)
	if !taken {
		t.Fatal("not claimed")
	}
	still("one/1", true)
	still("two/2", false)
	ok(t, l.ReleaseUnit(ctx, u, "two/2", "not mine to give"))
	is(ledger.UnitLeased, "")
	ok(t, l.ReleaseUnit(ctx, u, "one/1", "one/1: no share here"))
	is(ledger.UnitPlanned, "one/1: no share here")
	still("one/1", false)
	taken, err = l.ClaimUnit(ctx, u, "two/2", time.Minute)
	ok(t, err)
	if !taken {
		t.Fatal("not claimed after it was given back")
	}
	u.State = ledger.UnitDone
	ok(t, l.FinishUnit(ctx, u))
	still("two/2", false)
	ok(t, l.ReleaseUnit(ctx, u, "two/2", "too late"))
	is(ledger.UnitDone, "")
	u.Run += "-other"
	var locked *runs.LockedError
	if _, err := l.ConfirmUnitLease(ctx, u, "two/2", time.Minute); !errors.As(err, &locked) {
		t.Errorf("of a run that does not hold the account: %v", err)
	}
}
