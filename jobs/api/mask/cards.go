package mask

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
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
	Star             byte = '*'
	maskedEscape          = `\u002a` // the same, as long as the escape of a digit
)

// glyph is one character of a text and the bytes that encode it.
type glyph struct {
	r     rune
	at, n int
}

// glyphReader reads the glyph at a position. There are two: for plain text and for text inside a JSON string.
type glyphReader func(b []byte, at int) glyph

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
	r, ok := readEscape(b[at:])
	if !ok {
		return glyph{utf8.RuneError, at, 2} // \n and other short escapes, which no number contains
	}
	if utf16.IsSurrogate(r) {
		if low, ok := readEscape(b[at+6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return glyph{utf16.DecodeRune(r, low), at, 12}
		}
	}
	return glyph{r, at, 6}
}

// readEscape reads the \uXXXX at the start of b.
func readEscape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}

// starOut replaces a glyph by stars of the same length, so that JSON stays valid.
func (g glyph) starOut(b []byte) {
	escaped := b[g.at] == '\\' && g.n > 1
	for i := range g.n {
		if escaped {
			b[g.at+i] = maskedEscape[i%len(maskedEscape)]
		} else {
			b[g.at+i] = Star
		}
	}
}

// digitValue is the value of a digit of any script, or -1: a card number may be written in any of them.
func (g glyph) digitValue() int {
	if '0' <= g.r && g.r <= '9' {
		return int(g.r - '0')
	}
	if g.r < utf8.RuneSelf || !unicode.Is(unicode.Nd, g.r) {
		return -1
	}
	// Unicode has the ten digits of a script in order from zero, and a range covers whole scripts.
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

func isSeparator(r rune) bool { return r == ' ' || r == '.' || r == '-' }

// Card hides the middle of a cardNumber member: every digit but those among the first six and the last four
// characters, blanks, dots and dashes not counted. The length stays. A number that is masked already stays as it is.
func Card(s string) string {
	if isMasked(s) { // as most come: nothing is made then
		return s
	}
	b := []byte(s)
	if !maskMiddle(b, readPlain) {
		return s
	}
	return string(b)
}

// isMasked says, quickly, whether maskMiddle has surely nothing to hide in a text: all of it but the first and the last bytes is stars. It
// may be false for others that have nothing to hide.
func isMasked[T string | []byte](s T) bool {
	for i := clearHead; i < len(s)-clearTail; i++ {
		if s[i] != Star {
			return false
		}
	}
	return true
}

// maskMiddle is Card in place; it reports whether a digit was in the clear.
func maskMiddle(b []byte, read glyphReader) (hidden bool) {
	slots := 0
	for at := 0; at < len(b); {
		g := read(b, at)
		if !isSeparator(g.r) {
			slots++
		}
		at += g.n
	}
	seen := 0
	for at := 0; at < len(b) && seen < slots-clearTail; {
		g := read(b, at)
		if !isSeparator(g.r) {
			seen++
			if seen > clearHead && seen <= slots-clearTail && g.digitValue() >= 0 {
				g.starOut(b)
				hidden = true
			}
		}
		at += g.n
	}
	return hidden
}

// Cards hides, in place and in the same length, the middle of everything in b that reads like a card number:
// 13 to 19 digits that pass Luhn, single separators between them allowed. Digits may be escaped as JSON escapes them.
func Cards(b []byte) []byte {
	maskRuns(b, passesLuhn)
	return b
}

// CardsOfIssuers hides, in place, the card numbers in a text that is no answer of the service.
func CardsOfIssuers(text []byte) {
	if mayHoldCard(text) {
		maskRuns(text, isIssuersNumber)
	}
}

// maskRuns hides, in place, the middle of every 13 to 19 digits that are a card number, and reports whether there was one.
func maskRuns(b []byte, isCard func([]glyph) bool) (hidden bool) {
	// The digits that a mask leaves may be part of another card number together with what follows.
	for maskedSome := true; maskedSome; {
		maskedSome = false
		for _, run := range digitRuns(b) {
			maskedSome = maskRun(b, run, isCard) || maskedSome
		}
		hidden = hidden || maskedSome
	}
	return hidden
}

func maskRun(b []byte, run []glyph, isCard func([]glyph) bool) (hidden bool) {
	for from := 0; from < len(run); from++ {
		// A card begins and ends where a group of digits does; a part of a longer number is not a card.
		if from > 0 && areAdjacent(run[from-1], run[from]) {
			continue
		}
		for n := maxCard; n >= minCard; n-- {
			to := from + n
			if to > len(run) || to < len(run) && areAdjacent(run[to-1], run[to]) || !isCard(run[from:to]) {
				continue
			}
			for i := from + clearHead; i < to-clearTail; i++ {
				run[i].starOut(b)
				run[i].r, hidden = rune(Star), true
			}
			break
		}
	}
	return hidden
}

func areAdjacent(a, b glyph) bool { return a.at+a.n == b.at }

// LongRuns hides every digit of runs long enough to be a person's document or a card number.
func LongRuns(b []byte) []byte {
	for _, run := range digitRuns(b) {
		if len(run) >= minPersonal {
			for _, g := range run {
				g.starOut(b)
			}
		}
	}
	return b
}

// digitRuns finds the runs of digits with at most one separator between two digits.
func digitRuns(b []byte) [][]glyph {
	var runs [][]glyph
	var run []glyph
	gap := 0 // characters since the last digit, a separator as one and all else as two
	for at := 0; at < len(b); {
		g := readJSON(b, at)
		at += g.n
		switch {
		case g.digitValue() >= 0:
			if gap > 1 && run != nil {
				runs, run = append(runs, run), nil
			}
			run, gap = append(run, g), 0
		case isSeparator(g.r):
			gap++
		default:
			gap += 2
		}
	}
	return append(runs, run)
}

// passesLuhn checks the check digit of ISO/IEC 7812-1. A run with a hidden digit fails.
func passesLuhn(run []glyph) bool {
	sum := 0
	for i := range run {
		d := run[len(run)-1-i].digitValue()
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

// memberWriter passes on what is written to it, with the value of every cardNumber member masked in its own length. It is a
// stream: it buffers at most one such value, and the boundaries of writes make no difference. It does not validate: text
// that is not JSON is passed on as well.
type memberWriter struct {
	to      io.Writer
	state   maskState
	name    []byte // the current string, escapes included; cut at maxCardName
	held    []byte // the current value, if it is a card number's
	escaped bool   // within a string, behind a backslash
	depth   int    // brackets open within the value of a cardNumber member
}

type maskState uint8

const (
	outsideText     maskState = iota // outside of strings
	insideText                       // in a string that may be a name
	afterName                        // behind the name cardNumber, before its colon
	afterColon                       // behind the colon
	insideContainer                  // in a list or an object that is the member's value
	insideCardText                   // in a string that is to be masked
	insideCardWord                   // in a number or another word that is to be masked
)

const (
	cardName = "cardnumber" // in lower case: members match without regard to it
	// maxCardName is more than the name takes with every letter escaped.
	maxCardName = 64
)

func newMemberWriter(to io.Writer) *memberWriter { return &memberWriter{to: to} }

// Write masks a copy of b and passes on what can be decided. It does not change b.
func (m *memberWriter) Write(b []byte) (int, error) {
	done := 0 // b up to here has been passed on or buffered
	hand := func(i int) error {
		var err error
		if i > done {
			_, err = m.to.Write(b[done:i])
		}
		done = i
		return err
	}
	for i := 0; i < len(b); {
		if m.state != insideCardText && m.state != insideCardWord {
			i = m.skipUnmasked(b, i)
			continue
		}
		if err := hand(i); err != nil {
			return 0, err
		}
		n, ended := m.holdValue(b[i:])
		i += n
		done = i
		if ended {
			if err := m.writeHeld(true); err != nil {
				return 0, err
			}
		}
	}
	return len(b), hand(len(b))
}

// Close masks and passes on a value that never ended.
func (m *memberWriter) Close() error { return m.writeHeld(false) }

// skipUnmasked skips bytes that are not masked and returns the position after them.
func (m *memberWriter) skipUnmasked(b []byte, i int) int {
	switch m.state {
	case outsideText:
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		m.state, m.name = insideText, m.name[:0]
		return i + n + 1
	case insideText:
		return m.readName(b, i)
	}
	c := b[i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
	case m.state == afterName && c == ':':
		m.state = afterColon
	case m.state == afterName:
		m.state = outsideText
		return i
	case c == '"':
		m.state = insideCardText
	case c == '{', c == '[':
		m.state = insideContainer
		m.depth++
	case c == '}', c == ']', c == ',', c == ':':
		if m.state == afterColon { // no value at all
			m.state = outsideText
			return i
		}
		if c == '}' || c == ']' {
			if m.depth--; m.depth == 0 {
				m.state = outsideText
			}
		}
	default:
		m.state = insideCardWord
		return i
	}
	return i + 1
}

// readName reads to the end of a string and checks whether it is the name cardNumber.
func (m *memberWriter) readName(b []byte, i int) int {
	n := findTextEnd(b[i:], &m.escaped)
	if n < 0 {
		m.appendName(b[i:])
		return len(b)
	}
	m.appendName(b[i : i+n])
	if m.state = outsideText; isCardName(m.name) {
		m.state = afterName
	}
	return i + n + 1
}

// findTextEnd is the place of the quote that ends a JSON text, or -1. escaped says whether a backslash is before b, and
// afterwards whether one is at its end.
func findTextEnd(b []byte, escaped *bool) int {
	if n := bytes.IndexByte(b, '"'); n >= 0 && !*escaped && bytes.IndexByte(b[:n], '\\') < 0 {
		return n // as nearly every text ends
	}
	for i, c := range b {
		switch {
		case *escaped:
			*escaped = false
		case c == '\\':
			*escaped = true
		case c == '"':
			return i
		}
	}
	return -1
}

func (m *memberWriter) appendName(b []byte) {
	m.name = append(m.name, b[:min(len(b), maxCardName+1-len(m.name))]...)
}

func isCardName(spelled []byte) bool {
	if len(spelled) < len(cardName) || len(spelled) > maxCardName {
		return false
	}
	if bytes.IndexByte(spelled, '\\') < 0 {
		return len(spelled) == len(cardName) && bytes.EqualFold(spelled, []byte(cardName))
	}
	var name string
	return json.Unmarshal([]byte(`"`+string(spelled)+`"`), &name) == nil && strings.EqualFold(name, cardName)
}

// holdValue buffers the part of b that belongs to the value, up to and including the closing quote of a text, and reports
// whether the value ends there.
func (m *memberWriter) holdValue(b []byte) (n int, ended bool) {
	for i, c := range b {
		switch {
		case m.state == insideCardWord:
			if strings.IndexByte(" \t\r\n,:]}\"", c) >= 0 {
				m.held = append(m.held, b[:i]...)
				return i, true
			}
		case m.escaped:
			m.escaped = false
		case c == '\\':
			m.escaped = true
		case c == '"':
			m.held = append(m.held, b[:i]...)
			return i + 1, true
		}
	}
	m.held = append(m.held, b...)
	return len(b), false
}

// writeHeld masks the buffered value and passes it on.
func (m *memberWriter) writeHeld(ended bool) error {
	maskMiddle(m.held, readJSON)
	if ended && m.state == insideCardText {
		m.held = append(m.held, '"')
	}
	_, err := m.to.Write(m.held)
	m.held = m.held[:0]
	if m.state = outsideText; m.depth > 0 {
		m.state = insideContainer
	}
	return err
}

// Members is a copy of a record with the middle of every cardNumber member hidden, whether or not it passes Luhn.
func Members(record []byte) []byte {
	var b bytes.Buffer
	m := newMemberWriter(&b)
	// Writing to a buffer does not fail.
	_, _ = m.Write(record)
	_ = m.Close()
	return b.Bytes()
}
