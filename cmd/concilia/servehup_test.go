//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
)

// TestServeHangup: SIGHUP ends serve in good order, as SIGTERM does, for whatever starts it again with what the
// configuration says by then. Under nohup, which ignores the signal, it goes on with its jobs.
func TestServeHangup(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the program is another process")
	}
	// A process started by one that ignores SIGHUP, say a test run under nohup, ignores it too, but not if it is caught there.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	built := build(t)
	for _, row := range []struct{ because, before string }{
		{"sent to a daemon", ""},
		{"sent to one that nohup started", "trap '' HUP; "},
	} {
		h := newWatchedHouse(t, "schedule: [{job: check, cron: '@every 1s', missed: skip}]\nmetrics: {listen: \"127.0.0.1:0\"}\nlog: {format: json}\n")
		h.want(exit.OK, "migrate")
		log, err := os.Create(h.path("log"))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		cmd := exec.Command("/bin/sh", "-c", row.before+`exec "$0" "$@"`, built.concilia, "--config", h.path("concilia.yaml"), "serve")
		cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword)
		cmd.Stderr = log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it has ended, mostly
			_ = cmd.Wait()
		})
		said := func() string {
			text, err := os.ReadFile(log.Name())
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		begun := func(n int) {
			t.Helper()
			for since := time.Now(); strings.Count(said(), "occurrence begins") < n; time.Sleep(50 * time.Millisecond) {
				if time.Since(since) > patience {
					t.Fatalf("%s: it has not begun %d jobs:\n%s", row.because, n, said())
				}
			}
		}
		begun(1)
		ends := syscall.SIGHUP
		if row.before != "" {
			if err := cmd.Process.Signal(ends); err != nil {
				t.Fatal(err)
			}
			begun(strings.Count(said(), "occurrence begins") + 2)
			ends = syscall.SIGTERM
		}
		if err := cmd.Process.Signal(ends); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		err = cmd.Wait()
		late.Stop()
		if err != nil || !strings.Contains(said(), `"message":"ended"`) {
			t.Errorf("%s: told to end by %s: %v\n%s", row.because, ends, err, said())
		}
	}
}
