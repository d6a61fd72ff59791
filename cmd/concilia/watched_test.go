package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/alertstest"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/sandbox/world"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

const watchedYAML = `pings: {start: "{told}/s3cret-start", ok: "{told}/s3cret-ok", fail: "{told}/s3cret-fail?code={code}"}
alerts:
  - {on: first_break, url: "{told}/s3cret-break"}
  - {on: incomplete, url: "{told}/s3cret-incomplete"}
  - {on: no_run, by: "08:00", url: "{told}/s3cret-norun"}
log: {format: json, level: debug}
`

// TestWatched does four runs with a receiver of their alerts: a night that breaks for the first time while the receiver refuses the
// alert, one that finds nothing new, a reconcile, and a night that the service does not let in.
func TestWatched(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	h := newWatchedHouse(t, watchedYAML)
	h.AnswerWith("POST /s3cret-break", http.StatusBadGateway)
	log := h.want(exit.Breaks, "run")
	h.tellsNothing(log)
	if said := sayings(t, log); !said["run begins"] || !said["request"] || !said["run ended"] || !said["an alert was not delivered"] {
		t.Errorf("the log of a night says only %v", said)
	}
	told := h.takeTold()
	if got := alertstest.JoinLines(told); got != "GET /s3cret-start, POST /s3cret-break, POST /s3cret-break, GET /s3cret-ok" {
		t.Errorf("a night that breaks is told as %s: an alert that is not taken is sent twice", got)
	}

	h.AnswerWith("POST /s3cret-break", http.StatusOK)
	h.want(exit.Breaks, "run")
	told = h.takeTold()
	if got := alertstest.JoinLines(told); got != "GET /s3cret-start, POST /s3cret-break, GET /s3cret-ok" {
		t.Errorf("a second night, that finds nothing new, is told as %s: what nobody took before comes with it", got)
	}
	var alarm casework.Alarm
	if err := json.Unmarshal([]byte(told[1].Body), &alarm); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(alarm.Text, "account 1001 breaks, for the first time in 30 days: ") || alarm.Account != 1001 || len(alarm.Cases) < 3 ||
		alarm.AsOf != ledger.NewDate(2026, 11, 18) || alarm.Run == "" || alarm.Cases[0].Impact == "" {
		t.Errorf("the alert says %s", told[1].Body)
	}
	if broken := h.broken(); !slices.Equal(broken, codesOf(alarm)) {
		t.Errorf("the alert names %v, open are %v", codesOf(alarm), broken)
	}

	h.want(exit.Breaks, "reconcile", "--full")
	if got := alertstest.JoinLines(h.takeTold()); got != "GET /s3cret-start, GET /s3cret-ok" {
		t.Errorf("a reconcile with nothing new is told as %s", got)
	}
	h.want(exit.Usage, "run", "--as-of", "2030-01-01")
	if got := alertstest.JoinLines(h.takeTold()); got != "" {
		t.Errorf("a wrong command line is told as %s", got)
	}

	h.down.Store(true)
	log = h.want(exit.Config, "run")
	h.tellsNothing(log)
	told = h.takeTold()
	if got := alertstest.JoinLines(told); got != "GET /s3cret-start, POST /s3cret-incomplete, POST /s3cret-fail?code=40" {
		t.Fatalf("a night that is not let in is told as %s", got)
	}
	if want := "exit 40\nthe run did not come to its end: configuration, or refused credentials\n"; told[2].Body != want {
		t.Errorf("the fail ping says %q", told[2].Body)
	}
	if !strings.Contains(told[1].Body, `"on":"incomplete","text":"the run did not come to its end`) {
		t.Errorf("the alert says %s", told[1].Body)
	}
}

// takeTold returns the requests since the last call. That a run begins is sent while it works, and it does not wait for the sending: on a busy machine
// an alert overtakes it, and the end never does. It is put first.
func (h *watchedHouse) takeTold() []alertstest.Request {
	told := h.TakeRequests()
	start := slices.IndexFunc(told, func(r alertstest.Request) bool { return r.Line == "GET /s3cret-start" })
	if start > 0 && start < len(told)-1 {
		first := told[start]
		told = slices.Insert(slices.Delete(told, start, start+1), 0, first)
	}
	return told
}

// codesOf are the codes of an alarm.
func codesOf(a casework.Alarm) (codes []string) {
	for _, c := range a.Cases {
		codes = append(codes, c.Code)
	}
	return codes
}

// broken are the codes with an open case of severity E, sorted.
func (h *watchedHouse) broken() (codes []string) {
	h.t.Helper()
	l := h.ledger()
	err := l.Findings(h.t.Context(), caselog.FindingFilter{
		States: []ledger.State{ledger.Opened}, Severities: []ledger.Severity{ledger.Error}, Order: caselog.ByCode,
	}, func(f *ledger.Finding) error {
		codes = append(codes, f.Code)
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return slices.Compact(codes)
}

func (h *watchedHouse) ledger() *store.Ledger {
	h.t.Helper()
	l, err := store.Open(h.t.Context(), "sqlite:"+filepath.Join(h.dir, "ledger.db"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = l.Close() })
	return l
}

// sayings are the messages of a log, each line of which is JSON and, once the run has begun, names it.
func sayings(t *testing.T, log string) map[string]bool {
	t.Helper()
	said := map[string]bool{}
	begun := false
	for lines := bufio.NewScanner(strings.NewReader(log)); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "{") {
			continue // what a command says to people at its end, and the warnings of the configuration before
		}
		var line struct{ Message, Level, Run, Time string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		begun = begun || line.Message == "run begins"
		if begun && line.Run == "" || line.Level == "" || line.Time == "" {
			t.Errorf("a line without its run, level or time: %s", lines.Text())
		}
		said[line.Message] = true
	}
	return said
}

// tellsNothing looks through a log for what must never stand in one: payers, cards, passwords, tokens, and the secret
// part of addresses.
func (h *watchedHouse) tellsNothing(log string) {
	h.t.Helper()
	secrets := map[string]string{demoPassword: "the password", "s3cret": "the path of an address"}
	h.tokens.Range(func(token, _ any) bool {
		secrets[token.(string)] = "a token"
		return true
	})
	payers := 0
	for s := range h.world.Slips(1001, world.ByDue, h.world.AsOf()-30, h.world.AsOf()+30) {
		for what, text := range map[string]string{
			"name": s.Name, "document": s.Document, "street": s.Street, "phone": s.Phone, "bar code": s.BarCode, "line": s.Line, "Pix code": s.Pix,
		} {
			if len(text) > 3 {
				secrets[text] = "a payer's " + what
				payers++
			}
		}
	}
	cards := 0
	for i := range h.world.Installments(1001, h.world.AsOf()-30, h.world.AsOf()) {
		if len(i.CardNumber) > 8 {
			secrets[i.CardNumber] = "a card"
			cards++
		}
	}
	if payers < 50 || cards < 20 {
		h.t.Fatalf("only %d payers' texts and %d cards to look for", payers, cards)
	}
	for secret, what := range secrets {
		if strings.Contains(log, secret) {
			h.t.Errorf("the log holds %s", what)
		}
	}
}
