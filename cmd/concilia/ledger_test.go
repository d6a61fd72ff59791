package main

import (
	"path/filepath"
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
