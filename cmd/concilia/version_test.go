package main

import (
	"encoding/json"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/store"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	code, text, _ := inProcess("version")
	for _, want := range []string{
		`(?m)^concilia \S+$`, `(?m)^commit   `, `(?m)^built    go1\.\S+ for ` + runtime.GOOS + "/" + runtime.GOARCH + "$", `(?m)^ledger   schema [1-9][0-9]*$`,
	} {
		if code != exit.OK || !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("version ended with %d and does not hold %s:\n%s", code, want, text)
		}
	}
	_, text, _ = inProcess("version", "--json")
	var f view.BuildFacts
	if err := json.Unmarshal([]byte(text), &f); err != nil || f.Go != runtime.Version() || f.Schema != store.Schema() {
		t.Errorf("%v: %s", err, text)
	}
}

// The line of a commit says when files differed from it: such a program is not known by its commit alone.
func TestVersionOfAChangedTree(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because string
		facts   view.BuildFacts
		want    string
	}{
		{"a release", view.BuildFacts{Commit: "abc", Time: "2026-11-18T09:00:00Z"}, "commit   abc of 2026-11-18T09:00:00Z\n"},
		{"files differed", view.BuildFacts{Commit: "abc", Time: "2026-11-18T09:00:00Z", Changed: true}, "commit   abc of 2026-11-18T09:00:00Z, changed since\n"},
		{"no repository was there", view.BuildFacts{}, "commit   unknown\n"},
		{"a module has its version", view.BuildFacts{Modules: map[string]string{"pgx": "v5.0.0"}}, "pgx      v5.0.0\n"},
	} {
		var b strings.Builder
		if err := row.facts.WriteText(&b, view.English); err != nil || !strings.Contains(b.String(), row.want) {
			t.Errorf("%s: %v\n%s", row.because, err, b.String())
		}
	}
}
