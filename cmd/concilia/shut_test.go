//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"concilia/cmd/concilia/exit"
)

// TestReadOnlyLedger: where the ledger may not be written, what asks answers as it did where it may, and what writes says
// why not.
func TestReadOnlyLedger(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the program is another process")
	}
	built := build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "9", "--days", "12"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	s.since = "2026-11-06"
	// If the test is root, the user nobody reads, who has to reach the program and the folder.
	dir, err := os.MkdirTemp("/tmp", "shut")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	night(t, s, dir)
	_, list := runCommand(t, s, dir, "exceptions", "list", "--json")
	_, id, _ := strings.Cut(list, `"case":"`)
	id, _, _ = strings.Cut(id, `"`)
	if id == "" {
		t.Fatalf("no case: %s", list)
	}
	asking := [][]string{
		{"coverage"},
		{"exceptions", "list"},
		{"explain", id},
		{"verify", filepath.Join(dir, "reports")},
		{"ledger", "check"},
		{"runs", "list"},
		{"migrate"},
	}
	type answer struct {
		code int
		text string
	}
	want := make([]answer, len(asking))
	for i, args := range asking {
		want[i].code, want[i].text = runCommand(t, s, dir, args...)
	}
	shut(t, filepath.Dir(built.concilia), 0o755)
	shut(t, dir, 0o444)
	ask := func(args ...string) (a answer) {
		cmd := exec.Command(built.concilia, append([]string{"--config", filepath.Join(dir, "concilia.yaml")}, args...)...)
		cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK=2026-11-18T06:00:00-03:00",
			"CONCILIA_ACCOUNTS_0_SINCE="+s.since, "CONCILIA_ACCOUNTS_1_SINCE="+s.since)
		if args[0] == "run" { // an archive of another user is refused before
			cmd.Env = append(cmd.Env, "CONCILIA_REPORTS_ARCHIVE="+filepath.Join(dir, "own"))
		}
		if os.Geteuid() == 0 {
			const nobody = 65534
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		text, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return answer{cmd.ProcessState.ExitCode(), string(text)}
	}
	for i, args := range asking {
		if got := ask(args...); got != want[i] {
			t.Errorf("%v: %d, was %d:\n%s", args, got.code, want[i].code, got.text)
		}
	}
	for _, args := range [][]string{
		{"run"},
		{"reconcile"},
		{"exceptions", "ack", id, "--reason", "seen", "--as", "ana"},
	} {
		if got := ask(args...); got.code != exit.Unreachable || !strings.Contains(got.text, "may not be written") {
			t.Errorf("%v: %d:\n%s", args, got.code, got.text)
		}
	}
}

// shut gives files under a folder a mode until the test ends, and lets anybody read the folders.
func shut(t *testing.T, root string, file os.FileMode) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = os.Chmod(path, info.Mode()) })
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, file)
	})
	if err != nil {
		t.Fatal(err)
	}
}
