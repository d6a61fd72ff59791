package xlsx

import (
	"strings"
	"unicode/utf8"
)

// maxText is the most characters, in UTF-16 units, that a spreadsheet takes in one cell; it calls a file with more damaged.
const maxText = 32767

// appendText appends s as the text of an inline string.
//
// What XML cannot carry (control characters, bytes that are no UTF-8) becomes U+FFFD, so that it shows that something
// stood there; line ends become LF, as any XML reader would make them. A sequence that spreadsheets read as an escape,
// _x0041_, is escaped itself. A text past maxText ends in an ellipsis.
func appendText(b []byte, s string) []byte {
	units, start := 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			units++
			if r > 0xFFFF {
				units++
			}
			if units > maxText || units == maxText && i+size < len(s) {
				return append(append(b, s[start:i]...), "…"...)
			}
			if (r == utf8.RuneError && size == 1) || r == 0xFFFE || r == 0xFFFF {
				b = append(append(b, s[start:i]...), "\uFFFD"...)
				start = i + size
			}
			i += size
			continue
		}
		units++
		if units == maxText && i+1 < len(s) {
			return append(append(b, s[start:i]...), "…"...)
		}
		if needsEscape[c] {
			esc, skip := escapeAt(s, i)
			if esc != "" {
				b = append(append(b, s[start:i]...), esc...)
				start = i + skip
				i += skip
				continue
			}
		}
		i++
	}
	return append(b, s[start:]...)
}

// needsEscape marks the ASCII bytes that may need other bytes in their place.
var needsEscape = func() (t [utf8.RuneSelf]bool) {
	for c := range 0x20 {
		t[c] = c != '\t' && c != '\n'
	}
	for _, c := range "&<>\"_" {
		t[c] = true
	}
	return t
}()

// escapeAt is what stands for the special byte at i, and how many bytes it stands for; "" leaves it.
func escapeAt(s string, i int) (string, int) {
	switch s[i] {
	case '&':
		return "&amp;", 1
	case '<':
		return "&lt;", 1
	case '>':
		return "&gt;", 1
	case '"':
		return "&quot;", 1
	case '\r':
		if i+1 < len(s) && s[i+1] == '\n' {
			return "\n", 2
		}
		return "\n", 1
	case '_':
		if isEscape(s[i:]) {
			return "_x005F_", 1
		}
		return "", 1
	}
	return "\uFFFD", 1
}

// isEscape says whether s begins with _xHHHH_, the format's way to write a character by its number.
func isEscape(s string) bool {
	if len(s) < 7 || s[0] != '_' || s[1] != 'x' || s[6] != '_' {
		return false
	}
	for _, c := range []byte(s[2:6]) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// needsSpace says whether the text has white space that a reader may drop unless it is told to keep it.
func needsSpace(s string) bool {
	if s == "" {
		return false
	}
	first, last := s[0], s[len(s)-1]
	return first <= ' ' || last <= ' ' || strings.ContainsAny(s, "\n\r\t") || strings.Contains(s, "  ")
}
