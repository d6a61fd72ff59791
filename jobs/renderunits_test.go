//go:build unix

package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/queue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/storetest"
)

// hooked is a share whose calls a test hears of before they are made; an error ends the call.
type hooked struct {
	shareTarget
	staged func()
	put    func(name string) error
}

func (h hooked) Stage(ctx context.Context) (string, func(), error) {
	if h.staged != nil {
		h.staged()
	}
	return h.shareTarget.Stage(ctx)
}

func (h hooked) Put(ctx context.Context, name, local string) error {
	if h.put != nil {
		if err := h.put(name); err != nil {
			return err
		}
	}
	return h.shareTarget.Put(ctx, name, local)
}

// rendered is a merchant whose sets have all that numbers and order could disturb.
func rendered(t *testing.T) *merchant {
	t.Helper()
	m := newMerchant(t, world.Options{Seed: 91, Days: 10, Installments: 30, Plant: true})
	m.bank()
	m.Reports.Formats = []report.Format{report.CSV, report.EDI}
	m.Reports.EDIProfile = "febraban"
	m.Target, m.TargetGone = newShare(m.out), func(err error) bool { return errors.Is(err, errShareGone) }
	return m
}

// comes is what a night leaves on its share that does not name the run, and what its summary says of it.
func (m *merchant) comes(t *testing.T, s *jobs.Summary) map[string]string {
	t.Helper()
	out := hashes(t, m.out)
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
		rel, err := filepath.Rel(m.out, f.Path)
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

func (m *merchant) several(t *testing.T, server string) *several {
	t.Helper()
	n := &several{merchant: m, dsn: storetest.Schema(t, server)}
	var err error
	if m.Ledger, err = store.Open(t.Context(), n.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Ledger.Close() })
	if _, _, err := m.Ledger.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
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

// helper starts a worker that publishes to a target, until the test ends.
func (n *several) helper(t *testing.T, name string, target jobs.Target) {
	t.Helper()
	w, r := *n.Worker, n.river(t, name)
	w.Queue, w.Target = nil, target
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
	db, err := sql.Open("pgx", strings.Replace(n.dsn, "pool_max_conns=8&", "", 1))
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

// gate opens once.
type gate struct {
	once sync.Once
	open chan struct{}
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) pass() { g.once.Do(func() { close(g.open) }) }

// wait lets nobody through before the gate is open.
func (g *gate) wait(t *testing.T) error {
	select {
	case <-g.open:
		return nil
	case <-t.Context().Done():
	case <-time.After(2 * time.Minute):
		t.Error("nobody else came to publish")
	}
	return errors.New("nobody came")
}

// TestSetsByWorkers: the sets of an account are rendered, proven and published by any worker that sees the share, once in
// effect; what comes of it is what one process alone leaves, whatever happens to the workers.
func TestSetsByWorkers(t *testing.T) {
	t.Parallel()
	server := storetest.Postgres(t)
	alone := rendered(t)
	want := alone.comes(t, alone.night(t))
	if len(want) < 60 {
		t.Fatalf("%d files and lines: too few to prove anything", len(want))
	}
	for _, c := range []struct {
		name string
		// there makes the target of the worker beside the leader, which publishes nothing before it hears of the worker.
		there func(t *testing.T, n *several, seen *gate) jobs.Target
		helps bool   // the worker did sets
		left  string // what the run tells of it, in part
	}{
		{"a worker on the same share does its part", func(_ *testing.T, n *several, seen *gate) jobs.Target {
			return hooked{shareTarget: newShare(n.out), put: func(string) error { seen.pass(); return nil }}
		}, true, ""},
		{"a worker on another disk leaves the run's files to others", func(t *testing.T, _ *several, seen *gate) jobs.Target {
			other := t.TempDir()
			t.Cleanup(func() {
				if files := hashes(t, other); len(files) > 0 {
					t.Errorf("on the wrong disk: %v", files)
				}
			})
			return hooked{shareTarget: newShare(other), staged: seen.pass}
		}, false, "there/1: this worker does not see the share of run"},
		{"a worker whose share goes away in the middle of a set gives the account back", func(_ *testing.T, n *several, seen *gate) jobs.Target {
			var puts atomic.Int64
			return hooked{shareTarget: newShare(n.out), put: func(string) error {
				if seen.pass(); puts.Add(1) > 3 {
					return errShareGone
				}
				return nil
			}}
		}, false, "the target takes nothing of this worker"},
		{"a worker that stood still and was taken over publishes nothing more", func(t *testing.T, n *several, seen *gate) jobs.Target {
			var puts atomic.Int64
			t.Cleanup(func() {
				if n := puts.Load(); n != 2 {
					t.Errorf("%d files put, want 2", n)
				}
			})
			return hooked{shareTarget: newShare(n.out), put: func(string) error {
				if puts.Add(1) == 2 {
					n.take(t, "there/1")
				}
				seen.pass()
				return nil
			}}
		}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !c.helps {
				spare(t)
			}
			n := rendered(t).several(t, server)
			seen := newGate()
			n.helper(t, "there/1", c.there(t, n, seen))
			n.Target = hooked{shareTarget: newShare(n.out), put: func(string) error { return seen.wait(t) }}
			s := n.night(t)
			if diff := cmp.Diff(want, n.comes(t, s)); diff != "" {
				t.Errorf("alone (-) and with a worker (+) differ:\n%s", diff)
			}
			if by := n.renders(t, s.Run); (by["there/1"] > 0) != c.helps || by["there/1"]+by["leader/1"] != 2 {
				t.Errorf("sets by worker: %v", by)
			}
			left, err := n.LeftUnits(t.Context(), s.Record)
			said := slices.ContainsFunc(left, func(why string) bool { return strings.Contains(why, c.left) })
			if err != nil || said == (c.left == "") || c.left == "" && len(left) > 0 {
				t.Errorf("the run tells of units left to others: %q, %v", left, err)
			}
			if v, err := export.Verify(t.Context(), n.out); err != nil || len(v.Faults) > 0 {
				t.Error(v.Faults, err)
			}
		})
	}
}
