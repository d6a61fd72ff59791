package cnab

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plainText is what CNAB can hold of a text: accents dropped, upper case, ASCII, and a blank for anything else.
// Blanks around it go, since text stands on the left.
func plainText(s string) string {
	if isPlain(s) {
		return s
	}
	mapped := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		r = unicode.ToUpper(r)
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, norm.NFD.String(s))
	return strings.Trim(mapped, " ")
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || 'a' <= c && c <= 'z' {
			return false
		}
	}
	return s == "" || s[0] != ' ' && s[len(s)-1] != ' '
}
