package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/store"
	"concilia/store/ledger"
)

// TestRefusedRunWasNotKilled: a night whose credentials were refused does not look like one that was killed, days
// later; the alarm on the exit code sees it, and the next night takes it up.
func TestRefusedRunWasNotKilled(t *testing.T) {
	t.Parallel()
	h := newWatchedHouse(t, "")
	says := func(what, want string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), h.environment(&stdout, &stderr, args...)); code != exit.OK {
			t.Fatalf("%s: exit %d: %s", what, code, stderr.String())
		}
		if out := strings.Join(strings.Fields(stdout.String()), " "); !strings.Contains(out, want) ||
			strings.Contains(strings.ReplaceAll(out, "killed or stopped", ""), "killed") {
			t.Errorf("%s: does not say %q, or that it was killed:\n%s", what, want, stdout.String())
		}
	}
	h.down.Store(true)
	h.want(exit.Config, "run")
	says("the list", "stopped 40", "runs", "list")
	says("as JSON", `"state":"stopped"`, "runs", "list", "--json")
	says("with its code", `"exit_code":40`, "runs", "list", "--json")
	says("the record", "stopped with exit 40: configuration, or refused credentials", "runs", "show", "last")
	says("the screen", "stopped with exit 40: configuration, or refused credentials", "status")
	h.exitMetric(exit.Config)
	h.down.Store(false)
	h.want(exit.Breaks, "run")
	says("taken up", "taken up the process that began it was killed or stopped", "runs", "show", "last")
	h.exitMetric(exit.Breaks)
}

// exitMetric scrapes the exit code of the last night.
func (h *watchedHouse) exitMetric(want float64) {
	h.t.Helper()
	m := metrics.NewMeters()
	m.RegisterLedger(&metrics.Ledger{
		Accounts: []ledger.Account{1001}, Now: h.world.Now, Wall: time.Now, Zone: time.UTC, Log: zerolog.Nop(),
		Open: func(ctx context.Context) (*store.Ledger, error) {
			return store.Open(ctx, "sqlite:"+h.path("ledger.db"))
		},
	})
	server := httptest.NewServer((&metrics.Listener{Meters: m, Log: zerolog.Nop()}).NewHandler())
	defer server.Close()
	if got, ok := scrape(h.t, server.URL).value(`concilia_run_exit_code{kind="nightly"}`); !ok || got != want {
		h.t.Errorf("the exit code is scraped as %v (%v), not %v", got, ok, want)
	}
}

// TestLeftRunWasNotKilled: a backfill that was told to ask no more for now has stopped.
func TestLeftRunWasNotKilled(t *testing.T) {
	t.Parallel()
	h := newWatchedHouse(t, "")
	h.want(30, "backfill", "--from", "2026-11-08", "--to", "2026-11-17", "--max-requests", "2")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), h.environment(&stdout, &stderr, "runs", "show", "last")); code != exit.OK ||
		!strings.Contains(stdout.String(), "stopped with exit 30: incomplete") {
		t.Errorf("exit %d: %s%s", code, stdout.String(), stderr.String())
	}
}
