package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/command/publishing"
	"concilia/config"
	"concilia/export/publish"
	"concilia/export/report/kindlist"
	"concilia/export/words"
)

// A table has one name: that of its sheet is also that of its files at the desk and in the index.
func TestTablesHaveOneName(t *testing.T) {
	t.Parallel()
	for _, d := range kindlist.Definitions() {
		for _, table := range d.Tables {
			if name := words.Text("pt-BR", "kinds."+table.ID); name != table.Sheet {
				t.Errorf("the desk calls table %s %q and its sheet is %q: group kinds of export/words/pt-BR.yaml needs %[1]s: %[3]s, and en.yaml its English name",
					table.ID, name, table.Sheet)
			}
		}
	}
}

// Every place to publish to is found: people read of reports.out how its address is written, and the configuration takes it.
func TestTargetsAreFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"export/words/en.yaml", "export/words/pt-BR.yaml", "config/example.yaml", "cmd/concilia/handbook/en/reports.md", "cmd/concilia/handbook/pt-BR/reports.md"} {
		text, err := os.ReadFile(filepath.FromSlash("../../" + path))
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range publish.Schemes() {
			// An address of a folder is mostly written as its path.
			if scheme != "file" && !strings.Contains(string(text), scheme+"://") {
				t.Errorf("%s says nowhere how an address of %s:// is written: it needs it beside s3://", path, scheme)
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
			t.Errorf("the configuration knows no %s://: checkTarget of config/reports.go needs a case for it", scheme)
		}
	}
}

// Every kind of report that can be asked for is found: the example of the configuration names it, the command lists it, and
// the handbook says in both languages whom it is for.
func TestKindsAreFound(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, path := range []string{"../../config/example.yaml", "handbook/en/reports.md", "handbook/pt-BR/reports.md"} {
		text, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	help := publishing.NewReport(&command.Invocation{}).Long
	for _, name := range config.Kinds() {
		named := regexp.MustCompile(`(^|[^\w-])` + name + `($|[^\w-])`)
		if !named.MatchString(texts["../../config/example.yaml"]) {
			t.Errorf("config/example.yaml does not name the kind %s: reports.kinds and its comment say what a night publishes", name)
		}
		for _, page := range []string{"handbook/en/reports.md", "handbook/pt-BR/reports.md"} {
			if !named.MatchString(texts[page]) {
				t.Errorf("cmd/concilia/%s does not name the kind %s: its table of kinds needs a row", page, name)
			}
		}
		if !named.MatchString(help) {
			t.Errorf("listKinds of cmd/concilia/command/publishing/report.go leaves the kind %s out", name)
		}
	}
}
