package api_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every assumption carries a "Spec gap:" comment where it is decided and is in the list of doc.go, word for word.
func TestSpecGapsAreListed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var decided, listed []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			text := group.Text()
			if name == "doc.go" {
				listed = append(listed, items(text)...)
				continue
			}
			for _, part := range strings.Split("\n"+text, "\nSpec gap: ")[1:] {
				decided = append(decided, strings.Join(strings.Fields(strings.Split(part, "\n\n")[0]), " "))
			}
		}
	}
	slices.Sort(decided)
	sorted := slices.Sorted(slices.Values(listed))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		t.Logf("the list for doc.go:\n//   - %s", strings.Join(decided, "\n//   - "))
	}
	if len(decided) < 10 {
		t.Errorf("only %d gaps found: is the comment still spelled so?", len(decided))
	}
	if diff := cmp.Diff(decided, sorted); diff != "" {
		t.Errorf("decided in the code (-) and listed in doc.go (+) differ:\n%s", diff)
	}
}

// items are the dash items of a doc comment, their lines joined.
func items(text string) []string {
	var list []string
	for _, line := range strings.Split(text, "\n") {
		switch s := strings.TrimSpace(line); {
		case strings.HasPrefix(s, "- "):
			list = append(list, s[2:])
		case s != "" && len(list) > 0:
			list[len(list)-1] += " " + s
		}
	}
	return list
}
