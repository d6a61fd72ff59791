package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/command/publishing"
	"concilia/config"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/words"
)

// A table has one name: that of its sheet is also that of its files at the desk and in the index.
func TestTablesHaveOneName(t *testing.T) {
	t.Parallel()
	for _, d := range kindlist.Definitions() {
		for _, table := range d.Tables {
			if name := words.Text("pt-BR", "kinds."+table.ID); name != table.Sheet {
				t.Errorf("the desk calls %s %q, its sheet is %q", table.ID, name, table.Sheet)
			}
		}
	}
}

// Every place to publish to is found: whoever reads of reports.out is told the form of its address, and the configuration takes it.
func TestTargetsAreFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"../../config/config.go", "../../config/target.go", "../../config/example.yaml", "../../export/publish/doc.go", "handbook/en/reports.md",
		"handbook/pt-BR/reports.md",
	} {
		text, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range publish.Schemes() {
			// An address of a folder is mostly written as its path.
			if scheme != "file" && !strings.Contains(string(text), scheme+"://") {
				t.Errorf("%s does not say how an address of %s:// is written", path, scheme)
			}
		}
	}
	for _, scheme := range publish.Schemes() {
		yaml := fmt.Sprintf("reports: {out: %q}\n", scheme+"://somebody@host/path")
		path := filepath.Join(t.TempDir(), "concilia.yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(path, func(string) (string, bool) { return "", false })
		if refused := "reports.out: \"" + scheme + "://somebody@host/path\": a folder"; scheme != "file" && strings.Contains(fmt.Sprint(err), refused) {
			t.Errorf("the configuration knows no %s://: checkTarget of config/target.go needs a case for it", scheme)
		}
	}
}

// Every kind of report that can be asked for is found: the configuration takes it, its example names it, the command says what it is, and
// the handbook says in both languages whom it is for.
func TestKindsAreFound(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"the help of report": publishing.NewReport(&command.Invocation{}).Long}
	for _, path := range []string{"../../config/example.yaml", "handbook/en/reports.md", "handbook/pt-BR/reports.md"} {
		text, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(text)
	}
	var kinds []string
	for _, d := range kindlist.Definitions() {
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
		t.Errorf("reportKinds of config/check.go has the kinds\n%v, kindlist of export/report has\n%v", known, kinds)
	}
}
