package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// demos are what demos left, by their arguments: each is lived once for all tests, which copy it. It is the built program
// that lives it, also under the race detector: what the tests then do to the copy is the point.
var demos struct {
	mu   sync.Mutex
	made map[string]func() (demoLeft, error)
}

// demoLeft is the folder a demo was started in, which holds concilia-demo, and all it said.
type demoLeft struct{ dir, said string }

// allDays is how many days a demo has unless it is told otherwise.
const allDays = 60

// demoOf is the folder of a demo of so many days. Tests share it, so none may change it.
func demoOf(t *testing.T, days int) demoLeft {
	t.Helper()
	if days == allDays {
		return demoWith(t)
	}
	return demoWith(t, "--days", strconv.Itoa(days))
}

// demoWith is the folder of a demo with some flags. Tests share it, so none may change it.
func demoWith(t *testing.T, flags ...string) demoLeft {
	t.Helper()
	built := build(t)
	name := strings.Join(append([]string{"demo"}, flags...), "")
	demos.mu.Lock()
	if demos.made == nil {
		demos.made = map[string]func() (demoLeft, error){}
	}
	if demos.made[name] == nil {
		demos.made[name] = sync.OnceValues(func() (demoLeft, error) { return liveDemo(built, name, flags) })
	}
	made := demos.made[name]
	demos.mu.Unlock()
	left, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func liveDemo(built binaries, name string, flags []string) (demoLeft, error) {
	left := demoLeft{dir: filepath.Join(filepath.Dir(built.concilia), name)}
	if err := os.Mkdir(left.dir, 0o755); err != nil {
		return left, err
	}
	args := append([]string{"demo", "--banks=false", "--sales=false"}, flags...) // most tests are about other things
	cmd := exec.Command(built.concilia, args...)
	cmd.Dir = left.dir
	said, err := cmd.CombinedOutput()
	left.said = string(said)
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", args, err, said)
	}
	return left, err
}

// copyDemo gives a folder of the test's own with what a demo left in it, configured as if it had been lived there.
func copyDemo(t *testing.T, days int) string {
	t.Helper()
	return copyLeft(t, demoOf(t, days))
}

// copyLeft is copyDemo of a demo that is known.
func copyLeft(t *testing.T, left demoLeft) string {
	t.Helper()
	dir := t.TempDir()
	if err := copyTree(dir, filepath.Join(left.dir, "concilia-demo")); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "concilia.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	lived := strings.ReplaceAll(string(text), "concilia-demo/", filepath.ToSlash(dir)+"/")
	if err := os.WriteFile(config, []byte(lived), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyTree copies a folder with its permissions, which os.CopyFS does not keep of folders: an archive is for one user alone.
func copyTree(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(to, below), info.Mode().Perm())
	})
}

// fewDays are those of a demo that has cases of every kind, also of banks and stores, and little of everything else.
var fewDays = []string{"--days", "20", "--banks", "--sales"}

// copiesDemo is the command of scripts that leaves concilia-demo as "exec concilia demo" with the flags would, and what that said
// in the file said.
func copiesDemo(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("demo cannot be negated")
		}
		left := demoWith(t, args...)
		ts.Check(copyTree(ts.MkAbs("concilia-demo"), filepath.Join(left.dir, "concilia-demo")))
		ts.Check(os.WriteFile(ts.MkAbs("said"), []byte(left.said), 0o600))
	}
}
