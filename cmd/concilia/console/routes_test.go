package console

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every route is written as one literal on a line of its own, where the table of who may see what reads them all.
func TestEveryRouteIsALiteral(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\{pattern: "([A-Z]+ [^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			written[m[1]] = true
		}
	}
	served := map[string]bool{}
	for _, r := range routes() {
		if served[r.pattern] = true; !written[r.pattern] {
			t.Errorf("%s is not found by who reads the files for routes", r.pattern)
		}
	}
	for pattern := range written {
		if !served[pattern] {
			t.Errorf("%s is declared and not served", pattern)
		}
	}
}
