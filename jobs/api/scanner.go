package api

import (
	"bytes"
	"time"
	"unicode/utf8"

	"concilia/store/ledger"
)

// The scanner reads records in the plain form in which the service writes them, in one pass and almost without allocating.
// It declines every other form, which encoding/json then reads. What it accepts it must read as encoding/json would; a
// fuzz target checks this.

// Whole digits of numbers that certainly lie within the bounds of maxRowAmount, ledger.MaxRate and 32 bits.
const (
	amountDigits = 9
	rateDigits   = 6
	wholeDigits  = 9
)

const (
	// internedTexts is how many texts are remembered, since terminals, brands and statuses repeat in every row.
	internedTexts = 1 << 10
	// maxInternedText is the length in bytes of the longest text that is remembered.
	maxInternedText = 40
)

// scanner remembers the texts and days of one answer, so that repeated ones are not allocated again.
type scanner struct {
	zone  *time.Location
	texts [internedTexts]string
	days  map[string]ledger.Date

	lastDay      string
	lastMidnight ledger.LocalTime
}

func newScanner(zone *time.Location) *scanner {
	return &scanner{zone: zone, days: map[string]ledger.Date{}}
}

// scanRecord reads the object at the start of b into to and returns its length, or 0 if it is incomplete or not in the
// plain form. Then the content of to is undefined.
func (s *shape[T]) scanRecord(b []byte, memory *scanner, to *T) int {
	if len(b) < 2 || b[0] != '{' {
		return 0
	}
	var seen uint64
	i := skipBlanks(b, 1)
	for next := 0; ; next++ {
		place, n := s.scanKey(b[i:], next)
		if n == 0 || seen&(1<<place) != 0 || s.fields[place].scan == nil {
			return 0
		}
		seen |= 1 << place
		next = place
		i = skipBlanks(b, i+n)
		if n = s.fields[place].scan(b[i:], memory, to); n == 0 {
			return 0
		}
		if i = skipBlanks(b, i+n); i == len(b) {
			return 0
		}
		switch b[i] {
		case ',':
			i = skipBlanks(b, i+1)
		case '}':
			if seen&s.requiredBits != s.requiredBits {
				return 0
			}
			return i + 1
		default:
			return 0
		}
	}
}

// scanKey reads a member's name and colon and returns the member's position and the length read. It tries the member at
// position next first.
func (s *shape[T]) scanKey(b []byte, next int) (place, n int) {
	if next < len(s.quotedNames) && len(b) >= len(s.quotedNames[next]) && string(b[:len(s.quotedNames[next])]) == s.quotedNames[next] {
		return next, len(s.quotedNames[next])
	}
	if len(b) == 0 || b[0] != '"' {
		return 0, 0
	}
	end := bytes.IndexByte(b[1:], '"')
	if end < 0 {
		return 0, 0
	}
	place, ok := s.byName[string(b[1:1+end])]
	colon := skipBlanks(b, end+2)
	if !ok || colon == len(b) || b[colon] != ':' {
		return 0, 0
	}
	return place, colon + 1
}

