package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"concilia/config"
	"concilia/jobs/casework"
	"concilia/store/sqldb"

	"github.com/rs/zerolog"
)

// TestWatchedCheck: a check that a schedule starts is told as any run is: of a clean ledger with pings alone, of one with
// faults as an alert, too, and one that cannot be made as a failure.
func TestWatchedCheck(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the occurrences of serve")
	}
	h := newWatchedHouse(t, watchedYAML+"schedule: [{job: check, cron: '0 12 * * 6'}]\n")
	h.want(exitBreaks, "run", "--quiet")
	h.since()
	said := &tape{}
	g := &globals{config: h.path("concilia.yaml"), environment: h.environment(said, said)}
	logger := zerolog.New(said)
	g.daemon, g.meters = &logger, newMeters()
	c, err := config.Load(g.config, g.lookup)
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.newSchedules(t.Context(), c, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
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
		{"a clean ledger", func() {}, exitOK, "GET /s3cret-start, GET /s3cret-ok", ""},
		{
			"an amount was changed behind its back", spoil("UPDATE installment SET gross = gross + 1 WHERE version = 1"), exitBreaks,
			"GET /s3cret-start, POST /s3cret-incomplete, GET /s3cret-ok", "the check of the ledger found faults, ",
		},
		{
			"nobody can open it", func() {
				if err := os.WriteFile(h.path("ledger.db"), bytes.Repeat([]byte("x"), 8192), 0o600); err != nil {
					t.Fatal(err)
				}
			}, exitUnreachable, "POST /s3cret-incomplete, POST /s3cret-fail?code=50", "the run did not come to its end: ",
		},
	} {
		row.before()
		out := s.runOccurrence(t.Context(), occurrenceOf(t, "check", "2026-11-18T12:00:00-03:00"))
		if out.ExitCode != row.code {
			t.Errorf("%s: %+v, want exit %d", row.because, out, row.code)
		}
		heard := h.since()
		if got := requests(heard); got != row.told {
			t.Errorf("%s is told as %s, want %s", row.because, got, row.told)
			continue
		}
		for _, one := range heard {
			if strings.HasSuffix(one.request, "/s3cret-incomplete") {
				var alarm casework.Alarm
				if err := json.Unmarshal([]byte(one.body), &alarm); err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(alarm.Text, row.alert) || alarm.On != casework.OnIncomplete || alarm.AsOf == 0 {
					t.Errorf("%s: the alert says %s", row.because, one.body)
				}
			}
		}
	}
}
