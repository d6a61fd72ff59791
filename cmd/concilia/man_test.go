package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/handbook"
)

// inProcess runs the program in this process, with no environment, and gives exit code and output.
func inProcess(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := run(context.Background(), environment{
		args: args, stdout: &out, stderr: &errs, lookup: func(string) (string, bool) { return "", false }, wall: time.Now,
	})
	return code, out.String(), errs.String()
}

// roffLine matches what a page may hold: the orders it uses, and text that begins with none.
var roffLine = regexp.MustCompile(`^(\.TH "[A-Z\\-]+" 1 "" "concilia [^"]+" "User commands"|\.SH [A-Z ]+|\.B .+|\.TP|\.PP|\.RS|\.RE|\.nf|\.fi|[^.'].*|)$`)

// TestManPages: every command has a page, each is well formed and says how the command ends.
func TestManPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if code, _, errs := inProcess("man", "--dir", dir); code != exit.OK {
		t.Fatalf("man --dir ended with %d: %s", code, errs)
	}
	pages := map[string]bool{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		pages[f.Name()] = true
	}
	formatter, noFormatter := exec.LookPath("groff")
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.HasParent() && !c.IsAvailableCommand() {
			return
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		if !pages[name] {
			t.Errorf("%q has no page", c.CommandPath())
			return
		}
		delete(pages, name)
		checkPage(t, c, filepath.Join(dir, name))
		if noFormatter == nil && c.HasParent() && c.Name() == "list" { // one is enough to see the formatter's mind, and quick
			out, err := exec.Command(formatter, "-K", "utf8", "-man", "-ww", "-z", filepath.Join(dir, name)).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("groff complains about %s: %v\n%s", name, err, out)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(environment{lookup: func(string) (string, bool) { return "", false }}))
	for _, topic := range handbook.Topics {
		name := "concilia-" + topic + ".7"
		if !pages[name] {
			t.Errorf("topic %s has no page", topic)
		}
		delete(pages, name)
	}
	for name := range pages {
		t.Errorf("%s is the page of no command or topic", name)
	}
}

func checkPage(t *testing.T, c *cobra.Command, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	literal := false
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		if !roffLine.MatchString(line) {
			t.Errorf("%s: the formatter would take this for an order: %s", filepath.Base(path), line)
		}
		if line == ".nf" || line == ".fi" {
			if literal == (line == ".nf") {
				t.Errorf("%s: %s twice", filepath.Base(path), line)
			}
			literal = line == ".nf"
		}
		if title, ok := strings.CutPrefix(line, ".SH "); ok {
			sections = append(sections, title)
		}
	}
	if literal {
		t.Errorf("%s: it ends amid an example", filepath.Base(path))
	}
	got := strings.Join(sections, "|")
	want := "NAME|SYNOPSIS|DESCRIPTION"
	if c.HasAvailableSubCommands() {
		want += "|COMMANDS"
	}
	if c.LocalNonPersistentFlags().HasAvailableFlags() {
		want += "|OPTIONS"
	}
	want += "|GLOBAL OPTIONS"
	if !c.HasParent() || !c.HasSubCommands() || strings.Contains(c.Long, "Exit status:") {
		want += "|EXIT STATUS"
	}
	if want += "|SEE ALSO"; got != want {
		t.Errorf("%s has the sections %s, want %s", filepath.Base(path), got, want)
	}
}

func TestManOfOneCommand(t *testing.T) {
	t.Parallel()
	code, page, _ := inProcess("man", "exceptions", "list")
	if code != exit.OK || !strings.HasPrefix(page, `.TH "CONCILIA\-EXCEPTIONS\-LIST" 1`) || !strings.Contains(page, "\n.B 40\nconfiguration\n") {
		t.Errorf("man exceptions list ended with %d:\n%s", code, page)
	}
	// A topic has a page of section 7; where a command has its name, the section tells them apart.
	for _, row := range []struct{ name, args, want string }{
		{"a topic", "man first-night", `.TH "CONCILIA\-FIRST\-NIGHT" 7`},
		{"a command that a topic has the name of", "man bank", `.TH "CONCILIA\-BANK" 1`},
		{"that topic", "man 7 bank", `.TH "CONCILIA\-BANK" 7`},
		{"a topic in Portuguese", "man first-night --lang pt-BR", `.TH "CONCILIA\-FIRST\-NIGHT" 7`},
	} {
		if code, page, errs := inProcess(strings.Fields(row.args)...); code != exit.OK || !strings.HasPrefix(page, row.want) {
			t.Errorf("%s: %s ended with %d, %s:\n%.200s", row.name, row.args, code, errs, page)
		}
	}
	for _, args := range [][]string{{"man", "nothing"}, {"man", "7", "run"}, {"man", "7"}, {"man", "run", "nothing"}, {"man", "--dir", "x", "run"}} {
		if code, _, errs := inProcess(args...); code != exit.Usage || !strings.Contains(errs, "hint:") {
			t.Errorf("%v ended with %d: %s", args, code, errs)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := inProcess("man", "--dir", file); code != exit.Unreachable || !strings.Contains(errs, "hint:") {
		t.Errorf("a folder that can't be ended with %d: %s", code, errs)
	}
}
