package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// floatLines are the lines of a file that name a float type without a comment that begins with "float:" on the line
// or the one above.
func floatLines(t *testing.T, path string) []int {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	excused := map[int]bool{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), "float:") {
				line := set.Position(c.Pos()).Line
				excused[line], excused[line+1] = true, true
			}
		}
	}
	var lines []int
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && (id.Name == "float64" || id.Name == "float32") {
			if line := set.Position(id.Pos()).Line; !excused[line] {
				lines = append(lines, line)
			}
		}
		return true
	})
	return lines
}
