package desk

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var casePrefix = regexp.MustCompile(`^[0-9a-f]{6,16}$`)

// wholeCase is the length of a case's id.
const wholeCase = 16

// Resolve returns the ids of the named cases, sorted and without duplicates. A name is an id or six or more leading
// digits of it. Unknown and ambiguous names are returned together as a *RequestError.
func (d *Desk) Resolve(ctx context.Context, names []string) ([]string, error) {
	var ids, problems []string
	for _, name := range names {
		prefix := strings.ToLower(name)
		if !casePrefix.MatchString(prefix) {
			problems = append(problems, fmt.Sprintf("there is no case %q: its name is six to sixteen digits 0-9 a-f", name))
			continue
		}
		found, err := d.Ledger.Cases(ctx, prefix, 2)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0:
			problems = append(problems, fmt.Sprintf("there is no case %q", name))
		case len(found) > 1 && len(prefix) < wholeCase:
			problems = append(problems, fmt.Sprintf("%q is the beginning of several cases: %s, %s…", name, found[0], found[1]))
		default:
			ids = append(ids, found[0])
		}
	}
	if n := len(problems); n > 0 {
		if n > maxProblems {
			problems = append(problems[:maxProblems:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
		}
		return nil, &RequestError{strings.Join(problems, "; "), "concilia exceptions list names them"}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
