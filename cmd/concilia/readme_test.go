package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeTranscript holds the README's transcript to what the demo prints, but for how long it took. Under the race
// detector a shorter demo is lived in this process, for the detector to see a whole night with every report there is.
func TestReadmeTranscript(t *testing.T) {
	t.Parallel()
	text := readme(t)
	_, rest, _ := strings.Cut(text, "\n```\n")
	want, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatal("README.md holds no transcript")
	}
	if raced {
		if code, _, errs := inProcess("demo", "--dir", filepath.Join(t.TempDir(), "demo"), "--days", "20"); code != exit.OK {
			t.Fatalf("demo ended with %d:\n%s", code, errs)
		}
		return
	}
	out := demoWith(t, "--banks", "--sales").said
	took := regexp.MustCompile(`The night took \S+s\.`)
	norm := func(s string) string { return strings.TrimSpace(took.ReplaceAllString(s, "The night took some time.")) }
	if got := norm(out); got != norm(want) {
		t.Errorf("README.md shows\n%s\nthe demo prints\n%s", norm(want), got)
	}
}

// TestReadmeCommands holds the README's table to the commands there are.
func TestReadmeCommands(t *testing.T) {
	text := readme(t)
	for _, cmd := range newRoot(environment{lookup: func(string) (string, bool) { return "", false }}).Commands() {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		names := []string{cmd.Name()}
		if cmd.HasSubCommands() {
			names = nil
			for _, sub := range cmd.Commands() {
				names = append(names, sub.Name())
			}
		}
		for _, name := range names {
			if !mentions(text, cmd, name) {
				t.Errorf("the table of commands in README.md has no %s %s", cmd.Name(), name)
			}
		}
		if cmd.Short == "" {
			t.Errorf("%s has no Short, which help lists", cmd.CommandPath())
		}
	}
}

// mentions says whether a row of the table of commands has the command's words.
func mentions(text string, cmd *cobra.Command, name string) bool {
	for line := range strings.Lines(text) {
		row, ok := strings.CutPrefix(line, "| `")
		if ok && regexp.MustCompile(`\b`+cmd.Name()+`\b`).MatchString(row) && regexp.MustCompile(`\b`+name+`\b`).MatchString(row) {
			return true
		}
	}
	return false
}
