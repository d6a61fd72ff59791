package casework

import (
	"fmt"
	"strings"

	"concilia/export/words"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// Obstacle is what keeps a request from being done.
type Obstacle struct {
	Case, Code string         // the case that it concerns and its rule; empty: no case
	Account    ledger.Account // the account that it concerns; 0: no account alone
	Message    string         // its id among the messages of group "obstacle"
	Values     []any          // names and values of the message's placeholders, alternating; dates, amounts, states and verbs as they are
}

// Text is the obstacle in a language.
func (o *Obstacle) Text(lang string) string {
	values := make([]any, len(o.Values))
	for i, v := range o.Values {
		values[i] = spellValue(lang, v)
	}
	text := words.Text(lang, "obstacle."+o.Message, values...)
	switch {
	case o.Case != "":
		return words.Text(lang, "obstacle.of_case", "case", o.Case, "code", o.Code, "text", text)
	case o.Account != 0:
		return words.Text(lang, "obstacle.of_account", "account", o.Account, "text", text)
	}
	return text
}

func spellValue(lang string, v any) string {
	switch v := v.(type) {
	case ledger.State:
		return words.Label(lang, "case_state", string(v))
	case []ledger.State:
		var out []string
		for _, s := range v {
			out = append(out, spellValue(lang, s))
		}
		return strings.Join(out, ", ")
	case ledger.Verb:
		return words.Label(lang, "act", string(v))
	}
	return catalogue.Spell(fmt.Sprint(v), lang)
}

// maxObstacles bounds how many obstacles are named one by one.
const maxObstacles = 10

// NewObstacleError is a request that obstacles keep from being done; intro is the line before them, or empty.
func NewObstacleError(intro words.Message, obstacles []Obstacle, hint words.Message) *RequestError {
	return &RequestError{Fault: words.Fault{Text: intro, Hint: hint}, Obstacles: obstacles}
}

func (e *RequestError) Error() string { return e.In("en") }

// In is what a person reads of the request at a terminal: its text, and its obstacles below it.
func (e *RequestError) In(lang string) string {
	if len(e.Obstacles) == 0 || e.Text.ID == "" {
		return e.Explain(lang)
	}
	return e.Text.In(lang) + "\n  " + strings.ReplaceAll(e.Explain(lang), "\n", "\n  ")
}

// Explain is what a person reads of the request on a page: its obstacles, a line each and the first ones by name; its text where it has
// none.
func (e *RequestError) Explain(lang string) string {
	if len(e.Obstacles) == 0 {
		return e.Text.In(lang)
	}
	var lines []string
	for i := range e.Obstacles[:min(len(e.Obstacles), maxObstacles)] {
		lines = append(lines, e.Obstacles[i].Text(lang))
	}
	if more := len(e.Obstacles) - maxObstacles; more > 0 {
		lines = append(lines, words.Text(lang, "obstacle.more", "n", more))
	}
	return strings.Join(lines, "\n")
}
