package main

import (
	"bytes"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// TestConfigCheckNamesStrayVariables: what a variable with a wrong letter was to set is not set, and config check says so.
func TestConfigCheckNamesStrayVariables(t *testing.T) {
	t.Parallel()
	h := newWatchedHouse(t, "")
	for _, args := range []string{"config check", "config check --json"} {
		var stdout, stderr bytes.Buffer
		env := h.environment(&stdout, &stderr, strings.Fields(args)...)
		env.environ = func() []string {
			return []string{"CONCILIA_LEDGER_DNS=sqlite:hunter2.db", "CONCILIA_CONFIG=x", "PATH=/bin"}
		}
		code := run(t.Context(), env)
		if code != exit.OK || strings.Count(stdout.String(), "no key has this variable") != 1 ||
			!strings.Contains(stdout.String(), "CONCILIA_LEDGER_DNS: no key has this variable: did you mean CONCILIA_LEDGER_DSN?") ||
			strings.Contains(stdout.String(), "hunter2") {
			t.Errorf("%s: exit %d: %s%s", args, code, stdout.String(), stderr.String())
		}
	}
}
