package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"concilia/config"
	"concilia/export/report"
)

// Whoever may ask for a kind of report finds it: the configuration takes it, its example names it, and the handbook says in both
// languages whom it is for.
func TestKindsAreFound(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	for _, path := range []string{"../../config/example.yaml", "handbook/en/reports.md", "handbook/pt-BR/reports.md"} {
		text, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(text)
	}
	var kinds []string
	for _, d := range report.Definitions() {
		if slices.Equal(d.Bases, []report.Basis{report.ByMovement}) || d.Kind == report.JournalKind {
			continue // they come with the movement and the chart of accounts
		}
		name := string(d.Kind)
		kinds = append(kinds, name)
		for path, text := range pages {
			if !regexp.MustCompile(`(^|[^\w-])` + name + `($|[^\w-])`).MatchString(text) {
				t.Errorf("%s does not name the kind %s", path, name)
			}
		}
	}
	slices.Sort(kinds)
	if known := slices.Sorted(slices.Values(config.Kinds())); !slices.Equal(known, kinds) {
		t.Errorf("kindWords of config/check.go has the kinds\n%v, export/report has\n%v", known, kinds)
	}
}
