package jobs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

// The package page walks through the program function by function: every function that it names exists.
func TestWalksNameFunctionsThatExist(t *testing.T) {
	t.Parallel()
	page, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	steps := regexp.MustCompile(`(?m)^ +\d+\. (\S+) (\S+): \w`).FindAllStringSubmatch(page.Doc.Text(), -1)
	if len(steps) < 20 {
		t.Fatalf("the page has %d steps", len(steps))
	}
	functions := map[string]map[string]bool{}
	for _, step := range steps {
		pkg, name := step[1], step[2]
		if functions[pkg] == nil {
			functions[pkg] = functionsIn(t, pkg)
		}
		if !functions[pkg][name] {
			t.Errorf("package %s has no function %s", pkg, name)
		}
	}
}

// functionsIn returns the names of a package's functions, methods as Type.Method.
func functionsIn(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("package %s: %d files, %v", pkg, len(files), err)
	}
	out := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				out[receiverPrefix(f)+f.Name.Name] = true
			}
		}
	}
	return out
}

func receiverPrefix(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
