package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
	"concilia/jobs/schedule"
	"concilia/store"
	"concilia/store/storetest"
)

// simulated is a daemon's schedules on a real ledger, on a clock that leaps whenever everybody waits.
type simulated struct {
	t      *testing.T
	ledger *store.Ledger
	now    func() time.Time
	zone   *time.Location
	takes  time.Duration // of a job
	did    []string      // triggers, as they begin
	mu     sync.Mutex
	out    schedule.Outcome
	hook   func(ctx context.Context, o schedule.Occurrence)
	rows   schedule.Rows // instead of the ledger's
}

// simulate runs fn in a bubble of time that begins at an instant.
func simulate(t *testing.T, begin string, fn func(s *simulated)) {
	t.Helper()
	dsn := storetest.FreshSQLite(t)
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, begin)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		shift := time.Until(at)
		s := &simulated{
			t: t, zone: zone, now: func() time.Time { return time.Now().Add(shift) }, takes: 10 * time.Minute,
			out: schedule.Outcome{Run: "r"},
		}
		if s.ledger, err = store.Open(t.Context(), dsn); err != nil {
			t.Fatal(err)
		}
		defer s.ledger.Close()
		fn(s)
	})
}

func (s *simulated) entry(job, cron string, missed schedule.Policy) schedule.Entry {
	s.t.Helper()
	spec, err := schedule.Parse(cron, s.zone)
	if err != nil {
		s.t.Fatal(err)
	}
	return schedule.Entry{Job: job, Spec: spec, Missed: missed, CatchUpDays: 7}
}

// start begins a daemon; stop tells it to end and waits for that.
func (s *simulated) start(entries ...schedule.Entry) (stop func()) {
	s.t.Helper()
	rows := s.rows
	if rows == nil {
		rows = OccurrenceRows{Ledger: s.ledger}
	}
	scheduler, err := schedule.New(schedule.Options{
		Entries: entries, Rows: rows, Now: s.now, Drain: 30 * time.Second, Do: s.do,
		OnError: func(err error) { s.t.Log(err) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		scheduler.Run(ctx)
	}()
	return func() { cancel(); <-ended }
}

// serve is a daemon that watches for a while.
func (s *simulated) serve(long time.Duration, entries ...schedule.Entry) {
	s.t.Helper()
	stop := s.start(entries...)
	time.Sleep(long)
	stop()
}

func (s *simulated) do(ctx context.Context, o schedule.Occurrence) schedule.Outcome {
	s.mu.Lock()
	s.did = append(s.did, o.Trigger)
	s.mu.Unlock()
	if s.hook != nil {
		s.hook(ctx, o)
	}
	timer := time.NewTimer(s.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		return s.out
	case <-ctx.Done():
		return schedule.Outcome{Interrupted: true, ExitCode: exit.Interrupted}
	}
}

// became lists what became of every slot, in the zone of the ledger's people.
func (s *simulated) became() []string {
	s.t.Helper()
	ticks, err := s.ledger.CronOccurrences(s.t.Context(), time.Time{}.AddDate(1, 0, 0))
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, k := range ticks {
		if k.State == schedule.FirstSeen {
			continue
		}
		why := ""
		if k.Why != "" {
			why = ": " + k.Why
		}
		out = append(out, fmt.Sprintf("%s %s %s%s", k.Slot.In(s.zone).Format("01-02 15:04"), k.Job, k.State, why))
	}
	return out
}

func (s *simulated) want(want ...string) {
	s.t.Helper()
	if d := cmp.Diff(want, s.became()); d != "" {
		s.t.Error(d)
	}
}

// TestScheduleWatched: what comes due while somebody watches is run when it is due, and a restart between changes nothing.
func TestScheduleWatched(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-17T22:00:00-03:00", func(s *simulated) {
		nightly := s.entry("nightly", "30 5 * * *", schedule.CatchUp)
		s.serve(9*time.Hour, nightly)
		s.serve(time.Hour, nightly)
		s.serve(24*time.Hour, nightly)
		s.want("11-18 05:30 nightly run", "11-19 05:30 nightly run")
		if d := cmp.Diff([]string{"cron nightly 2026-11-18T05:30-03:00", "cron nightly 2026-11-19T05:30-03:00"}, s.did); d != "" {
			t.Error(d)
		}
		ticks, err := s.ledger.CronOccurrences(s.t.Context(), s.now().AddDate(0, 0, -2))
		if err != nil || len(ticks) != 3 {
			t.Fatal(ticks, err)
		}
		k := ticks[1]
		if k.Run != "r" || !k.Begun.Equal(k.Slot) || k.Ended.Sub(k.Begun) != s.takes || k.Missed || k.Attempts != 1 || k.Host == "" {
			t.Errorf("its row: %+v", k)
		}
	})
}

