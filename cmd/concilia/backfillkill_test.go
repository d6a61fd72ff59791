package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// TestKillBackfill ends the built program with SIGKILL while a request is under way, again and again: each start goes on
// in the same run, and the ledger ends as an undisturbed one, cases and all. With CONCILIA_LONG=1 so do the files
// of the night behind it.
func TestKillBackfill(t *testing.T) {
	if raced {
		t.Skip("the race detector watches others on these paths")
	}
	t.Parallel()
	built := build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "9"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	quiet, torn := t.TempDir(), t.TempDir()
	undisturbed := newDoor(t, s)
	want := undisturbed.backfill(t, built, quiet, 0)
	whole := ledgerOf(t, quiet)
	cases := []string{"exceptions", "list", "--state", "pending,open,reopened,resolved", "--json"}
	_, found := runCommand(t, &undisturbed.sandbox, quiet, cases...)

	door := newDoor(t, s)
	var last backfilled
	for _, requests := range []int64{4, 11, 3, 17} {
		killed := door.backfill(t, built, torn, requests)
		if killed.Run != "" {
			t.Fatalf("the run ended before request %d", requests)
		}
	}
	last = door.backfill(t, built, torn, 0)
	if last.Run == "" || last.Pulled.New != want.Pulled.New {
		t.Errorf("killed, the backfill ends with %+v, undisturbed with %+v", last, want)
	}
	if d := cmp.Diff(whole, ledgerOf(t, torn)); d != "" {
		t.Errorf("undisturbed (-) and killed (+) the ledger holds:\n%s", d)
	}
	if runs := runsIn(t, torn, ledger.Backfill); len(runs) != 1 || !runs[0].Resumed {
		t.Errorf("the killed backfill is %d runs: %+v", len(runs), runs)
	}
	if _, again := runCommand(t, &door.sandbox, torn, cases...); found != again || found == "" {
		t.Errorf("undisturbed (-) and killed (+) the cases are:\n%s", cmp.Diff(found, again))
	}
	if os.Getenv("CONCILIA_LONG") != "1" {
		return
	}
	night(t, &undisturbed.sandbox, quiet)
	night(t, &door.sandbox, torn)
	if d := cmp.Diff(remains(t, &undisturbed.sandbox, quiet), remains(t, &door.sandbox, torn)); d != "" {
		t.Errorf("undisturbed (-) and killed (+) the night behind it leaves:\n%s", d)
	}
}

// door is what the program asks in place of the service: it counts what passes, and closes on a process at a request.
type door struct {
	sandbox
	passed atomic.Int64
	closes atomic.Int64 // the request at which; 0: never
	kill   atomic.Pointer[func()]
}

func newDoor(t *testing.T, s *sandbox) *door {
	t.Helper()
	behind, err := url.Parse(s.control)
	if err != nil {
		t.Fatal(err)
	}
	d := &door{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := d.closes.Load(); at > 0 && d.passed.Add(1) >= at {
			if kill := d.kill.Swap(nil); kill != nil {
				(*kill)()
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d.control, d.gateway, d.integration = s.control, strings.Replace(s.gateway, s.control, server.URL, 1), strings.Replace(s.integration, s.control, server.URL, 1)
	if !strings.HasPrefix(d.gateway, server.URL) {
		t.Fatalf("the service is at %s, not under %s", s.gateway, s.control)
	}
	return d
}

// backfilled is what a backfill says at its end; nothing when it was killed.
type backfilled struct {
	Run    string
	Pulled struct{ Requests, New int64 }
}

// backfill runs the built program over the whole range of the sandbox and kills it at a request; at 0 it lets it end.
func (d *door) backfill(t *testing.T, built binaries, dir string, at int64) (out backfilled) {
	t.Helper()
	runCommand(t, &d.sandbox, dir, "config", "check") // writes the configuration
	cmd := exec.Command(built.concilia, "--config", filepath.Join(dir, "concilia.yaml"), "--json", "--quiet", "backfill",
		"--from", "2026-09-19", "--to", "2026-11-17")
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK=2026-11-18T06:00:00-03:00")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	d.passed.Store(0)
	d.closes.Store(at)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = cmd.Process.Kill() }
	d.kill.Store(&kill)
	err := cmd.Wait()
	if at > 0 {
		if err == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("the backfill ended by itself: %v\n%s", err, stderr.String())
		}
		return out
	}
	if code := cmd.ProcessState.ExitCode(); code != exit.Breaks {
		t.Fatalf("the backfill ended with %d:\n%s", code, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, stdout.String())
	}
	return out
}

// openIn opens the ledger of a directory.
func openIn(t *testing.T, dir string) *store.Ledger {
	t.Helper()
	l, err := store.Open(t.Context(), "sqlite:"+filepath.ToSlash(dir)+"/concilia.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func runsIn(t *testing.T, dir string, kind ledger.RunKind) []*ledger.Run {
	t.Helper()
	runs, err := openIn(t, dir).Runs(t.Context(), runs.RunFilter{Kinds: []ledger.RunKind{kind}})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// ledgerOf hashes, account by account, every version of every row, and what is unreadable: by content, not by how it came.
func ledgerOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	l := openIn(t, dir)
	out := map[string]string{}
	for _, a := range []ledger.Account{1001, 1002} {
		h := sha256.New()
		n := 0
		err := l.Sales(t.Context(), a, func(s *ledger.Sale) error {
			for _, r := range s.Rows {
				for i := range r {
					n++
					fmt.Fprintf(h, "%s %x %d\n", r[i].Key().Subject(), r[i].Content, r[i].Version)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = l.Slips(t.Context(), a, func(s *ledger.Slip) error {
			var views []string
			for _, v := range s.Views {
				views = append(views, fmt.Sprintf("%s %s %x", v.List, v.ID, v.Content))
			}
			slices.Sort(views)
			n += len(views)
			fmt.Fprintln(h, views)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		bad, err := l.QuarantinedRows(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range bad {
			fmt.Fprintln(h, "unreadable", q.Day, q.Hash)
		}
		if n == 0 {
			t.Fatalf("account %s has no rows", a)
		}
		out[a.String()] = fmt.Sprintf("%d rows %x", n, h.Sum(nil))
	}
	return out
}
