package api

import (
	"bytes"
	"time"
	"unicode/utf8"

	"concilia/store/ledger"
)

// The scanner reads records that are spelled as the service spells them, in one pass and almost without allocating. It
// never guesses: whatever is not the plain spelling it declines, and encoding/json reads it. What it does accept it
// must read as encoding/json would, which a fuzz target holds.

// Whole digits of numbers that certainly lie within the bounds of ledger.MaxAmount, ledger.MaxRate and 32 bits.
const (
	amountDigits = 12
	rateDigits   = 6
	wholeDigits  = 9
)

const (
	// seenTexts is how many texts are remembered; terminals, brands and statuses repeat in every row.
	seenTexts = 1 << 10
	// longestSeen is the longest text worth remembering.
	longestSeen = 40
)

// scanner is the memory of one answer: texts and days that came before are not made again.
type scanner struct {
	zone  *time.Location
	texts [seenTexts]string
	days  map[string]ledger.Date

	lastDay      string
	lastMidnight ledger.LocalTime
}

func newScanner(zone *time.Location) *scanner {
	return &scanner{zone: zone, days: map[string]ledger.Date{}}
}

// scan reads the object at the start of b into to and returns its length, or 0 when it is not all there or not plain.
// What it left in to then means nothing.
func (s *shape[T]) scan(b []byte, memory *scanner, to *T) int {
	if len(b) < 2 || b[0] != '{' {
		return 0
	}
	var seen uint64
	i := skip(b, 1)
	for next := 0; ; next++ {
		place, n := s.key(b[i:], next)
		if n == 0 || seen&(1<<place) != 0 || s.fields[place].fast == nil {
			return 0
		}
		seen |= 1 << place
		next = place
		i = skip(b, i+n)
		if n = s.fields[place].fast(b[i:], memory, to); n == 0 {
			return 0
		}
		if i = skip(b, i+n); i == len(b) {
			return 0
		}
		switch b[i] {
		case ',':
			i = skip(b, i+1)
		case '}':
			if seen&s.needed != s.needed {
				return 0
			}
			return i + 1
		default:
			return 0
		}
	}
}

// key reads a member's name and colon and returns its place. The place after the last one's is looked at first.
func (s *shape[T]) key(b []byte, next int) (place, n int) {
	if next < len(s.keys) && len(b) >= len(s.keys[next]) && string(b[:len(s.keys[next])]) == s.keys[next] {
		return next, len(s.keys[next])
	}
	if len(b) == 0 || b[0] != '"' {
		return 0, 0
	}
	end := bytes.IndexByte(b[1:], '"')
	if end < 0 {
		return 0, 0
	}
	place, ok := s.exact[string(b[1:1+end])]
	colon := skip(b, end+2)
	if !ok || colon == len(b) || b[colon] != ':' {
		return 0, 0
	}
	return place, colon + 1
}

// skip is the place of the first byte from i on that is no blank, or len(b).
func skip(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// quoted is the content of the string at the start of b, if it has no escapes; ok is false otherwise.
func quoted(b []byte) (in []byte, ok bool) {
	if len(b) < 2 || b[0] != '"' {
		return nil, false
	}
	ascii := true
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return b[1:i], ascii || utf8.Valid(b[1:i])
		case c == '\\' || c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// text reads a string without escapes, or null.
func (s *scanner) text(b []byte) (string, int) {
	in, ok := quoted(b)
	if !ok {
		return "", scanNull(b)
	}
	return s.keep(in), len(in) + 2
}

// keep is the text of in, the one made before if it was seen lately.
func (s *scanner) keep(in []byte) string {
	if len(in) == 0 {
		return ""
	}
	if len(in) > longestSeen {
		return string(in)
	}
	h := uint32(2166136261)
	for _, c := range in {
		h = (h ^ uint32(c)) * 16777619
	}
	at := &s.texts[h%seenTexts]
	if *at != string(in) {
		*at = string(in)
	}
	return *at
}

// scanNull is the length of the null at the start of b, or 0.
func scanNull(b []byte) int {
	if len(b) >= 4 && string(b[:4]) == "null" {
		return 4
	}
	return 0
}

// scanFixed reads a plain number with at most scale decimals and digits whole digits as an integer of 10^-scale. It
// declines what it does not see the end of.
func scanFixed(b []byte, scale, digits int) (v int64, n int) {
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		i, negative = 1, true
	}
	first := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		if i-first == digits {
			return 0, 0
		}
		v = v*10 + int64(b[i]-'0')
		i++
	}
	if i == first || b[first] == '0' && i > first+1 {
		return 0, 0
	}
	left := scale
	if i < len(b) && b[i] == '.' && left > 0 {
		point := i
		for i++; i < len(b) && '0' <= b[i] && b[i] <= '9' && left > 0; i++ {
			v = v*10 + int64(b[i]-'0')
			left--
		}
		if i == point+1 {
			return 0, 0
		}
	}
	if i == len(b) {
		return 0, 0
	}
	switch b[i] {
	case ',', '}', ' ', '\n', '\r', '\t':
	default:
		return 0, 0
	}
	for range left {
		v *= 10
	}
	if negative {
		v = -v
	}
	return v, i
}
