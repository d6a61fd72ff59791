package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
)

// TestSecondRunIsTold starts a night while another run holds an account: it ends with 60, names the holder, and leaves
// nothing.
func TestSecondRunIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nobody := &sandbox{gateway: "http://127.0.0.1:1/gateway", integration: "http://127.0.0.1:1/integration"}
	if code, out := runCommand(t, nobody, dir, "migrate"); code != exit.OK {
		t.Fatalf("migrate ended with %d: %s", code, out)
	}
	l, err := store.Open(t.Context(), "sqlite:"+dir+"/concilia.db")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	lease, err := l.LeaseAccounts(t.Context(), "20261118T060000.000Z-another", []ledger.Account{1002}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	code, out := runCommand(t, nobody, dir, "--json", "--quiet", "run")
	if code != exit.Locked || !strings.Contains(out, "20261118T060000.000Z-another") {
		t.Errorf("a second run ended with %d, saying %s", code, out)
	}
	object, _, _ := strings.Cut(out, "\n")
	var s struct {
		AsOf    string `json:"as_of"`
		Verdict string `json:"verdict"`
	}
	if err := json.Unmarshal([]byte(object), &s); err != nil || s.AsOf != "2026-11-18" || s.Verdict != "incomplete" {
		t.Errorf("with --json it printed %q (%v)", object, err)
	}
	if strings.Contains(object, `"run"`) {
		t.Errorf("it named a run, and none was begun: %s", object)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, out := runCommand(t, nobody, dir, "--quiet", "reconcile"); code != jobsIncomplete {
		t.Errorf("after the first run ended, the second ended with %d: %s", code, out)
	}
}

// jobsIncomplete is the exit code of a reconcile over days that were not pulled.
const jobsIncomplete = 30
