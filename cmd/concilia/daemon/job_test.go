package daemon

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/schedule"
	"concilia/store/ledger"
)

// scheduledBeside wires the schedules of a daemon in this process, with jobs that ask the service at url.
func scheduledBeside(t *testing.T, url, clock string) *Schedules {
	t.Helper()
	path := filepath.Join(t.TempDir(), "concilia.yaml")
	text := fmt.Sprintf("ledger: {dsn: \"sqlite:%s\"}\nservice: {gateway_url: %q, integration_url: %q, user_name: u}\naccounts: [{number: 1001}]\n"+
		"reports: {formats: [csv], out: %q}\nschedule: [{job: nightly, cron: '30 5 * * *'}]\n",
		filepath.Join(filepath.Dir(path), "ledger.db"), url, url, filepath.Join(filepath.Dir(path), "reports"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"CONCILIA_SERVICE_PASSWORD": "secret", "CONCILIA_CLOCK": clock}
	proc := &wire.Process{
		ConfigPath: path, Stderr: io.Discard, Wall: time.Now, Lookup: func(name string) (string, bool) { v, ok := secrets[name]; return v, ok },
	}
	logger := zerolog.Nop()
	proc.Logger, proc.Meters = &logger, metrics.NewMeters()
	c, err := config.Load(path, proc.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSchedules(t.Context(), proc, c, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// occurrenceOf is one of a job, due at an instant.
func occurrenceOf(t *testing.T, job, slot string) schedule.Occurrence {
	t.Helper()
	at, err := time.Parse(time.RFC3339, slot)
	if err != nil {
		t.Fatal(err)
	}
	return schedule.Occurrence{Job: job, Slot: at, Trigger: "cron " + job}
}

// TestRepeatJob: what failed for want of the service or the target is repeated, as far as it is not done.
func TestRepeatJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, job string
		code      int
		summary   *jobs.Summary
		want      string
	}{
		{"a night with breaks did what it is for", "nightly", exit.Breaks, &jobs.Summary{}, ""},
		{"a window failed", "nightly", jobs.ExitIncomplete, &jobs.Summary{FailedWindows: []ledger.Pull{{}}}, "nightly"},
		{"nothing was answered", "nightly", jobs.ExitNothing, &jobs.Summary{Windows: 1, FailedWindows: []ledger.Pull{{}}}, "nightly"},
		{"the database went away", "nightly", jobs.ExitNothing, nil, "nightly"},
		{"only the target was away", "nightly", jobs.ExitNothing, &jobs.Summary{Gone: true}, "report"},
		{"the target, and a window", "nightly", jobs.ExitNothing, &jobs.Summary{Gone: true, FailedWindows: []ledger.Pull{{}}}, "nightly"},
		{"reports whose target was away", "report", jobs.ExitNothing, &jobs.Summary{Gone: true}, "report"},
		{"a configuration does not mend itself", "nightly", exit.Config, nil, ""},
	} {
		if got := repeatJob(c.job, c.code, c.summary); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

// TestJobOutcomes: whatever a job comes to is an outcome of its occurrence, and tells what there is to tell.
func TestJobOutcomes(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	asked := make(chan struct{}, 100)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hangs:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(service.Close)
	t.Cleanup(func() { close(hangs) })
	s := scheduledBeside(t, service.URL, "2026-11-18T06:00:00-03:00")

	lease, err := s.ledger.LeaseAccounts(t.Context(), "another", []ledger.Account{1001}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	night := occurrenceOf(t, "nightly", "2026-11-18T05:30:00-03:00")
	if out := s.RunOccurrence(t.Context(), night); !out.Busy || out.ExitCode != exit.Locked || !strings.Contains(out.Why, "held by run another") {
		t.Errorf("somebody else holds the account: %+v", out)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}

	// Told to end while the service lets it wait, it is interrupted, and its run is known.
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(fmt.Errorf("told to end: %w", context.Canceled)) }()
	if out := s.RunOccurrence(ctx, night); !out.Interrupted || out.Run == "" || out.ExitCode != exit.Interrupted {
		t.Errorf("told to end: %+v", out)
	}

	// A job that cannot be done is reported, too.
	for _, c := range []struct{ job, says string }{
		{"report", "was never reconciled"},
		{"check", "clean"},
	} {
		if out := s.RunOccurrence(t.Context(), occurrenceOf(t, c.job, "2026-11-18T05:30:00-03:00")); !strings.Contains(out.Why, c.says) || out.Interrupted {
			t.Errorf("%s: %+v", c.job, out)
		}
	}

	// A morning before that of the last reconcile is past.
	if out := s.RunOccurrence(t.Context(), occurrenceOf(t, "reconcile", "2026-11-18T05:30:00-03:00")); out.Skipped || out.Run == "" {
		t.Errorf("reconcile: %+v", out)
	}
	out := s.RunOccurrence(t.Context(), occurrenceOf(t, "reconcile", "2026-11-17T23:59:00-03:00"))
	if !out.Skipped || !strings.Contains(out.Why, "as of 2026-11-17 is past") {
		t.Errorf("a morning before: %+v", out)
	}
	if err := os.WriteFile(s.proc.ConfigPath, []byte("accounts: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.RunOccurrence(t.Context(), night); out.ExitCode != exit.Config || out.Why == "" {
		t.Errorf("a configuration that was broken meanwhile: %+v", out)
	}
}
