package jobstest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// CompareGolden compares a text with a file of testdata/proof, or writes the file with UPDATE_GOLDEN. It finds the folder above the
// package whose test runs.
func CompareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := GoldenPath(t, name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got); UPDATE_GOLDEN=1 writes it anew:\n%s", name, d)
	}
}

// GoldenPath is the path of a file of testdata/proof, from whichever package a test runs in.
func GoldenPath(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "proof", name)
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no go.mod above the tests")
		}
		dir = above
	}
}
