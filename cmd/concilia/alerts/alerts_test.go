package alerts

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/alertstest"
	"concilia/cmd/concilia/metrics"
	"concilia/config"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"

	"github.com/rs/zerolog"
)

// emptyLedger is an empty ledger, and a function that opens it as a daemon does.
func emptyLedger(t *testing.T) (*store.Ledger, func(context.Context) (*store.Ledger, error)) {
	t.Helper()
	dsn := storetest.FreshSQLite(t)
	l, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, func(ctx context.Context) (*store.Ledger, error) { return store.Open(ctx, dsn) }
}

func newAlerts(t *testing.T, log *bytes.Buffer, configured ...config.Alert) *Sender {
	t.Helper()
	logger := zerolog.New(log)
	return NewSender(configured, func() *zerolog.Logger { return &logger }, metrics.NewMeters(), time.Now)
}

// TestAlertCommand: a command gets the alert on its standard input and in its variables, and none of our own or of our passwords; one that
// fails is started again when the next run ends, and once it has ended well never more.
func TestAlertCommand(t *testing.T) {
	dir := t.TempDir()
	for _, secret := range []string{"CONCILIA_SERVICE_PASSWORD", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		t.Setenv(secret, "hush")
	}
	script := filepath.Join(dir, "tell")
	if err := os.WriteFile(script, []byte(`#!/bin/sh
cd "`+dir+`" || exit 9
echo started >> times
test -e ready || exit 7
cat > body
env | grep -e CONCILIA -e hush | sort > variables
echo "$@" > arguments
`), 0o700); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(string(b))
	}
	var log bytes.Buffer
	a := newAlerts(t, &log, config.Alert{On: casework.OnFirstBreak, Command: []string{script, "one two", "$HOME"}})
	l, _ := emptyLedger(t)
	alarm := casework.Alarm{
		On: casework.OnFirstBreak, Account: 1001, Text: `a "text"`, Run: "r1", AsOf: ledger.NewDate(2026, 11, 18),
		Cases: []casework.AlarmCases{{Code: "X", Cases: 2, Impact: "1.00"}},
	}
	a.raiseAlarms(t.Context(), l, []casework.Alarm{alarm})
	if !strings.Contains(log.String(), "exit status 7") {
		t.Errorf("the log says %s", log.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "ready"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.raiseAlarms(t.Context(), l, nil)
	a.raiseAlarms(t.Context(), l, []casework.Alarm{alarm})
	for name, want := range map[string]string{
		"times":     "started\nstarted",
		"body":      `{"on":"first_break","account":1001,"text":"a \"text\"","run":"r1","as_of":"2026-11-18","cases":[{"code":"X","cases":2,"impact":"1.00"}]}`,
		"arguments": "one two $HOME",
		"variables": "CONCILIA_ALERT_ACCOUNT=1001\nCONCILIA_ALERT_AS_OF=2026-11-18\nCONCILIA_ALERT_ON=first_break\nCONCILIA_ALERT_RUN=r1\nCONCILIA_ALERT_TEXT=a \"text\"",
	} {
		if got := read(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestNoRun: a daemon reports, once a day, that no night has ended by a time of day.
func TestNoRun(t *testing.T) {
	t.Parallel()
	l, open := emptyLedger(t)
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	told := alertstest.NewListener(t)
	now := time.Date(2026, 11, 18, 7, 59, 0, 0, zone)
	var log bytes.Buffer
	daemon := func() *MissingRunWatch {
		a := newAlerts(t, &log, config.Alert{On: casework.OnNoRun, By: "08:00", URL: config.Link(told.Server.URL + "/eight")},
			config.Alert{On: casework.OnNoRun, By: "10:30", URL: config.Link(told.Server.URL + "/half")})
		return NewMissingRunWatch(a, open, func() time.Time { return now }, zone)
	}
	o := daemon()
	hear := func(what, want string) {
		t.Helper()
		o.checkDue(t.Context())
		if got := alertstest.JoinLines(told.TakeRequests()); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	night := func(asOf ledger.Date) {
		t.Helper()
		r := &ledger.Run{ID: ledger.RunID(now, "x"), Kind: ledger.Nightly, AsOf: asOf, Began: now.UTC(), Accounts: []ledger.Account{1001}}
		if err := l.BeginRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		r.Ended, r.Verdict = now.UTC(), ledger.Incomplete
		if err := l.EndRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	day := ledger.NewDate(2026, 11, 18)
	hear("before the time", "")
	night(day - 1)
	now = now.Add(time.Minute)
	hear("at the time, only the day before has a night", "POST /eight")
	hear("a moment later", "")
	o = daemon()
	hear("a daemon that is started again", "")
	now = now.Add(3 * time.Hour)
	hear("the other time", "POST /half")
	night(day + 1)
	now = now.Add(22 * time.Hour)
	hear("a day on which a night came to its end, whatever it came to", "")
	now = now.Add(24 * time.Hour)
	o.open = func(context.Context) (*store.Ledger, error) { return nil, os.ErrNotExist }
	o.checkDue(t.Context())
	heard := told.TakeRequests()
	if alertstest.JoinLines(heard) != "POST /eight" || !strings.Contains(heard[0].Body, "it is not known whether") {
		t.Errorf("without a ledger: %v", heard)
	}
	hear("without a ledger, a moment later", "")
}
