package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/jobs/schedule"
	"concilia/store"
	"concilia/store/runs"
	"concilia/store/storetest"
)

// TestScheduleReplicas: several daemons on one ledger run every slot once between them, and leave none out.
func TestScheduleReplicas(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		replicas(t, storetest.FreshSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		replicas(t, storetest.FreshPostgres(t))
	})
}

func replicas(t *testing.T, dsn string) {
	t.Helper()
	const daemons = 3
	var mu sync.Mutex
	did := map[string]int{}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var ledgers []*store.Ledger
	for range daemons {
		l, err := store.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, _, err := l.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		ledgers = append(ledgers, l)
		spec, err := schedule.Parse("@every 1s", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.New(schedule.Options{
			Entries: []schedule.Entry{{Job: "pull", Spec: spec, Missed: schedule.CatchUp, CatchUpDays: 1}},
			Rows:    daemon.OccurrenceRows{Ledger: l}, Now: time.Now, Drain: time.Minute,
			Do: func(_ context.Context, o schedule.Occurrence) schedule.Outcome {
				mu.Lock()
				defer mu.Unlock()
				did[o.Trigger]++
				return schedule.Outcome{Run: "r"}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { s.Run(ctx) })
	}
	enough := func() bool { mu.Lock(); defer mu.Unlock(); return len(did) >= 4 }
	for range 2400 {
		if enough() {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	all.Wait()
	ticks, err := ledgers[0].CronOccurrences(t.Context(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, k := range ticks[1:] { // the first is where its account begins
		if i > 0 && k.Slot.Sub(ticks[i].Slot) != time.Second {
			t.Errorf("after %s comes %s", ticks[i].Slot, k.Slot)
		}
		if k.State == schedule.Ran || k.State == schedule.CaughtUp {
			ran++
		} else if k.State != schedule.Skipped {
			t.Errorf("%+v", k)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for trigger, times := range did {
		if times != 1 {
			t.Errorf("%s was run %d times", trigger, times)
		}
	}
	if ran != len(did) || ran < 4 {
		t.Errorf("%d slots are told to have been run, and %d were: %v", ran, len(did), ticks)
	}
}

// servingProcess is a running process of serve.
type servingProcess struct {
	cmd  *exec.Cmd
	said *tape
}

func startDaemon(t *testing.T, binary, dir string) *servingProcess {
	t.Helper()
	d := &servingProcess{cmd: exec.Command(binary, "serve"), said: &tape{}}
	d.cmd.Dir = dir
	d.cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK=2026-11-18T06:00:00-03:00")
	d.cmd.Stderr = d.said
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	return d
}

// TestServeNights starts nights by the clock with the built program, which takes no notifications then. Killed in the
// middle of one, the next process takes it up under its own name; told to end, it ends 0.
func TestServeNights(t *testing.T) {
	t.Parallel()
	built := build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "9", "--days", "12"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	dir := t.TempDir()
	small := strings.NewReplacer("reports: {", "reports: {formats: [csv], ", "since: 2026-09-19", "since: 2026-11-06").Replace(testConfig)
	config := fmt.Sprintf(small, filepath.ToSlash(dir), s.gateway, s.integration) +
		"metrics: {listen: \"127.0.0.1:0\"}\nschedule:\n" +
		"  - {job: nightly, cron: \"@every 5s\", on_start: true}\n  - {job: check, cron: \"@every 7s\"}\n"
	if err := os.WriteFile(filepath.Join(dir, "concilia.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}

	d := startDaemon(t, built.concilia, dir)
	d.said.wait(t, `"step":"pull"`)
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = d.cmd.Wait() // killed on purpose
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "concilia.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ticks := func() []runs.CronOccurrence {
		t.Helper()
		all, err := l.CronOccurrences(t.Context(), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := ticks()[len(ticks())-1]
	for _, k := range ticks() {
		if k.State == schedule.Running {
			first = k
		}
	}
	if first.State != schedule.Running || first.Alive || first.Job != "nightly" {
		t.Fatalf("after it was killed: %+v\n%s", first, d.said)
	}

	d = startDaemon(t, built.concilia, dir)
	d.said.wait(t, `"task":"check"`)
	d.said.wait(t, `"occurrence run"`)
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("told to end, it ended with %v: %s", err, d.said)
	}
	for _, k := range ticks() {
		if !k.Slot.Equal(first.Slot) || k.Job != "nightly" {
			continue
		}
		first = k
	}
	if first.State != schedule.Ran || first.Attempts != 2 || first.ExitCode != exit.Breaks || !strings.Contains(first.Why, "run again") {
		t.Errorf("what was begun by the process that was killed became %+v\n%s", first, d.said)
	}
	run, err := l.RunByID(t.Context(), first.Run)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(run.Trigger, "cron nightly 2026-11-18T06:00") || run.AsOf.String() != "2026-11-18" || run.ExitCode != exit.Breaks {
		t.Errorf("its run: %+v", run)
	}
	if strings.Contains(d.said.String(), demoPassword) {
		t.Error("the password is in the log")
	}
	if _, err := os.Stat(filepath.Join(dir, "concilia-inbox.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a daemon that takes no notifications has an inbox: %v", err)
	}
}
