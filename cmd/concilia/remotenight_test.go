//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
)

// fails runs a night whose files wait, and checks that the message says what to do.
func (n *remoteNight) fails(t *testing.T, hint string) {
	t.Helper()
	code, out := n.run(t, "run")
	if code != 50 || !strings.Contains(out, hint) || strings.Contains(out, "not-the-secret") {
		t.Errorf("without its target the night ended with %d:\n%s", code, out)
	}
	if waiting := n.waiting(t); waiting < 20 {
		t.Errorf("%d files wait", waiting)
	}
	_ = filepath.WalkDir(n.at.root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".done") {
			t.Errorf("%s says that a set is whole", name)
		}
		return nil
	})
}

// recovers lives the same morning again, with a target.
func (n *remoteNight) recovers(t *testing.T) {
	t.Helper()
	if code, out := n.run(t, "run"); code != exit.Breaks {
		t.Errorf("with its target again the night ended with %d:\n%s", code, out)
	}
	if waiting := n.waiting(t); waiting > 0 {
		t.Errorf("%d files still wait", waiting)
	}
}

// waiting is how many files the target does not have yet.
func (n *remoteNight) waiting(t *testing.T) int {
	t.Helper()
	return waitingFiles(t, func(args ...string) (int, string) { return n.run(t, args...) })
}

// whole holds what is published to its own word: each set was closed last, a copy verifies, and of what the killed left
// half the run of the next night leaves nothing.
func (n *remoteNight) whole(t *testing.T) {
	t.Helper()
	doneLast(t, n.at.root)
	n.hidden(t, func(name string) {
		long := time.Now().Add(-13 * time.Hour)
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	})
	target, err := os.MkdirTemp(n.dir, "copy")
	if err != nil {
		t.Fatal(err)
	}
	if code, out := n.run(t, "run"); code != exit.Breaks || !strings.Contains(out, "0 new") {
		t.Errorf("a night in which nothing changed ended with %d:\n%s", code, out)
	}
	n.hidden(t, func(name string) { t.Errorf("%s is left of a process that died", name) })
	if err := os.CopyFS(target, os.DirFS(n.at.root)); err != nil {
		t.Fatal(err)
	}
	if code, out := n.run(t, "verify", target); code != exit.OK {
		t.Errorf("verify ended with %d:\n%s", code, out)
	}
}

// hidden calls fn with every hidden file among those that are published.
func (n *remoteNight) hidden(t *testing.T, fn func(name string)) {
	t.Helper()
	err := filepath.WalkDir(n.at.root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".") {
			fn(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// doneLast fails for every set of which a file is younger than what says that it is whole, or nothing says so.
func doneLast(t *testing.T, root string) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(root, "*", "2026", "*", "set_*.manifest.json"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("%d sets are published, %v", len(manifests), err)
	}
	for _, manifest := range manifests {
		set := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(manifest), ".manifest.json"), "set_")
		done, err := os.Stat(strings.TrimSuffix(manifest, "manifest.json") + "done")
		if err != nil {
			t.Error(err)
			continue
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(manifest), "*_"+set+"*"))
		if err != nil || len(files) < 3 {
			t.Errorf("%s: %v, %v", set, files, err)
		}
		for _, name := range files {
			if info, err := os.Stat(name); err != nil || info.ModTime().After(done.ModTime()) {
				t.Errorf("%s was written after its set was said to be whole, %v", name, err)
			}
		}
	}
}