// TestScheduleDowntime: what came due in three days without a daemon is handled by the policy, is accounted for either way,
// and so is what a daemon was never up for since it first saw its schedule.
func TestScheduleDowntime(t *testing.T) {
	t.Parallel()
	const missed = ": missed: no process was running"
	for _, c := range []struct {
		policy schedule.Policy
		days   int
		want   []string
	}{
		{schedule.CatchUp, 7, []string{"11-16 05:30 nightly caught_up", "11-17 05:30 nightly caught_up", "11-18 05:30 nightly caught_up"}},
		{schedule.CatchUp, 1, []string{
			"11-16 05:30 nightly skipped" + missed + ", and it is more than 1 days ago",
			"11-17 05:30 nightly skipped" + missed + ", and it is more than 1 days ago", "11-18 05:30 nightly caught_up",
		}},
		{schedule.Latest, 7, []string{
			"11-16 05:30 nightly skipped" + missed + ", and a later one is run in its place",
			"11-17 05:30 nightly skipped" + missed + ", and a later one is run in its place", "11-18 05:30 nightly caught_up",
		}},
		{schedule.Skip, 7, []string{
			"11-16 05:30 nightly skipped" + missed + ", and the policy is to skip",
			"11-17 05:30 nightly skipped" + missed + ", and the policy is to skip",
			"11-18 05:30 nightly skipped" + missed + ", and the policy is to skip",
		}},
	} {
		simulate(t, "2026-11-15T10:00:00-03:00", func(s *simulated) {
			nightly := s.entry("nightly", "30 5 * * *", c.policy)
			nightly.CatchUpDays = c.days
			s.serve(time.Minute, nightly)
			time.Sleep(71 * time.Hour) // until 18 November, 09:01
			s.serve(2*time.Hour, nightly)
			s.want(c.want...)
			for i := 1; i < len(s.did); i++ {
				if s.did[i] <= s.did[i-1] {
					t.Errorf("as-of went back: %s", s.did)
				}
			}
		})
	}
}

// TestScheduleSleeps: a machine that slept has watched nothing, though the process is the same.
func TestScheduleSleeps(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-15T10:00:00-03:00", func(s *simulated) {
		var leap atomic.Int64
		awake := s.now
		s.now = func() time.Time { return awake().Add(time.Duration(leap.Load())) }
		stop := s.start(s.entry("nightly", "30 5 * * *", schedule.CatchUp))
		time.Sleep(time.Hour)
		leap.Store(int64(48 * time.Hour))
		time.Sleep(time.Hour)
		stop()
		s.want("11-16 05:30 nightly caught_up", "11-17 05:30 nightly caught_up")
	})
}

// TestScheduleOverlap: an occurrence that finds the one before it running is skipped; of those that wait for another job
// the last is run.
func TestScheduleOverlap(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-18T05:01:00-03:00", func(s *simulated) {
		s.hook = func(ctx context.Context, o schedule.Occurrence) {
			if o.Job == "nightly" {
				time.Sleep(25 * time.Minute) // and then as long as any
			}
		}
		s.takes = time.Minute
		s.serve(60*time.Minute, s.entry("nightly", "30,40 5 * * *", schedule.CatchUp), s.entry("pull", "*/10 5 * * *", schedule.Skip))
		s.want(
			"11-18 05:10 pull run", "11-18 05:20 pull run", "11-18 05:30 nightly run",
			"11-18 05:30 pull skipped: it still waited for another job when the next one came due",
			"11-18 05:40 nightly skipped: the occurrence of 2026-11-18T05:30-03:00 was still running",
			"11-18 05:40 pull skipped: it still waited for another job when the next one came due",
			"11-18 05:50 pull run",
		)
	})
}

