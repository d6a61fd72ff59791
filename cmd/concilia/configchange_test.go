package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store/sqldb"
)

// TestConfigurationShowsInRuns: every run record has the hash of its configuration, so that a change between two nights
// can be seen; a secret that was renewed is none.
func TestConfigurationShowsInRuns(t *testing.T) {
	t.Parallel()
	s, err := sandboxProcess(build(t).sandbox, []string{"--days", "3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	dir := t.TempDir()
	runCommand(t, s, dir, "config", "check") // writes the configuration
	for _, extra := range []map[string]string{
		{},
		{"CONCILIA_WEBHOOK_ACCESS_KEY": "renewed", "CONCILIA_PINGS_OK": ""},
		{"CONCILIA_PLAN_SLIPS_DUE_BACK": "30"},
	} {
		vars := map[string]string{"CONCILIA_SERVICE_PASSWORD": demoPassword, "CONCILIA_CLOCK": "2026-11-18T06:00:00-03:00"}
		for k, v := range extra {
			vars[k] = v
		}
		var out bytes.Buffer
		code := run(context.Background(), environment{
			args:   []string{"--config", filepath.Join(dir, "concilia.yaml"), "pull", "--from", "2026-11-17", "--to", "2026-11-17", "--source", "cards"},
			stdout: &out, stderr: &out, wall: time.Now, lookup: func(k string) (string, bool) { v, ok := vars[k]; return v, ok },
		})
		if code != exit.OK {
			t.Fatalf("pull ended with %d: %s", code, out.String())
		}
	}
	hashes := configurations(t, dir)
	if len(hashes) != 3 || len(hashes[0]) != 64 || hashes[0] != hashes[1] || hashes[1] == hashes[2] {
		t.Errorf("three runs, the second with another secret, the third with another configuration, have the hashes %q", hashes)
	}
}

// configurations are the hashes of the configurations of all runs, oldest first.
func configurations(t *testing.T, dir string) []string {
	t.Helper()
	db, err := sqldb.Open(context.Background(), "sqlite:"+filepath.ToSlash(dir)+"/concilia.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Read.QueryContext(context.Background(), `
		SELECT documents
		FROM run
		ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var hashes []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		var documents map[string]string
		if err := json.Unmarshal([]byte(text), &documents); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, documents["config"])
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return hashes
}
