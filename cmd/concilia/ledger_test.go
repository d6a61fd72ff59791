package main

import (
	"path/filepath"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// TestNewerLedgerIsNoInternalError: a program older than the ledger ends with 40 and says what to use.
func TestNewerLedgerIsNoInternalError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}
	p.configure()
	if code, out := p.command("--config", p.config(), "migrate"); code != exit.OK {
		t.Fatalf("migrate ended with %d: %s", code, out)
	}
	p.sql("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	for _, command := range []string{"status", "reconcile", "migrate"} {
		code, out := p.command("--config", p.config(), command)
		if code != exit.Config || !strings.Contains(out, "version 9999") || !strings.Contains(out, "use the newer program") {
			t.Errorf("%s ended with %d: %s", command, code, out)
		}
	}
}
