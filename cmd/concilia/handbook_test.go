package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/handbook"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/store/ledger"
)

// TestHandbookCommands runs every command line that the handbook marks as runnable, page by page, in a folder that holds the
// demo: what people copy from a page must work. Both languages show the same commands (a test of the handbook), so the
// English pages are run.
func TestHandbookCommands(t *testing.T) {
	t.Parallel()
	built := build(t)
	path := filepath.Dir(built.concilia) + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, topic := range handbook.Topics {
		page, err := handbook.Page("en", topic)
		if err != nil {
			t.Fatal(err)
		}
		blocks := slices.DeleteFunc(handbook.Blocks(page), func(b handbook.Block) bool { return b.Kind != "console" })
		if len(blocks) == 0 {
			continue
		}
		t.Run(topic, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := copyTree(dir, demoWith(t, "--banks", "--sales").dir); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				for line := range strings.Lines(b.Text) {
					cmd := exec.Command("sh", "-c", line)
					cmd.Dir = dir
					cmd.Env = append(os.Environ(), "PATH="+path)
					said, err := cmd.CombinedOutput()
					if code := exitOf(err); !slices.Contains([]int{exit.OK, jobs.ExitWarnings, exit.Breaks}, code) {
						t.Errorf("line %d: %send with %d:\n%s", b.Line, line, code, said)
					}
				}
			}
		})
	}
}

func exitOf(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	if err != nil {
		return exit.Internal
	}
	return exit.OK
}

// TestHandbookLinesParse holds every other concilia line of the handbook, which is not run, to the commands and flags there
// are.
func TestHandbookLinesParse(t *testing.T) {
	for _, topic := range handbook.Topics {
		page, err := handbook.Page("en", topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range handbook.Blocks(page) {
			for line := range strings.Lines(b.Text) {
				words := strings.Fields(line)
				if b.Kind == "console" || len(words) == 0 || words[0] != "concilia" {
					continue
				}
				root := newRoot(environment{lookup: func(string) (string, bool) { return "", false }})
				cmd, rest, err := root.Find(words[1:])
				if err != nil || cmd == root {
					t.Errorf("%s line %d: no command %q", topic, b.Line, line)
					continue
				}
				if err := cmd.ParseFlags(rest); err != nil {
					t.Errorf("%s line %d: %q: %v", topic, b.Line, line, err)
				}
			}
		}
	}
}

// The page about the morning explains the verdicts by the words that status and the line of a night show.
func TestMorningExplainsTheVerdictsThatAreShown(t *testing.T) {
	t.Parallel()
	for _, language := range handbook.Languages {
		page, err := handbook.Page(language, "morning")
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []ledger.Verdict{ledger.Reconciled, ledger.ReconciledWithPending, ledger.ReconciledWithWarnings, ledger.Breaks, ledger.Incomplete} {
			word := "`" + string(v) + "`"
			if language == "pt-BR" {
				word = words.Text(language, "verdicts."+string(v))
			}
			if !strings.Contains(page, "\n| "+word+" | ") {
				t.Errorf("%s: no row of %s", language, word)
			}
		}
	}
}

// TestHelpPrintsPages: a topic is printed in the language asked for, or the environment's.
func TestHelpPrintsPages(t *testing.T) {
	for _, test := range []struct {
		sentence string
		args     []string
		lang     string
		want     string
	}{
		{"A topic is printed in English where the environment says nothing.", []string{"help", "first-night"}, "", "# The first night"},
		{"The environment's language is taken.", []string{"help", "first-night"}, "pt_BR.UTF-8", "# A primeira noite"},
		{"The flag comes before the environment.", []string{"help", "first-night", "--lang", "en"}, "pt_BR.UTF-8", "# The first night"},
		{"A command's help is printed too.", []string{"help", "exceptions", "list"}, "", "--severity"},
		{"Without an argument commands and topics are listed.", []string{"help"}, "", "The first night"},
	} {
		t.Run(test.sentence, func(t *testing.T) {
			var out strings.Builder
			root := newRoot(environment{stdout: &out, stderr: &out, lookup: func(name string) (string, bool) {
				return test.lang, name == "LANG" && test.lang != ""
			}})
			root.SetArgs(test.args)
			if err := root.Execute(); err != nil || !strings.Contains(out.String(), test.want) {
				t.Errorf("%v: got\n%s", err, out.String())
			}
		})
	}
}
