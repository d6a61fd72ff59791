package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnits: what the units of systemd start is a command with its flags, and systemd reads them without a word.
func TestUnits(t *testing.T) {
	t.Parallel()
	const program = "/usr/local/bin/concilia"
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	units, err := filepath.Glob("deploy/concilia-*.*")
	if err != nil || len(units) < 4 {
		t.Fatalf("units %v: %v", units, err)
	}
	dir := t.TempDir()
	var copies []string
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			command, starts := strings.CutPrefix(line, "ExecStart="+program+" ")
			if !starts {
				continue
			}
			root := newRoot(environment{lookup: func(string) (string, bool) { return "", false }})
			cmd, rest, err := root.Find(strings.Fields(command))
			if err != nil || cmd == root {
				t.Errorf("%s: no command %q: %v", unit, command, err)
			} else if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("%s: %q: %v", unit, command, err)
			}
		}
		to := filepath.Join(dir, filepath.Base(unit))
		copies = append(copies, to)
		if err := os.WriteFile(to, []byte(strings.ReplaceAll(string(text), program, here)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here: only the commands were held against the program")
	}
	said, err := exec.Command(analyze, append([]string{"verify"}, copies...)...).CombinedOutput()
	for line := range strings.Lines(string(said)) {
		if strings.Contains(line, dir) || strings.Contains(line, "concilia-") {
			t.Error(line)
		}
	}
	if err != nil && !t.Failed() {
		t.Logf("systemd-analyze: %v\n%s", err, said) // of the machine's own units
	}
}