// skipBlanks returns the position of the first byte from i on that is not a blank, or len(b).
func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// scanQuoted returns the content of the string at the start of b; ok is false if it has escapes or is incomplete.
func scanQuoted(b []byte) (in []byte, ok bool) {
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

// scanText reads a string without escapes, or null.
func (s *scanner) scanText(b []byte) (string, int) {
	in, ok := scanQuoted(b)
	if !ok {
		return "", scanNull(b)
	}
	return s.internText(in), len(in) + 2
}

// internText returns in as a string, an equal one allocated earlier if it is still remembered.
func (s *scanner) internText(in []byte) string {
	if len(in) == 0 {
		return ""
	}
	if len(in) > maxInternedText {
		return string(in)
	}
	h := uint32(2166136261)
	for _, c := range in {
		h = (h ^ uint32(c)) * 16777619
	}
	at := &s.texts[h%internedTexts]
	if *at != string(in) {
		*at = string(in)
	}
	return *at
}

// scanNull returns the length of the null at the start of b, or 0.
func scanNull(b []byte) int {
	if len(b) >= 4 && string(b[:4]) == "null" {
		return 4
	}
	return 0
}

// scanFixed reads a plain number with at most scale decimals and digits whole digits as an integer of 10^-scale. It
// declines a number whose end is not in b.
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

// maxDays bounds the days that a scanner remembers; an answer has few different ones.
const maxDays = 1 << 12

// scanDate reads "YYYY-MM-DD", "" or null.
func (s *scanner) scanDate(b []byte) (ledger.Date, int) {
	in, ok := scanQuoted(b)
	switch {
	case !ok:
		return 0, scanNull(b)
	case len(in) == 0:
		return 0, 2
	case len(in) != len("2026-11-02"):
		return 0, 0
	}
	d, ok := s.lookUpDate(in)
	if !ok {
		return 0, 0
	}
	return d, len(in) + 2
}

// lookUpDate parses in, or returns the date parsed before; ok is false if it is not a date after the zero date.
func (s *scanner) lookUpDate(in []byte) (ledger.Date, bool) {
	if d, ok := s.days[string(in)]; ok {
		return d, true
	}
	d, err := ledger.ParseDate(string(in))
	if err != nil || d <= 1 {
		return 0, false
	}
	if len(s.days) == maxDays {
		clear(s.days)
	}
	s.days[string(in)] = d
	return d, true
}

// ticksPerSecond is the number of ticks of a ledger.LocalTime in a second.
const ticksPerSecond = 10_000_000

// scanLocalTime reads "YYYY-MM-DDTHH:MM:SS"; package ledger parses other forms without escapes.
func (s *scanner) scanLocalTime(b []byte) (ledger.LocalTime, int) {
	in, ok := scanQuoted(b)
	if !ok || len(in) < len("2026-11-02T16:19:29") {
		return 0, 0
	}
	if len(in) == len("2026-11-02T16:19:29") && in[10] == 'T' && in[13] == ':' && in[16] == ':' {
		midnight, ok := s.lookUpMidnight(in[:10])
		h, m, sec := twoDigits(in[11:]), twoDigits(in[14:]), twoDigits(in[17:])
		if ok && h < 24 && m < 60 && sec < 60 {
			return midnight + ledger.LocalTime((h*60+m)*60+sec)*ticksPerSecond, len(in) + 2
		}
	}
	t, err := ledger.ParseLocalTime(string(in), s.zone)
	if err != nil || t <= 0 {
		return 0, 0
	}
	return t, len(in) + 2
}

// lookUpMidnight returns the beginning of the day in; ok is false if it is not a date after the zero date. Most rows of an
// answer share their day, so the last one is remembered.
func (s *scanner) lookUpMidnight(in []byte) (ledger.LocalTime, bool) {
	if string(in) == s.lastDay {
		return s.lastMidnight, true
	}
	t, err := ledger.ParseLocalTime(string(in), s.zone)
	if err != nil || t <= 0 {
		return 0, false
	}
	s.lastDay, s.lastMidnight = string(in), t
	return t, true
}

// twoDigits returns the number of two digits, or 100 if they are not digits.
func twoDigits(b []byte) uint {
	tens, ones := uint(b[0]-'0'), uint(b[1]-'0')
	if tens > 9 || ones > 9 {
		return 100
	}
	return tens*10 + ones
}

// scanInstallment reads the record at the start of b, its card masked, and returns its length or 0.
func scanInstallment(b []byte, s *scanner, to *ledger.Installment) int {
	n := installmentShape.scanRecord(b, s, to)
	if n > 0 {
		maskInstallmentCard(to)
	}
	return n
}

// scanSplits reads an array of plain splits, or null.
func scanSplits(b []byte, s *scanner, to *ledger.Installment) int {
	if len(b) == 0 || b[0] != '[' {
		return scanNull(b)
	}
	i := skipBlanks(b, 1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for range maxSplits {
		to.Splits = append(to.Splits, ledger.Split{})
		n := splitShape.scanRecord(b[i:], s, &to.Splits[len(to.Splits)-1])
		if n == 0 {
			return 0
		}
		if i = skipBlanks(b, i+n); i == len(b) {
			return 0
		}
		switch b[i] {
		case ',':
			i = skipBlanks(b, i+1)
		case ']':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
