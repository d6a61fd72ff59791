package problem_test

import (
	"errors"
	"strings"
	"testing"

	"concilia/config/problem"
	"concilia/export/words"
)

func TestUnknownKey(t *testing.T) {
	t.Parallel()
	keys := []string{"timeout", "list_cap", "user_name"}
	for _, c := range []struct{ says, key, want string }{
		{"a letter is missing", "timout", "unknown key: did you mean timeout?"},
		{"two letters are swapped", "list_cpa", "unknown key: did you mean list_cap?"},
		{"nothing is alike", "colour", "unknown key: one of timeout, list_cap, user_name"},
	} {
		if got := problem.UnknownKey(c.key, keys).In("en"); got != c.want {
			t.Errorf("%s: %s", c.says, got)
		}
	}
}

func TestListIsCutAndSorted(t *testing.T) {
	t.Parallel()
	if err := problem.List(nil).Err(); err != nil {
		t.Errorf("no problem is an error: %v", err)
	}
	for _, c := range []struct {
		says  string
		count int
		last  string
	}{
		{"as many as are shown", 50, "f.yaml line 50: wrong"},
		{"one more", 51, "and 1 more problem"},
		{"many more", 99, "and 49 more problems"},
	} {
		var list problem.List
		for line := c.count; line > 0; line-- {
			list = append(list, problem.Problem{File: "f.yaml", Line: line, Want: words.NewMessage("wrong")})
		}
		err := list.Err()
		lines := strings.Split(err.Error(), "\n")
		if lines[0] != "f.yaml line 1: wrong" || lines[len(lines)-1] != c.last || len(lines) != min(c.count, 51) {
			t.Errorf("%s: %d lines, %q to %q", c.says, len(lines), lines[0], lines[len(lines)-1])
		}
		if !errors.As(err, new(problem.List)) {
			t.Errorf("%s: the error is a %T", c.says, err)
		}
	}
}
