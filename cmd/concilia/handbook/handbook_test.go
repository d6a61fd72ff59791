package handbook_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/handbook"
)

// TestEveryTopicInEveryLanguage: a page that is missing in one language, or a file that no topic names, would not be
// found.
func TestEveryTopicInEveryLanguage(t *testing.T) {
	for _, language := range handbook.Languages {
		files, err := fs.Glob(os.DirFS(language), "*.md")
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != len(handbook.Topics) {
			t.Errorf("%s has %d pages for %d topics: %v", language, len(files), len(handbook.Topics), files)
		}
		for _, topic := range handbook.Topics {
			page, err := handbook.Page(language, topic)
			if err != nil {
				t.Error(err)
				continue
			}
			if !strings.HasPrefix(page, "# ") {
				t.Errorf("%s/%s.md begins without a heading", language, topic)
			}
		}
	}
}

// TestLanguagesShowTheSameCommands: a command line that one language corrects must be corrected in the other.
func TestLanguagesShowTheSameCommands(t *testing.T) {
	for _, topic := range handbook.Topics {
		want := commandsOf(t, handbook.Languages[0], topic)
		for _, language := range handbook.Languages[1:] {
			if got := commandsOf(t, language, topic); !slices.Equal(got, want) {
				t.Errorf("%s shows\n  %s\nin %s, and\n  %s\nin %s", topic, strings.Join(got, "\n  "), language,
					strings.Join(want, "\n  "), handbook.Languages[0])
			}
		}
	}
}

func commandsOf(t *testing.T, language, topic string) []string {
	t.Helper()
	page, err := handbook.Page(language, topic)
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`"[^"]*"`) // reasons are in the language of the page
	var commands []string
	for _, b := range handbook.Blocks(page) {
		for line := range strings.Lines(b.Text) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "concilia ") {
				commands = append(commands, quoted.ReplaceAllString(line, `"…"`))
			}
		}
	}
	return commands
}

func TestUnknownPageNamesTheTopics(t *testing.T) {
	_, err := handbook.Page("en", "nowhere")
	if err == nil || !strings.Contains(err.Error(), "first-night") {
		t.Errorf("got %v", err)
	}
}

func TestBlocks(t *testing.T) {
	page := "# T\n\n```console\nconcilia demo\n```\n\n1. In a list:\n\n   ```text\n   one\n     two\n   ```\n"
	want := []handbook.Block{{Kind: "console", Text: "concilia demo\n", Line: 3}, {Kind: "text", Text: "one\n  two\n", Line: 9}}
	if got := handbook.Blocks(page); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
