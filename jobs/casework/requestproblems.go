package casework

import (
	"concilia/export/words"
	"concilia/store/ledger"
)

// requestProblems gathers all that is wrong with a request.
type requestProblems struct{ found []words.Message }

// addIf adds a problem, by the id of its text, if it is one.
func (p *requestProblems) addIf(wrong bool, id string, values ...any) {
	if wrong {
		p.found = append(p.found, words.NewMessage(id, values...))
	}
}

// checkText adds a problem unless the value of a flag is plain text of at most so many characters.
func (p *requestProblems) checkText(flag, value string, most int) {
	p.addIf(ledger.CheckPlainText(value, most) != nil, "error.plain_text", "flag", flag, "most", most)
}

// refuseRequest returns the error of a request with problems, whose hint names the command that has help; nil without problems.
func (p *requestProblems) refuseRequest(command string) error {
	if len(p.found) == 0 {
		return nil
	}
	return NewRequestError("error.problems", "hint.help_of", "problems", p.found, "command", command)
}
