package problem

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"concilia/export/words"
)

// Problem is one thing wrong with a file or the environment.
type Problem struct {
	File  string        // the name given to the parser, or Environment; empty: the configuration
	Line  int           // from 1; 0: not about one line
	Key   string        // such as contracts[0].rates[1].mdr, or the name of a variable; empty: the file as a whole
	Value string        // as written, cut by Shown; empty when there is none or it must not be shown
	Want  words.Message // what would be right
}

// Environment is File for variables.
const Environment = "environment"

// String is In English.
func (p Problem) String() string { return p.In("en") }

// In is one line in a language: concilia.yaml line 12 service.timeout: "soon": what would be right.
func (p Problem) In(language string) string {
	var b strings.Builder
	switch p.File {
	case "":
		b.WriteString(words.Text(language, "problem.configuration"))
	case Environment:
		b.WriteString(words.Text(language, "problem.environment"))
	default:
		b.WriteString(p.File)
	}
	if p.Line > 0 {
		b.WriteString(" " + words.Text(language, "problem.line", "line", p.Line))
	}
	if p.Key != "" {
		b.WriteString(" " + p.Key)
	}
	b.WriteString(": ")
	if p.Value != "" {
		fmt.Fprintf(&b, "%q: ", p.Value)
	}
	b.WriteString(p.Want.In(language))
	return b.String()
}

// List is the problems of one file, or of the configuration as a whole. As an error it is sorted by line.
type List []Problem

// maxLines is how many problems an error lists; a file with more is probably another kind of file.
const maxLines = 50

// Error is In English.
func (l List) Error() string { return l.In("en") }

// In has a line for each of the first fifty problems, and one with the number of the others, in a language.
func (l List) In(language string) string {
	lines := make([]string, 0, min(len(l), maxLines)+1)
	for _, p := range l[:min(len(l), maxLines)] {
		lines = append(lines, p.In(language))
	}
	if more := len(l) - maxLines; more > 0 {
		lines = append(lines, words.Text(language, "problem.more", "n", more))
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

// UnknownKey is the Want of a key that is not among keys: the most similar one, or all of them if none is similar.
func UnknownKey(key string, keys []string) words.Message {
	if near := Nearest(key, keys, len(key)/3+2); near != "" {
		return words.NewMessage("problem.unknown_near", "name", near)
	}
	return words.NewMessage("problem.unknown_key", "names", strings.Join(keys, ", "))
}

// Nearest is the first of the names that are most similar to a name, with fewer than limit letters changed, added or
// dropped; empty if there is none.
func Nearest(name string, names []string, limit int) string {
	best := ""
	for _, n := range names {
		if d := editDistance(name, n, limit); d < limit {
			best, limit = n, d
		}
	}
	return best
}

// editDistance is the number of letters to change, add or drop between two keys (Levenshtein), or limit if it is not less.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}

// numberPattern is a number as people write it in a file: in JSON syntax. The exponent is short, so that no number is too large
// for memory.
var numberPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// maxNumberText bounds the text of a number in bytes; no real one needs more.
const maxNumberText = 64

// ParseDecimal reads a number of the configuration, the contract or another file that people write, exactly as it is
// written: digits, a point before the decimals, a minus sign in front of a negative one, perhaps an exponent up to 999. No
// plus sign, no comma, no zeros in front, no blanks. The second result is false for any other text and for one longer
// than 64 bytes. ledger.ExactAmount and ledger.ExactRate check whether the number fits an amount or a rate.
func ParseDecimal(text string) (decimal.Decimal, bool) {
	if len(text) > maxNumberText || !numberPattern.MatchString(text) {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}
