package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
)

// TestKill ends the built program with SIGKILL after each of its steps and starts it again: ledger and files must end as
// those of an undisturbed night.
func TestKill(t *testing.T) {
	if raced {
		t.Skip("processes are killed here, not goroutines")
	}
	t.Parallel()
	built := build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "9", "--days", "12"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	s.since = "2026-11-06"
	quiet := t.TempDir()
	night(t, s, quiet)
	want := remains(t, s, quiet)

	for _, step := range []string{"pull", "confirm", "reconcile", "publish"} {
		t.Run("after "+step, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			killAfter(t, built, s, dir, step)
			night(t, s, dir)
			if diff := cmp.Diff(want, remains(t, s, dir)); diff != "" {
				t.Errorf("undisturbed (-) and killed after %s (+) differ:\n%s", step, diff)
			}
		})
	}
}

// killAfter runs a night as another process and kills it as soon as it says that a step is done; after the last step
// that is in the middle of what follows it, or never.
func killAfter(t *testing.T, built binaries, s *sandbox, dir, step string) {
	t.Helper()
	runCommand(t, s, dir, "config", "check") // writes the configuration
	cmd := exec.Command(built.concilia, "--config", filepath.Join(dir, "concilia.yaml"), "run")
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK=2026-11-18T06:00:00-03:00",
		"CONCILIA_ACCOUNTS_0_SINCE="+s.since, "CONCILIA_ACCOUNTS_1_SINCE="+s.since)
	progress, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), step) {
			killed = cmd.Process.Kill() == nil
		}
	}
	_ = cmd.Wait() // killed on purpose
	if !killed {
		t.Fatalf("the night never said %q", step)
	}
}

// remains is what a night leaves that does not name the run itself: every published file but control, by hash, and the
// cases.
func remains(t *testing.T, s *sandbox, dir string) map[string]string {
	t.Helper()
	left := map[string]string{}
	root := filepath.Join(dir, "reports")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		hidden := d != nil && strings.HasPrefix(d.Name(), ".") // what a killed process left, until a later night removes it
		if err != nil || d.IsDir() {
			if hidden {
				return fs.SkipDir
			}
			return err
		}
		if hidden {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		left[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		// Control, the manifest and what seals it name the run.
		for _, own := range []string{"control_", "set_"} {
			if strings.HasPrefix(d.Name(), own) {
				left[filepath.ToSlash(rel)] = "there"
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, left["exceptions"] = runCommand(t, s, dir, "exceptions", "list", "--state", "pending,open,reopened,resolved", "--json")
	if code, out := runCommand(t, s, dir, "verify", root); code != exit.OK {
		t.Errorf("verify ended with %d: %s", code, out)
	}
	return left
}
