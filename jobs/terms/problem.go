package terms

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a file.
type Problem struct {
	File  string // as it was named to the parser
	Line  int    // from 1; 0: the file as a whole
	Key   string // such as contracts[0].rates[1].mdr; empty: the file as a whole
	Value string // as written, cut to a length; empty when there is none or it is not to be shown
	Want  string // what would be right
}

// String is one line: contract.yaml line 12 contracts[0].rates[1].mdr: "2,34": what would be right.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
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

// Problems are all problems of one file in the order of its lines. It is the error of every parser here.
type Problems []Problem

// shownProblems bounds the lines of an error: past them the file is wrong as a whole.
const shownProblems = 50

// Error is one line a problem, with a count of those beyond the first fifty.
func (p Problems) Error() string {
	lines := make([]string, 0, min(len(p), shownProblems)+1)
	for i, problem := range p {
		if i == shownProblems {
			more := "and 1 more problem"
			if n := len(p) - i; n > 1 {
				more = fmt.Sprintf("and %d more problems", n)
			}
			lines = append(lines, more)
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
