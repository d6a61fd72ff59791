package api

import (
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// A card number has 13 to 19 digits (ISO/IEC 7812); its first six and last four may be shown.
	minCard, maxCard      = 13, 19
	clearHead             = 6
	clearTail             = 4
	minPersonal           = 11 // digits of a CPF: the shortest run that names a person
	maskedDigit      byte = '*'
	maskedEscape          = `\u002a` // the same, as long as the escape of a digit
)

// glyph is one character of a text and the bytes that spell it.
type glyph struct {
	r     rune
	at, n int
}

// reader reads the glyph at a place. There are two, for text and for text as it stands inside a JSON string.
type reader func(b []byte, at int) glyph

// readPlain reads a character of text.
func readPlain(b []byte, at int) glyph {
	if b[at] < utf8.RuneSelf {
		return glyph{rune(b[at]), at, 1}
	}
	r, n := utf8.DecodeRune(b[at:])
	return glyph{r, at, n}
}

// readJSON reads a character that may be an escape, two of them when they are the halves of one character.
func readJSON(b []byte, at int) glyph {
	if b[at] != '\\' || at+1 == len(b) {
		return readPlain(b, at)
	}
	r, ok := unescape(b[at:])
	if !ok {
		return glyph{utf8.RuneError, at, 2} // \n and its like: nothing that stands in a number
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unescape(b[at+6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return glyph{utf16.DecodeRune(r, low), at, 12}
		}
	}
	return glyph{r, at, 6}
}

// unescape reads the \uXXXX at the start of b.
func unescape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}

// hide writes stars over a glyph, in its own length and so that JSON stays JSON.
func (g glyph) hide(b []byte) {
	escaped := b[g.at] == '\\' && g.n > 1
	for i := range g.n {
		if escaped {
			b[g.at+i] = maskedEscape[i%len(maskedEscape)]
		} else {
			b[g.at+i] = maskedDigit
		}
	}
}

// value is what a digit of any script stands for, or -1: a number in any of them is a number to whoever reads it.
func (g glyph) value() int {
	if '0' <= g.r && g.r <= '9' {
		return int(g.r - '0')
	}
	if g.r < utf8.RuneSelf || !unicode.Is(unicode.Nd, g.r) {
		return -1
	}
	// Digits stand in tens from zero on, and a range holds whole tens.
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= g.r && g.r <= rune(t.Hi) {
			return int(g.r-rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= g.r && g.r <= rune(t.Hi) {
			return int(g.r-rune(t.Lo)) % 10
		}
	}
	return -1
}

func separator(r rune) bool { return r == ' ' || r == '.' || r == '-' }

// maskCard hides the middle of a cardNumber member: every digit but those among the first six and the last four
// characters, blanks, dots and dashes not counted. The length stays. A number that is masked already stays as it is.
func maskCard(s string) string {
	// Most are short, or masked as they come: nothing is made then.
	if len(s) <= clearHead+clearTail {
		return s
	}
	b := []byte(s)
	if !hideMiddle(b, readPlain) {
		return s
	}
	return string(b)
}

// hideMiddle is maskCard in place; it says whether anything was in the clear.
func hideMiddle(b []byte, read reader) (hidden bool) {
	slots := 0
	for at := 0; at < len(b); {
		g := read(b, at)
		if !separator(g.r) {
			slots++
		}
		at += g.n
	}
	seen := 0
	for at := 0; at < len(b) && seen < slots-clearTail; {
		g := read(b, at)
		if !separator(g.r) {
			seen++
			if seen > clearHead && seen <= slots-clearTail && g.value() >= 0 {
				g.hide(b)
				hidden = true
			}
		}
		at += g.n
	}
	return hidden
}

// maskCards hides, in place and in the same length, the middle of everything in b that reads like a card number:
// 13 to 19 digits that pass Luhn, single separators between them allowed. Digits may be escaped as JSON escapes them.
func maskCards(b []byte) []byte {
	// What a mask leaves in the clear may begin a number with what follows it.
	for maskedSome := true; maskedSome; {
		maskedSome = false
		for _, run := range digitRuns(b) {
			maskedSome = maskRun(b, run) || maskedSome
		}
	}
	return b
}

func maskRun(b []byte, run []glyph) (hidden bool) {
	for from := 0; from < len(run); from++ {
		// A card begins and ends where a group of digits does; a part of a longer number is not a card.
		if from > 0 && adjacent(run[from-1], run[from]) {
			continue
		}
		for n := maxCard; n >= minCard; n-- {
			to := from + n
			if to > len(run) || to < len(run) && adjacent(run[to-1], run[to]) || !luhn(run[from:to]) {
				continue
			}
			for i := from + clearHead; i < to-clearTail; i++ {
				run[i].hide(b)
				run[i].r, hidden = rune(maskedDigit), true
			}
			break
		}
	}
	return hidden
}

func adjacent(a, b glyph) bool { return a.at+a.n == b.at }

// maskLong hides every digit of runs long enough to be a person's document or a card, whatever they are.
func maskLong(b []byte) []byte {
	for _, run := range digitRuns(b) {
		if len(run) >= minPersonal {
			for _, g := range run {
				g.hide(b)
			}
		}
	}
	return b
}

// digitRuns finds the digits that stand together, at most one separator between two.
func digitRuns(b []byte) [][]glyph {
	var runs [][]glyph
	var run []glyph
	gap := 0 // characters since the last digit, a separator as one and all else as two
	for at := 0; at < len(b); {
		g := readJSON(b, at)
		at += g.n
		switch {
		case g.value() >= 0:
			if gap > 1 && run != nil {
				runs, run = append(runs, run), nil
			}
			run, gap = append(run, g), 0
		case separator(g.r):
			gap++
		default:
			gap += 2
		}
	}
	return append(runs, run)
}

// luhn is the check of ISO/IEC 7812-1. A digit that is hidden already fails it.
func luhn(run []glyph) bool {
	sum := 0
	for i := range run {
		d := run[len(run)-1-i].value()
		if d < 0 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
