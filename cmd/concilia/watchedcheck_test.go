package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/alertstest"
	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/config"
	"concilia/jobs/casework"
	"concilia/jobs/schedule"
	"concilia/store/sqldb"

	"github.com/rs/zerolog"
)

// TestWatchedCheck: a check that a schedule starts is reported as any run is: of a clean ledger with pings alone, of one with
// faults as an alert, too, and one that cannot be made as a failure.
func TestWatchedCheck(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the occurrences of serve")
	}
	h := newWatchedHouse(t, watchedYAML+"schedule: [{job: check, cron: '0 12 * * 6'}]\n")
	h.want(exit.Breaks, "run", "--quiet")
	h.TakeRequests()
	said := &tape{}
	g := &newInvocation(h.environment(said, said)).Process
	g.ConfigPath = h.path("concilia.yaml")
	logger := zerolog.New(said)
	g.Logger, g.Meters = &logger, metrics.NewMeters()
	c, err := config.Load(g.ConfigPath, g.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	s, err := daemon.OpenSchedules(t.Context(), g, c, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	spoil := func(query string) func() {
		return func() {
			db, err := sqldb.Open(t.Context(), "sqlite:"+h.path("ledger.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if _, err := db.Write.ExecContext(t.Context(), query); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		because string
		before  func()
		code    int
		told    string
		alert   string
	}{
		{"a clean ledger", func() {}, exit.OK, "GET /s3cret-start, GET /s3cret-ok", ""},
		{
			"an amount was changed behind its back", spoil("UPDATE installment SET gross = gross + 1 WHERE version = 1"), exit.Breaks,
			"GET /s3cret-start, POST /s3cret-incomplete, GET /s3cret-ok", "the check of the ledger found faults, ",
		},
		{
			"nobody can open it", func() {
				if err := os.WriteFile(h.path("ledger.db"), bytes.Repeat([]byte("x"), 8192), 0o600); err != nil {
					t.Fatal(err)
				}
			}, exit.Unreachable, "POST /s3cret-incomplete, POST /s3cret-fail?code=50", "the run did not come to its end: ",
		},
	} {
		row.before()
		out := s.RunOccurrence(t.Context(), schedule.Occurrence{
			Job: "check", Slot: time.Date(2026, 11, 18, 15, 0, 0, 0, time.UTC), Trigger: "cron check",
		})
		if out.ExitCode != row.code {
			t.Errorf("%s: %+v, want exit %d", row.because, out, row.code)
		}
		heard := h.takeTold()
		if got := alertstest.JoinLines(heard); got != row.told {
			t.Errorf("%s is told as %s, want %s", row.because, got, row.told)
			continue
		}
		for _, one := range heard {
			if strings.HasSuffix(one.Line, "/s3cret-incomplete") {
				var alarm casework.Alarm
				if err := json.Unmarshal([]byte(one.Body), &alarm); err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(alarm.Text, row.alert) || alarm.On != casework.OnIncomplete || alarm.AsOf == 0 {
					t.Errorf("%s: the alert says %s", row.because, one.Body)
				}
			}
		}
	}
}
