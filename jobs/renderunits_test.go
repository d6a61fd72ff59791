//go:build unix

package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	archive "concilia/export/publish"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/jobs/queue"
	"concilia/jobs/setpublish"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/storetest"
)

// rendered is a merchant whose sets have all that numbers and order could disturb.
func rendered(t *testing.T) *merchant {
	t.Helper()
	m := newMerchant(t, world.Options{Seed: 91, Days: 10, Installments: 30, Plant: true}).askNear()
	m.bank()
	m.Reports.Formats = []report.Format{report.CSV, report.EDI}
	m.Reports.EDIProfile = "febraban"
	m.Target, m.IsTargetGone = newShare(m.Out), func(err error) bool { return errors.Is(err, errShareGone) }
	return m
}

// comes is what a night leaves on its share that does not name the run, and what its summary says of it.
func (m *merchant) comes(t *testing.T, s *jobs.Summary) map[string]string {
	t.Helper()
	out := jobstest.HashFiles(t, m.Out)
	for name := range out {
		// Control, the manifest and what seals it name the run.
		if base := filepath.Base(name); strings.HasPrefix(base, "control_") || strings.HasPrefix(base, "set_") {
			out[name] = "there"
		}
		if strings.Contains(name, "/.") || strings.HasPrefix(name, ".") {
			t.Errorf("%s was left", name)
		}
	}
	for i, f := range s.Files {
		rel, err := filepath.Rel(m.Out, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprintf("summary %03d", i)] = fmt.Sprint(rel, " ", f.Kind, f.Format, *f.Revision, f.New)
	}
	for i, set := range s.Record.Sets {
		out[fmt.Sprintf("record %03d", i)] = fmt.Sprintf("%+v", set)
	}
	for i, err := range s.Unpublished {
		out[fmt.Sprintf("unpublished %d", i)] = err.Error()
	}
	return out
}

// several is a night led by one worker while others stand by, on a ledger of a real Postgres.
type several struct {
	*merchant
	dsn string
}

func (m *merchant) several(t *testing.T) *several {
	t.Helper()
	n := &several{merchant: m, dsn: storetest.FreshPostgres(t)}
	var err error
	if m.Ledger, err = store.Open(t.Context(), n.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Ledger.Close() })
	m.Queue = n.river(t, "leader/1")
	return n
}

