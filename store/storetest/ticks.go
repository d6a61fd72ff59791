package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/runs"
)

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
	if !last.IsZero() || running != nil {
		t.Fatalf("of a schedule nobody knows: %v, %v", last, running)
	}

	// It is known from where it was seen first, and stays.
	known := runs.CronOccurrence{Schedule: nightly, Slot: slot(0).Add(-time.Hour), Job: "nightly", State: "first_seen"}
	ok(t, l.RegisterSchedule(ctx, known, []string{nightly}))
	known.Slot = slot(0)
	ok(t, l.RegisterSchedule(ctx, known, []string{nightly}))
	last, _, err = l.ScheduleProgress(ctx, nightly)
	ok(t, err)
	equal(t, "known since", last, slot(0).Add(-time.Hour))

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
	equal(t, "last", last, slot(0))
	equal(t, "alive", running.Alive, true)
	mine, err = l.TakeOverOccurrence(ctx, *running, slot(0).Add(time.Minute), time.Hour)
	ok(t, err)
	equal(t, "one that lives is taken", mine, false)

	// Put back it is nobody's, and one of many takes it again.
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
	ok(t, l.EndOccurrence(ctx, done))
	var skipped []runs.CronOccurrence
	for n := range 3 {
		skipped = append(skipped, runs.CronOccurrence{
			Schedule: done.Schedule, Slot: slot(n), Job: "nightly", State: "skipped", Missed: true, Why: "missed",
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

	// Another schedule of the job goes on where one ended that is configured no more, and begins anew beside one that is.
	other := runs.CronOccurrence{Schedule: "nightly CRON_TZ=UTC 0 5 * * *", Slot: slot(9), Job: "nightly", State: "first_seen"}
	ok(t, l.RegisterSchedule(ctx, other, []string{other.Schedule}))
	last, _, err := l.ScheduleProgress(ctx, other.Schedule)
	ok(t, err)
	equal(t, "goes on", last, slot(2))
	beside := runs.CronOccurrence{Schedule: "nightly CRON_TZ=UTC 0 6 * * *", Slot: slot(9), Job: "nightly", State: "first_seen"}
	ok(t, l.RegisterSchedule(ctx, beside, []string{done.Schedule, other.Schedule, beside.Schedule}))
	last, _, err = l.ScheduleProgress(ctx, beside.Schedule)
	ok(t, err)
	equal(t, "begins anew", last, slot(9))
}
