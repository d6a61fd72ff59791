package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	labels "concilia/export/words"
)

// apiName is a name as the service spells its members: words without blanks, each with a capital letter.
var apiName = regexp.MustCompile(`\b[a-z]+(?:[A-Z][a-z]+)+\b`)

// No text of a rule spells a member of the service, and every member that a rule or the reader of a record names has words.
func TestMembersAreNamedInWords(t *testing.T) {
	t.Parallel()
	for _, r := range All() {
		of := textsOf(r.Code)
		for what, s := range map[string]text{
			"title": of.Title, "sentence": of.Sentence, "formula": of.Formula, "next": of.Next, "ending": of.Ending, "in favour": of.EndingInFavour,
		} {
			for _, in := range []string{s.English, s.Portuguese} {
				if name := apiName.FindString(in); name != "" {
					t.Errorf("%s, %s: %s in %q", r.Code, what, name, in)
				}
			}
		}
	}
	named := map[string]string{}
	for _, pattern := range []string{"../*.go", "../cards/*.go", "../slips/*.go", "../runs/*.go", "../notifications/*.go", "../../api/installments.go", "../../api/slips.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, path := range files {
			if !strings.HasSuffix(path, "_test.go") {
				collectNames(t, path, named)
			}
		}
	}
	if len(named) < 40 {
		t.Errorf("only %d names of members were found in the code", len(named))
	}
	for name, path := range named {
		if words().Members[name] == (text{}) {
			t.Errorf("%s of %s has no words: members of words.yaml needs a line", name, path)
		}
	}
	for name, s := range words().Members {
		if label, ok := labels.Labels("record_member")(name); ok && !strings.EqualFold(label, s.Portuguese) && !strings.HasPrefix(label, s.Portuguese+",") {
			t.Errorf("%s is %q in sentences and %q on the page about a case", name, s.Portuguese, label)
		}
	}
}

// collectNames notes the texts of a file that are names of members, each with the file.
func collectNames(t *testing.T, path string, named map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if name := fieldName(n); name != "" && filepath.Base(path) == "installments.go" {
			named[name] = path
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && apiName.FindString(s) == s && s != "" {
				named[s] = path
			}
		}
		return true
	})
}

// fieldName is the member that a field of the client's tables names, textField("nsu", …), empty of another node. Names of one word have
// no capital letter to be found by.
func fieldName(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	function, ok := call.Fun.(*ast.Ident)
	if !ok || !strings.HasSuffix(function.Name, "Field") {
		return ""
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	name, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return name
}
