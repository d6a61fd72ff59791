package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSameBytesOnAnyNumberOfCores: what a night publishes has the same bytes on one core as on several, where reading, summing and
// rendering go on at once. Control and manifest name the run.
func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	t.Parallel()
	var lives []map[string]string
	for _, cores := range []int{1, 4} {
		b := newBigNight(t, "sqlite", 600, 60)
		b.cores = cores
		config := filepath.Join(b.dir, "concilia.yaml")
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.NewReplacer("formats: [csv]", "formats: [csv, jsonl, xlsx, html]", "basis: [operation]", "basis: [operation, credit]",
			"kinds: [summary, installments, control]", "kinds: [summary, month, installments, agenda, exceptions, forecast, control]").Replace(string(text))
		if err := os.WriteFile(config, []byte(all), 0o600); err != nil {
			t.Fatal(err)
		}
		b.run(t)
		lives = append(lives, hashReports(t, filepath.Join(b.dir, "reports")))
	}
	if d := cmp.Diff(lives[0], lives[1]); d != "" || len(lives[0]) < 20 {
		t.Errorf("of %d files, on one core (-) and on four (+):\n%s", len(lives[0]), d)
	}
}

// hashReports returns the hashes of published files by name, without those that name the run.
func hashReports(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, "control_") || strings.HasPrefix(name, "set_") || name == "index.html" {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
