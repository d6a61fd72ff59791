package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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

// unitsHeld: only the worker that has a unit learns that it is still its own, prolongs it and gives it back, with a word
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
	still("one/1", false) // no worker has it
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

// rates: callers of several holders of one credential's pace get their turns one after another, never closer together
// than the pace says. On SQLite there is none to share.
func rates(t *testing.T, open func(t *testing.T) *store.Ledger) {
	l := open(t)
	const every, callers, each = 5 * time.Millisecond, 4, 5
	var wait sync.WaitGroup
	began, turns := time.Now(), 0
	for range 2 { // two processes, as far as the ledger can tell
		r, err := l.RateLimiter("credential", every)
		ok(t, err)
		if r == nil {
			return
		}
		for range callers {
			turns += each
			wait.Go(func() {
				for range each {
					if err := r.Wait(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wait.Wait()
	if took, least := time.Since(began), time.Duration(turns-1)*every; took < least {
		t.Errorf("%d turns took %s: at one in %s they need %s", turns, took, every, least)
	}

	// Another credential has a pace of its own, and who gives up waits no longer.
	other, err := l.RateLimiter("other", time.Hour)
	ok(t, err)
	ok(t, other.Wait(t.Context()))
	tired := errors.New("tired")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(tired) })
	if err := other.Wait(ctx); !errors.Is(err, tired) && !errors.Is(err, context.Canceled) {
		t.Errorf("the second turn of an hour: %v", err)
	}
	for _, bad := range []struct {
		credential string
		every      time.Duration
	}{{"", every}, {"credential", 0}} {
		if _, err := l.RateLimiter(bad.credential, bad.every); err == nil {
			t.Errorf("a pace of %q and %s was taken", bad.credential, bad.every)
		}
	}
}

// ticks: of any number that begin an occurrence one does, what died is taken again once, and what ended stays.
func ticks(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	ctx := t.Context()
	const nightly = "nightly CRON_TZ=UTC 30 5 * * *"
	first := time.Date(2026, time.November, 18, 5, 30, 0, 0, time.UTC)
	slot := func(n int) time.Time { return first.AddDate(0, 0, n) }
	begin := func(n int) runs.CronOccurrence {
		return runs.CronOccurrence{
			Schedule: nightly, Slot: slot(n), Job: "nightly", State: "running", Begun: slot(n).Add(time.Second), Attempts: 1,
		}
	}
	last, running, err := l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	if last != nil || running != nil {
		t.Fatalf("of a schedule nobody knows: %v, %v", last, running)
	}

	// It is known from where it was seen first, and stays.
	known := runs.CronOccurrence{Schedule: nightly, Slot: slot(0).Add(-time.Hour), Job: "nightly", State: "first_seen"}
	ok(t, l.RegisterSchedule(ctx, known, []string{nightly}))
	known.Slot = slot(0)
	ok(t, l.RegisterSchedule(ctx, known, []string{nightly}))
	last, _, err = l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	equal(t, "known since", last.Slot, slot(0).Add(-time.Hour))

	// One of many begins it, and while it runs no other is begun.
	var won atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			mine, err := l.BeginOccurrence(ctx, begin(0), time.Hour)
			if err != nil {
				t.Error(err)
			}
			if mine {
				won.Add(1)
			}
		})
	}
	all.Wait()
	equal(t, "begun by", won.Load(), 1)
	mine, err := l.BeginOccurrence(ctx, begin(1), time.Hour)
	ok(t, err)
	equal(t, "another begun beside it", mine, false)
	last, running, err = l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	equal(t, "last", last.Slot, slot(0))
	equal(t, "alive", running.Alive, true)
	mine, err = l.TakeOverOccurrence(ctx, *running, slot(0).Add(time.Minute), time.Hour)
	ok(t, err)
	equal(t, "one that lives is taken", mine, false)

	// A unit that is put back belongs to no worker, and one of many takes it again.
	back := *running
	back.Attempts = 0
	ok(t, l.EndOccurrence(ctx, back))
	_, running, err = l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	equal(t, "put back", fmt.Sprintf("%t %q %s", running.Alive, running.Host, running.State), `false "" running`)
	won.Store(0)
	for i := range 8 {
		all.Go(func() {
			mine, err := l.TakeOverOccurrence(ctx, *running, slot(0).Add(time.Duration(i+1)*time.Minute), time.Hour)
			if err != nil {
				t.Error(err)
			}
			if mine {
				won.Add(1)
			}
		})
	}
	all.Wait()
	equal(t, "taken again by", won.Load(), 1)
	still, err := l.RenewOccurrence(ctx, *running, time.Hour)
	ok(t, err)
	equal(t, "kept by the one before", still, false)
	again := *running
	again.State, again.Why = "run", "by the one before"
	ok(t, l.EndOccurrence(ctx, again))
	_, running, err = l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	equal(t, "attempts", running.Attempts, 1)
	still, err = l.RenewOccurrence(ctx, *running, -time.Second)
	ok(t, err)
	equal(t, "kept", still, true)
	_, running, err = l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	equal(t, "alive after its time", running.Alive, false)
	endsAndSkips(t, l, *running, slot)
}

// endsAndSkips ends a running occurrence and skips others.
func endsAndSkips(t *testing.T, l *store.Ledger, done runs.CronOccurrence, slot func(int) time.Time) {
	ctx := t.Context()
	done.State, done.Why, done.Run, done.ExitCode, done.Ended = "caught_up", "as it came", "r1", 20, slot(0).Add(time.Hour)
	done.RepeatJob = "report"
	ok(t, l.EndOccurrence(ctx, done))
	var skipped []runs.CronOccurrence
	for n := range 3 {
		skipped = append(skipped, runs.CronOccurrence{
			Schedule: done.Schedule, Slot: slot(n), Job: "nightly", State: "skipped", Missed: true, Why: "missed",
			Repeats: slot(n - 1), Repetition: n,
		})
	}
	ok(t, l.SkipOccurrences(ctx, skipped))
	ok(t, l.SkipOccurrences(ctx, skipped))
	got, err := l.CronOccurrences(ctx, slot(0))
	ok(t, err)
	want := append([]runs.CronOccurrence{done}, skipped[1:]...)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	// Another schedule of the job continues where one ended that is no longer configured, and begins anew if that one is.
	other := runs.CronOccurrence{Schedule: "nightly CRON_TZ=UTC 0 5 * * *", Slot: slot(9), Job: "nightly", State: "first_seen"}
	ok(t, l.RegisterSchedule(ctx, other, []string{other.Schedule}))
	last, _, err := l.ScheduleProgress(ctx, other.Schedule)
	ok(t, err)
	equal(t, "goes on", last.Slot, slot(2))
	beside := runs.CronOccurrence{Schedule: "nightly CRON_TZ=UTC 0 6 * * *", Slot: slot(9), Job: "nightly", State: "first_seen"}
	ok(t, l.RegisterSchedule(ctx, beside, []string{done.Schedule, other.Schedule, beside.Schedule}))
	last, _, err = l.ScheduleProgress(ctx, beside.Schedule)
	ok(t, err)
	equal(t, "begins anew", last.Slot, slot(9))
}
