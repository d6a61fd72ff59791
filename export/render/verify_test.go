package render_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/verify"
)

// published is a tree with two revisions of a set.
func published(t *testing.T) string {
	t.Helper()
	tg, out := target(t)
	first := renderJob(t, job(), everyClass(), tg)
	j, f := job(), everyClass()
	j.Current = &export.CurrentRevision{Revision: first.Revision, Fingerprints: first.Fingerprints}
	f.cards[4].v.Received = opt("48.99")
	renderJob(t, j, f, tg)
	return out.root
}

func verifyTree(t *testing.T, path string) verify.Result {
	t.Helper()
	r, err := verify.CheckTree(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerifyOfAnUntouchedTree(t *testing.T) {
	t.Parallel()
	root := published(t)
	r := verifyTree(t, root)
	if there := len(files(t, root)); len(r.Faults) > 0 || r.Sets != 2 || r.Files != there {
		t.Errorf("%d sets, %d files of %d, faults %v", r.Sets, r.Files, there, r.Faults)
	}
}

// Whatever byte of whatever file is flipped, that file is named.
func TestVerifyNamesAFlippedByte(t *testing.T) {
	t.Parallel()
	root := published(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, path := range files(t, root) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			at := rnd.IntN(len(body))
			bad := append([]byte(nil), body...)
			bad[at] ^= 1 << rnd.IntN(8)
			write(t, path, bad)
			name := filepath.Base(path)
			if r := verifyTree(t, root); !names(r, name) && !strings.HasSuffix(name, ".manifest.json") {
				t.Errorf("byte %d of %s was flipped, faults %v", at, name, r.Faults)
			} else if len(r.Faults) == 0 {
				t.Errorf("byte %d of %s was flipped and nothing was said", at, name)
			}
		}
		write(t, path, body)
	}
	if r := verifyTree(t, root); len(r.Faults) > 0 {
		t.Errorf("after every byte was put back: %v", r.Faults)
	}
}

func TestVerifyFaults(t *testing.T) {
	t.Parallel()
	const at = "1001/2026/11/"
	const set = "_1001_operation_20261101_20261130_"
	for _, tc := range []struct {
		why    string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{
			"a file is gone", func(t *testing.T, dir string) { remove(t, dir+"splits"+set+"r1.csv") },
			at + "splits" + set + "r1.csv: missing: set" + set + "r1.manifest.json lists it with SHA-256 ",
		},
		{
			"a set was never finished", func(t *testing.T, dir string) { remove(t, dir+"set"+set+"r1.done") },
			at + "set" + set + "r1.done: missing: the set was never finished",
		},
		{
			"a manifest is gone", func(t *testing.T, dir string) { remove(t, dir+"set"+set+"r0.manifest.json") },
			at + "control" + set + "r0.csv: listed by no manifest",
		},
		{
			"the revision before is gone", func(t *testing.T, dir string) { remove(t, dir+"set"+set+"r0.manifest.json") },
			at + "set" + set + "r1.manifest.json: supersedes revision 0, whose manifest is not here",
		},
		{
			"a file was slipped in", func(t *testing.T, dir string) { write(t, dir+"summary"+set+"r9.csv", []byte("account\n")) },
			at + "summary" + set + "r9.csv: listed by no manifest",
		},
		{"a manifest was edited with its hash left as it was", func(t *testing.T, dir string) {
			flip(dir+"set"+set+"r1.manifest.json", `"received": "272.58"`, `"received": "272.59"`)
		}, at + "summary" + set + "r1.csv: sum of received is \"272.58\", should be \"272.59\""},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			root := published(t)
			tc.damage(t, filepath.Join(root, at)+"/")
			r := verifyTree(t, root)
			for _, f := range r.Faults {
				if strings.HasPrefix(f.String(), tc.want) {
					return
				}
			}
			t.Errorf("faults %v\nwant  %s", r.Faults, tc.want)
		})
	}
	if _, err := verify.CheckTree(context.Background(), "/nowhere/at/all", nil); err == nil {
		t.Error("a path that is not there was verified")
	}
}

func names(r verify.Result, file string) bool {
	for _, f := range r.Faults {
		if filepath.Base(f.File) == file {
			return true
		}
	}
	return false
}

func files(t *testing.T, root string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*", "*", "*", "*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no files below %s, %v", root, err)
	}
	return found
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