// TestScheduleRepeatsWhatFailed: what failed is repeated after the configured waits, each time from the end of the one before,
// as of its own day and by any process, until it succeeds, its waits are used up or the next night is due.
func TestScheduleRepeatsWhatFailed(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-18T23:30:00-03:00", func(s *simulated) {
		entry := s.entry("nightly", "50 23 * * *", schedule.CatchUp)
		entry.Retry = []time.Duration{10 * time.Minute, time.Hour}
		ends := []schedule.Outcome{
			{ExitCode: jobs.ExitIncomplete, RepeatJob: "nightly"},
			{ExitCode: jobs.ExitNothing, RepeatJob: "report"},
			{ExitCode: exit.OK},
			{ExitCode: jobs.ExitIncomplete, RepeatJob: "nightly"},
			{ExitCode: jobs.ExitIncomplete, RepeatJob: "nightly"},
			{ExitCode: jobs.ExitIncomplete, RepeatJob: "nightly"},
			{ExitCode: jobs.ExitIncomplete, RepeatJob: "nightly"},
			{},
		}
		var slots []string
		s.hook = func(_ context.Context, o schedule.Occurrence) {
			slots = append(slots, o.Slot.In(s.zone).Format("01-02 15:04")+" "+o.Job)
			s.out, ends = ends[0], ends[1:]
		}
		s.serve(35*time.Minute, entry) // another process repeats
		s.serve(48*time.Hour, entry)
		s.want(
			"11-18 23:50 nightly run",
			"11-19 00:10 nightly run: repeats 2026-11-18T23:50-03:00, which ended with 30",
			"11-19 01:20 report run: repeats 2026-11-18T23:50-03:00, which ended with 50",
			"11-19 23:50 nightly run",
			"11-20 00:10 nightly run: repeats 2026-11-19T23:50-03:00, which ended with 30",
			"11-20 01:20 nightly run: repeats 2026-11-19T23:50-03:00, which ended with 30",
			"11-20 23:50 nightly run",
		)
		want := []string{
			"11-18 23:50 nightly", "11-18 23:50 nightly", "11-18 23:50 report", "11-19 23:50 nightly", "11-19 23:50 nightly",
			"11-19 23:50 nightly", "11-20 23:50 nightly",
		}
		if d := cmp.Diff(want, slots); d != "" {
			t.Errorf("jobs as of days: %s", d)
		}
	})
	simulate(t, "2026-11-18T05:10:00-03:00", func(s *simulated) {
		entry := s.entry("pull", "30 5-8 * * *", schedule.Skip)
		entry.Retry = []time.Duration{2 * time.Hour}
		s.out = schedule.Outcome{ExitCode: jobs.ExitIncomplete, RepeatJob: "pull"}
		s.serve(7*time.Hour, entry)
		s.want("11-18 05:30 pull run", "11-18 06:30 pull run", "11-18 07:30 pull run", "11-18 08:30 pull run",
			"11-18 10:40 pull run: repeats 2026-11-18T08:30-03:00, which ended with 30")
	})
}

// TestScheduleDST: on the days on which clocks are turned every night is run once.
func TestScheduleDST(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, begin, cron, want string }{
		{
			"New York jumps over it", "2026-03-08T01:00:00-05:00", "CRON_TZ=America/New_York 30 2 * * *",
			"03-08 04:00 nightly run: there is no 02:30 that day in America/New_York: clocks jump from 02:00 to 03:00",
		},
		{"New York shows it twice", "2026-11-01T00:00:00-04:00", "CRON_TZ=America/New_York 30 1 * * *", "11-01 02:30 nightly run"},
		{
			"São Paulo jumps over midnight", "2018-11-03T23:00:00-03:00", "0 0 * * *",
			"11-04 01:00 nightly run: there is no 00:00 that day in America/Sao_Paulo: clocks jump from 00:00 to 01:00",
		},
		{"São Paulo shows 23:30 twice", "2018-02-17T22:00:00-02:00", "30 23 * * *", "02-17 23:30 nightly run"},
	} {
		simulate(t, c.begin, func(s *simulated) {
			s.serve(5*time.Hour, s.entry("nightly", c.cron, schedule.CatchUp))
			if d := cmp.Diff([]string{c.want}, s.became()); d != "" {
				t.Errorf("%s: %s", c.says, d)
			}
		})
	}
}

// TestScheduleOnStart: a start adds one occurrence, but not if another is due or runs.
func TestScheduleOnStart(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-18T04:00:00-03:00", func(s *simulated) {
		nightly := s.entry("nightly", "30 5 * * *", schedule.Skip)
		nightly.OnStart = true
		s.serve(20*time.Minute, nightly)
		time.Sleep(70*time.Minute + 30*time.Second) // until 05:30:30
		s.serve(20*time.Minute, nightly)
		s.want("11-18 04:00 nightly run: at start", "11-18 05:30 nightly run", "11-18 05:30 nightly skipped: at start, and another one was due")
	})
}

// TestScheduleChanged: other times go on where the old ones ended, so that no night falls between them.
func TestScheduleChanged(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-17T05:00:00-03:00", func(s *simulated) {
		s.serve(time.Hour, s.entry("nightly", "30 5 * * *", schedule.CatchUp))
		time.Sleep(23*time.Hour + 15*time.Minute) // until 05:15
		s.serve(time.Hour, s.entry("nightly", "0 5 * * *", schedule.CatchUp), s.entry("pull", "0 4 * * *", schedule.CatchUp))
		s.want("11-17 05:30 nightly run", "11-18 05:00 nightly caught_up")
	})
}

