package config_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// What go doc prints is whole: a page for the package, and for every public type, function and method a sentence
// that begins with its name.
func TestPublicNamesAreDocumented(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if (f.Doc != nil) != (name == "doc.go") {
			t.Errorf("%s: the page of the package stands in doc.go, and only there", name)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "concilia/config")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	check := func(name, text string) {
		seen++
		if !strings.HasPrefix(text, name+" ") || !strings.Contains(text, ".") {
			t.Errorf("%s: no sentence that begins with the name: %q", name, text)
		}
	}
	funcs := p.Funcs
	for _, typ := range p.Types {
		check(typ.Name, typ.Doc)
		funcs = append(append(funcs, typ.Funcs...), typ.Methods...)
	}
	for _, f := range funcs {
		check(f.Name, f.Doc)
	}
	if seen < 30 {
		t.Errorf("only %d public names found", seen)
	}
}