func (n *several) river(t *testing.T, name string) *queue.River {
	t.Helper()
	r, err := queue.OpenRiver(t.Context(), queue.RiverOptions{
		DSN: n.dsn, Ledger: n.Ledger, Group: "g", Worker: name, Parallel: func() int { return 1 }, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// helper starts a worker that sees an archive and has no target, until the test ends. advance hears of every set that it did.
func (n *several) helper(t *testing.T, name string, sees *archive.Archive, advance func()) {
	t.Helper()
	w, r := *n.Worker, n.river(t, name)
	w.Queue, w.Target, w.Archive, w.Progress = nil, nil, sees, advances{advance: advance}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- r.Work(ctx, w.NewRemoteWork()) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// renders are the units of sets by who did them.
func (n *several) renders(t *testing.T, run string) map[string]int {
	t.Helper()
	units, err := n.Ledger.Units(t.Context(), run, runs.UnitFilter{
		Accounts: []ledger.Account{n.Accounts[0].Number, n.Accounts[1].Number}, Kind: ledger.RenderUnit,
	})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int{}
	for _, u := range units {
		if u.State != ledger.UnitDone {
			t.Errorf("%s is %s: %s", u.String(), u.State, u.Failure)
		}
		by[u.Worker]++
	}
	return by
}

// take makes the ledger believe that another worker has taken over the sets that the worker is at, and fell silent.
func (n *several) take(t *testing.T, from string) {
	t.Helper()
	db, err := sql.Open("pgx", storetest.Unpooled(t, n.dsn))
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	_, err = db.ExecContext(context.WithoutCancel(t.Context()),
		`UPDATE unit SET worker = 'elsewhere/1', until = 1 WHERE kind = 'render' AND state = 'leased' AND worker = $1`, from)
	if err != nil {
		t.Error(err)
	}
}

// advances hears of every part that is done.
type advances struct {
	jobs.Silent
	advance func()
}

func (a advances) Advance(int) { a.advance() }

// afterWorker is a step of publishing that waits, the first time, until a worker has done a unit of sets or gave one back.
func (n *several) afterWorker(t *testing.T, worker string) func(string) error {
	var run string
	var once sync.Once
	n.Began = func(r *ledger.Run) { run = r.ID }
	return func(string) (err error) {
		once.Do(func() { err = n.awaitWorker(t, run, worker) })
		return err
	}
}

func (n *several) awaitWorker(t *testing.T, run, worker string) error {
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(20 * time.Millisecond) {
		units, err := n.Ledger.Units(t.Context(), run, runs.UnitFilter{Accounts: []ledger.Account{1001, 1002}, Kind: ledger.RenderUnit})
		if err != nil {
			return err
		}
		for _, u := range units {
			if u.State == ledger.UnitDone && u.Worker == worker || u.Failure != "" || u.Worker == "elsewhere/1" {
				return nil
			}
		}
	}
	return errors.New("the worker never came to a unit")
}

// TestSetsByWorkers: the sets of an account are rendered, proven and archived by any worker that sees the archive; the process
// that leads the run records and publishes them. What comes of it is what one process alone leaves, whatever happens to the
// workers.
func TestSetsByWorkers(t *testing.T) {
	t.Parallel()
	alone := rendered(t)
	want := alone.comes(t, alone.RunNight(t))
	if len(want) < 60 {
		t.Fatalf("%d files and lines: too few to prove anything", len(want))
	}
	for _, c := range []struct {
		name string
		// sees is the archive of the worker that works with the leader, which publishes nothing before the worker has come.
		sees func(t *testing.T, n *several) (a *archive.Archive, advance func())
		by   string // who did the units of sets; empty: the process that came first
		left string // what the run tells of it, in part
	}{
		{"a worker on the same archive does its part", func(_ *testing.T, n *several) (*archive.Archive, func()) {
			return n.Archive, func() {}
		}, "map[leader/1:1 there/1:1]", ""},
		{"a worker with another archive leaves the run's sets to others", func(t *testing.T, _ *several) (*archive.Archive, func()) {
			other := t.TempDir() + "/archive"
			t.Cleanup(func() {
				if files := jobstest.HashFiles(t, other); len(files) > 0 {
					t.Errorf("on the wrong disk: %v", files)
				}
			})
			return jobstest.NewArchive(t, other), func() {}
		}, "map[leader/1:2]", "there/1: this worker does not see the archive of run"},
		{"the unit of a worker that stood still and was taken over is done by another", func(t *testing.T, n *several) (*archive.Archive, func()) {
			var sets atomic.Int64
			return n.Archive, func() {
				if sets.Add(1) == 1 {
					n.take(t, "there/1")
				}
			}
		}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.left != "" {
				jobstest.Spare(t)
			}
			n := rendered(t).several(t)
			sees, advance := c.sees(t, n)
			n.helper(t, "there/1", sees, advance)
			n.Target = hookedTarget{newShare(n.Out), n.afterWorker(t, "there/1")}
			s := n.RunNight(t)
			if diff := cmp.Diff(want, n.comes(t, s)); diff != "" {
				t.Errorf("alone (-) and with a worker (+) differ:\n%s", diff)
			}
			if by := n.renders(t, s.Run); c.by != "" && fmt.Sprint(by) != c.by || by["there/1"]+by["leader/1"] != 2 {
				t.Errorf("sets by worker: %v, should be %s", by, c.by)
			}
			left, err := setpublish.ListLeftUnits(t.Context(), n.Ledger, s.Record)
			said := slices.ContainsFunc(left, func(why string) bool { return strings.Contains(why, c.left) })
			if err != nil || said == (c.left == "") || c.left == "" && len(left) > 0 {
				t.Errorf("the run tells of units left to others: %q, %v", left, err)
			}
			n.verified(t)
		})
	}
}

// TestWorkerOnACopyOfTheArchive: a worker that keeps files in a copy of the archive looks like one that sees it. The leader finds
// that the files are not there, publishes nothing of the account, and names both.
func TestWorkerOnACopyOfTheArchive(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	n := rendered(t).several(t)
	known, err := n.Ledger.ArchiveOf(t.Context())
	must(t, err)
	must(t, n.Archive.Begin(t.Context(), known.Ledger))
	must(t, n.Ledger.SetArchivePlace(t.Context(), n.Archive.Place()))
	elsewhere := jobstest.NewArchive(t, t.TempDir()+"/archive")
	must(t, elsewhere.Begin(t.Context(), known.Ledger))
	n.helper(t, "there/1", elsewhere, func() {})
	n.Target = hookedTarget{newShare(n.Out), n.afterWorker(t, "there/1")}
	s, err := n.Night(t.Context(), n.Today())
	must(t, err)
	host, err := os.Hostname()
	must(t, err)
	if s.ExitCode() != jobs.ExitNothing || len(s.Unpublished) != 1 {
		t.Fatalf("the night ends with %d and says %v", s.ExitCode(), s.Unpublished)
	}
	for _, part := range []string{"worker there/1", host + " does not find it", n.Archive.Place()} {
		if !strings.Contains(s.Unpublished[0].Error(), part) {
			t.Errorf("it says %q, without %q", s.Unpublished[0], part)
		}
	}
}
