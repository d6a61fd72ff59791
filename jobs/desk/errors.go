package desk

import (
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// RequestError is a request that cannot be fulfilled as it is; Hint says what would help.
type RequestError struct{ Text, Hint string }

func (e *RequestError) Error() string { return e.Text }

// maxProblems bounds how many cases an act that can't be done names one by one.
const maxProblems = 10

// cappedProblems tells what stands in the way, the first ones by name.
func cappedProblems(verb ledger.Verb, problems []string, of int) error {
	n := len(problems)
	if n > maxProblems {
		problems = append(problems[:maxProblems:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	return &RequestError{
		fmt.Sprintf("nothing was done: %s does not fit %d of %d cases:\n  %s", verb, n, of, strings.Join(problems, "\n  ")),
		"concilia exceptions list shows the states; leave these cases out, or narrow the filter",
	}
}
