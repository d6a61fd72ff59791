package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with the configuration.
type Problem struct {
	File  string // as it was named to Load, or "environment"
	Line  int    // from 1; 0: not on a line of the file
	Key   string // such as accounts[0].number, or the name of a variable; empty: the file as a whole
	Value string // as written, cut to a length; empty when there is none or it is secret
	Want  string // what would be right
}

// String is one line: concilia.yaml line 12 service.timeout: "soon": what would be right.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(cmp.Or(p.File, "configuration"))
	if p.Line > 0 {
		fmt.Fprintf(&b, " line %d", p.Line)
	}
	if p.Key != "" {
		b.WriteString(" " + p.Key)
	}
	b.WriteString(": ")
	if p.Value != "" {
		fmt.Fprintf(&b, "%q: ", p.Value)
	}
	b.WriteString(p.Want)
	return b.String()
}

// Problems are all problems of a configuration, those of the file in the order of its lines. It is the error of Load.
type Problems []Problem

// shownProblems bounds the lines of an error: past them the file is another kind of file.
const shownProblems = 50

// Error is one line a problem, with a count of those beyond the first fifty.
func (p Problems) Error() string {
	lines := make([]string, 0, min(len(p), shownProblems)+1)
	for i, problem := range p {
		if i == shownProblems {
			lines = append(lines, fmt.Sprintf("and %d more problems", len(p)-i))
			break
		}
		lines = append(lines, problem.String())
	}
	return strings.Join(lines, "\n")
}

// err is nil when there are none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return p
}

// shown cuts a value to what fits in a message.
func shown(value string) string {
	const most = 40
	if r := []rune(value); len(r) > most {
		return string(r[:most]) + "…"
	}
	return value
}
