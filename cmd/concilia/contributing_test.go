package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What CONTRIBUTING says to touch is there: each file and folder that its table of recipes names exists, and each other name is a word of a
// file that the project keeps.
func TestContributingNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.FromSlash("../../.github/CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, recipes, found := strings.Cut(string(page), "\n## Where things go\n")
	recipes, _, ended := strings.Cut(recipes, "\n## ")
	if !found || !ended {
		t.Fatal("CONTRIBUTING has no section Where things go")
	}
	paths, text := projectFiles(t)
	plainName := regexp.MustCompile(`^[\w./-]+$`)
	var names []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(recipes, -1) {
		if plainName.MatchString(m[1]) && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) < 60 {
		t.Errorf("only %d names were found in the recipes", len(names))
	}
	for _, name := range names {
		isPath := slices.ContainsFunc(paths, func(path string) bool { return strings.HasSuffix(path, "/"+name) })
		if isWord := !strings.Contains(name, "/") && strings.Contains(text, name); !isPath && !isWord {
			t.Errorf("CONTRIBUTING names %s in a recipe, and the project has no such file, folder or word", name)
		}
	}
	commands := regexp.MustCompile(`-run (\w+)\S* \./([\w/]+)`).FindAllStringSubmatch(recipes, -1)
	if len(commands) < 5 {
		t.Errorf("only %d commands of tests were found in the recipes", len(commands))
	}
	for _, m := range commands {
		if !hasTest(t, m[2], m[1]) {
			t.Errorf("CONTRIBUTING says %q, and no test of that folder has such a name", m[0])
		}
	}
}

// hasTest reports whether a test of a folder has a part of a name.
func hasTest(t *testing.T, folder, part string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash("../../" + folder + "/*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && regexp.MustCompile(`(?m)^func \w*`+part).Match(text)
	})
}

// projectFiles returns the files and folders of the project, each with a slash before it, and the text of its Go and YAML files.
func projectFiles(t *testing.T) (paths []string, text string) {
	t.Helper()
	var all strings.Builder
	root := filepath.FromSlash("../..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went meanwhile
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, path)
		paths = append(paths, "/"+filepath.ToSlash(rel))
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".go" && ext != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		all.Write(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, all.String()
}
