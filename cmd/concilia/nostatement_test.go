package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// A bank account that is configured and has no statement yet says so everywhere, and nothing is missing at it: a run concludes nothing of
// it, twice.
func TestBankAccountWithoutStatement(t *testing.T) {
	t.Parallel()
	dir := copyDemo(t, allDays)
	path := filepath.Join(dir, "concilia.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, `
banks:
  - id: itau-novo
    bank: "341"
    branch: "1234"
    account: 77777-1
    accounts: [1001]
    payers: [{name: service, match: SERVICO}]
`...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(want string, args ...string) {
		t.Helper()
		code, out, errs := inProcess(append([]string{"--config", path}, args...)...)
		if code != exit.OK || !strings.Contains(out, want) {
			t.Errorf("%v ends with %d, without %q:\n%s%s", args, code, want, out, errs)
		}
	}
	command(`"bank":"itau-novo","home":1001,`, "bank", "list", "--json")
	command("", "bank", "lines")
	command("", "bank", "coverage")
	for range 2 {
		if code, out, errs := inProcess("--config", path, "reconcile", "--as-of", "2026-11-18"); code != exit.OK && code != 20 {
			t.Fatalf("reconcile ends with %d:\n%s%s", code, out, errs)
		}
	}
	if _, out, _ := inProcess("--config", path, "exceptions", "list", "--code", "BANK_CREDIT_MISSING", "--json"); out != "" {
		t.Errorf("missing without a statement:\n%s", out)
	}
	d := openDeskOf(t, dir)
	for _, page := range []string{"/", "/bank", "/bank/itau-novo"} {
		got, body := d.ask(t, "en", page)
		if got.StatusCode != http.StatusOK || !strings.Contains(body, "itau-novo") || !strings.Contains(body, "no day is settled by a statement") {
			t.Errorf("%s: %d, without the bank account that has no statement:\n%s", page, got.StatusCode, body)
		}
	}
}
