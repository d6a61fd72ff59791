package main

import (
	"path/filepath"
	"strings"
	"testing"

	"concilia/store/engine"
)

// TestBackupComesBeforeMigration: whoever copies the ledger before a newer program migrates it gets it as it was.
func TestBackupComesBeforeMigration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}
	p.sql("CREATE TABLE older (n INTEGER)")
	p.configure()
	if code, out := p.command("--config", p.config(), "ledger", "backup", filepath.Join(dir, "copy.db")); code != exitOK {
		t.Fatalf("backup ended with %d: %s", code, out)
	}
	for _, name := range []string{"concilia.db", "copy.db"} {
		db, err := engine.Open(t.Context(), "sqlite:"+filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		older, err := db.Dialect.Exists(t.Context(), db.Read, "older")
		newer, wrong := db.Dialect.Exists(t.Context(), db.Read, "run")
		if err != nil || wrong != nil || !older || newer {
			t.Errorf("%s: has its own table: %t, was migrated: %t; %v, %v", name, older, newer, err, wrong)
		}
	}
}

// TestNewerLedgerIsNoInternalError: a program older than the ledger ends with 40 and says what to use.
func TestNewerLedgerIsNoInternalError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}
	p.configure()
	if code, out := p.command("--config", p.config(), "migrate"); code != exitOK {
		t.Fatalf("migrate ended with %d: %s", code, out)
	}
	p.sql("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	for _, command := range []string{"status", "reconcile", "migrate"} {
		code, out := p.command("--config", p.config(), command)
		if code != exitConfig || !strings.Contains(out, "version 9999") || !strings.Contains(out, "use the newer program") {
			t.Errorf("%s ended with %d: %s", command, code, out)
		}
	}
}
