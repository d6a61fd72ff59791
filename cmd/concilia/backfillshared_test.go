//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/store/storetest"
)

// TestBackfillManyWorkers backfills alone, and with two worker processes of which one is killed while it has a list in
// hand: another takes the list up where it was left, no window is kept twice, and the ledger and its cases are the same.
func TestBackfillManyWorkers(t *testing.T) {
	built, s := machines(t)
	backfill := []string{"backfill", "--from", "2026-11-04", "--to", "2026-11-17", "--workers", "2"}

	alone := newBackfilled(t, built.concilia, s)
	if code, out := alone.run(t, backfill...); code != exit.Breaks {
		t.Fatalf("the backfill alone ended with %d:\n%s", code, out)
	}
	want := alone.remains(t)

	// Answers take a while, so that a list is long in hand.
	many := newBackfilled(t, built.concilia, behind(t, s, 150*time.Millisecond))
	// The process that leads has one pair of hands, so that lists are left for the others.
	led := append(backfill[:len(backfill)-1:len(backfill)-1], "1")
	victim, other := many.startWorker(t, "--parallel", "1"), many.startWorker(t, "--parallel", "1")
	run := many.start(t, led...)
	list := many.killInHand(t, victim)
	if code := run.wait(t); code != exit.Breaks {
		t.Fatalf("the backfill with workers ended with %d:\n%s", code, run.said())
	}
	many.onceInEffect(t)
	if diff := cmp.Diff(want, many.remains(t)); diff != "" {
		t.Errorf("alone (-) and with workers (+) differ:\n%s", diff)
	}
	by := many.units(t)
	for worker, n := range by {
		t.Logf("%s: %d units", worker, n)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(by)), func(w string) bool { return strings.HasPrefix(w, many.workerOf(t, other)) }) {
		t.Errorf("units by worker: %v: the one that lived took no part", by)
	}
	many.rows(t, "SELECT worker FROM unit WHERE kind = 'lane' AND CONCAT(account, ' ', what) = '"+list+"'", func(c []string) {
		if t.Logf("%s was ended by %s", list, c[0]); strings.HasPrefix(c[0], many.workerOf(t, victim)) {
			t.Errorf("the dead have ended %s", list)
		}
	})
}

// newBackfilled is newShared with the folder that a run which publishes nothing would leave out.
func newBackfilled(t *testing.T, program string, s *sandbox) *shared {
	t.Helper()
	m := newShared(t, program, storetest.FreshPostgres(t), s)
	if err := os.MkdirAll(filepath.Join(m.dir, "reports"), 0o750); err != nil {
		t.Fatal(err)
	}
	return m
}

// workerOf is how the name begins by which units know a process: before what tells it from one of another container.
func (m *shared) workerOf(t *testing.T, p *process) string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %d ", host, p.cmd.Process.Pid)
}

// killInHand kills the worker as soon as it has a list in hand, and names the list. It is halted first, so that the list
// is still in hand when it dies.
func (m *shared) killInHand(t *testing.T, p *process) string {
	t.Helper()
	signal := func(s syscall.Signal) {
		if err := p.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if m.inHand(t, p) == "" {
			continue
		}
		signal(syscall.SIGSTOP)
		if list := m.inHand(t, p); list != "" {
			signal(syscall.SIGKILL)
			return list
		}
		signal(syscall.SIGCONT)
	}
	t.Fatalf("a worker took no list:\n%s", p.said())
	return ""
}

// inHand is the account and the list that the worker has in hand, empty when there is none.
func (m *shared) inHand(t *testing.T, p *process) (list string) {
	t.Helper()
	m.rows(t, "SELECT CONCAT(account, ' ', what) FROM unit WHERE kind = 'lane' AND state = 'leased' AND worker LIKE '"+m.workerOf(t, p)+"%'",
		func(c []string) { list = c[0] })
	return list
}
