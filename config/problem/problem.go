package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a file or the environment.
type Problem struct {
	File  string // as it was named to the parser, or "environment"; empty: the configuration
	Line  int    // from 1; 0: not about one line
	Key   string // such as contracts[0].rates[1].mdr, or the name of a variable; empty: the file as a whole
	Value string // as written, cut by Shown; empty when there is none or it must not be shown
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

// List is the problems of one file, or of the configuration as a whole. As an error it is sorted by line.
type List []Problem

// maxLines is how many problems an error lists: a file with more is another kind of file.
const maxLines = 50

// Error has a line for each of the first fifty problems, and one with the number of the others.
func (l List) Error() string {
	lines := make([]string, 0, min(len(l), maxLines)+1)
	for _, p := range l[:min(len(l), maxLines)] {
		lines = append(lines, p.String())
	}
	switch more := len(l) - maxLines; {
	case more == 1:
		lines = append(lines, "and 1 more problem")
	case more > 1:
		lines = append(lines, fmt.Sprintf("and %d more problems", more))
	}
	return strings.Join(lines, "\n")
}

// Err is the list, sorted by line, or nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	slices.SortStableFunc(l, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return l
}

// Shown cuts a value to a length that fits in a message.
func Shown(value string) string {
	const most = 40
	if r := []rune(value); len(r) > most {
		return string(r[:most]) + "…"
	}
	return value
}