// failing are rows of a process that is dead, or cut off from its ledger.
type failing struct {
	schedule.Rows
	dead atomic.Bool
}

var errDead = errors.New("dead")

// End and Renew fail once the process is dead.

func (f *failing) End(ctx context.Context, row schedule.Row) error {
	if f.dead.Load() {
		return errDead
	}
	return f.Rows.End(ctx, row)
}

func (f *failing) Renew(ctx context.Context, row schedule.Row) (bool, error) {
	if f.dead.Load() {
		return false, errDead
	}
	return f.Rows.Renew(ctx, row)
}

// TestScheduleKilled: what was begun by a process that died is taken again, before what came due since; one that kills
// every process is given up after the fifth.
func TestScheduleKilled(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-17T05:00:00-03:00", func(s *simulated) {
		nightly := s.entry("nightly", "30 5 * * *", schedule.CatchUp)
		kill := func() {
			f := &failing{Rows: OccurrenceRows{Ledger: s.ledger}}
			s.rows = f
			stop := s.start(nightly)
			time.Sleep(35 * time.Minute)
			f.dead.Store(true)
			stop()
			s.rows = nil
		}
		kill()
		s.want("11-17 05:30 nightly running")
		time.Sleep(48 * time.Hour)
		s.serve(2*time.Hour, nightly)
		s.want("11-17 05:30 nightly run: run again: its process had ended", "11-18 05:30 nightly caught_up", "11-19 05:30 nightly caught_up")

		time.Sleep(22 * time.Hour) // until 05:36 and a little
		s.takes = time.Hour
		for range 5 {
			kill()
			time.Sleep(time.Minute)
		}
		s.takes = time.Minute
		s.serve(10*time.Minute, nightly)
		got := s.became()
		if last := got[len(got)-1]; !strings.HasPrefix(last, "11-20 05:30 nightly skipped") || !strings.Contains(last, "died 5 times") {
			t.Error(last)
		}
	})
}

// TestScheduleDrains: told to end, a job that ends soon may end; one that does not is interrupted and put back, and the
// next daemon takes it again at once.
func TestScheduleDrains(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-17T05:00:00-03:00", func(s *simulated) {
		nightly := s.entry("nightly", "30 5 * * *", schedule.CatchUp)
		s.takes = 40 * time.Second
		s.serve(30*time.Minute+20*time.Second, nightly)
		s.want("11-17 05:30 nightly run")

		time.Sleep(23*time.Hour + 45*time.Minute)
		s.takes = 10 * time.Minute
		s.serve(15*time.Minute, nightly)
		s.want("11-17 05:30 nightly run", "11-18 05:30 nightly running")
		s.serve(15*time.Minute, nightly)
		s.want("11-17 05:30 nightly run", "11-18 05:30 nightly run")
		ticks, err := s.ledger.CronOccurrences(s.t.Context(), s.now().Add(-time.Hour))
		if err != nil || ticks[0].Attempts != 1 {
			t.Errorf("being told to end counts as a death: %+v, %v", ticks, err)
		}
	})
}

// TestScheduleBusy: somebody else's run is waited for, half the time to the next occurrence at most; a job that panics is
// an outcome.
func TestScheduleBusy(t *testing.T) {
	t.Parallel()
	simulate(t, "2026-11-17T05:00:00-03:00", func(s *simulated) {
		s.takes = 0
		s.out = schedule.Outcome{Busy: true, Why: "account 1001 is held", ExitCode: exit.Locked}
		free := s.now().Add(90 * time.Minute)
		s.hook = func(context.Context, schedule.Occurrence) {
			if s.now().After(free) {
				s.out = schedule.Outcome{Run: "r", Why: "breaks", ExitCode: exit.Breaks}
			}
		}
		s.serve(12*time.Hour, s.entry("pull", "CRON_TZ=UTC 10,40 8 17 11 *", schedule.CatchUp), s.entry("nightly", "30 5 * * *", schedule.CatchUp))
		s.want("11-17 05:10 pull skipped: account 1001 is held", "11-17 05:30 nightly run: breaks",
			"11-17 05:40 pull run: breaks")

		s.hook = func(context.Context, schedule.Occurrence) { panic("of all things") }
		time.Sleep(12 * time.Hour)
		s.serve(time.Hour, s.entry("nightly", "30 5 * * *", schedule.CatchUp))
		got := s.became()
		if last := got[len(got)-1]; last != "11-18 05:30 nightly run: internal error: a panic of type string" {
			t.Error(last)
		}
	})
}
