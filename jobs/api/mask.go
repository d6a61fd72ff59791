package api

import (
	"bytes"
	"unicode/utf8"
)

const (
	// A card number has 13 to 19 digits (ISO/IEC 7812); its first six and last four may be shown.
	minCard, maxCard      = 13, 19
	clearHead             = 6
	clearTail             = 4
	minPersonal           = 11 // digits of a CPF: the shortest run that names a person
	maskedDigit      byte = '*'
)

// maskCard hides the middle of a cardNumber member: every digit but those among the first six and the last four
// characters, blanks, dots and dashes not counted. A number that is masked already stays as it is.
func maskCard(s string) string {
	slots := 0
	for _, r := range s {
		if !separator(r) {
			slots++
		}
	}
	if slots <= clearHead+clearTail {
		return s
	}
	var b []byte
	at := 0
	for i, r := range s {
		if separator(r) {
			continue
		}
		if at++; at > clearHead && at <= slots-clearTail && '0' <= r && r <= '9' {
			if b == nil {
				b = []byte(s)
			}
			b[i] = maskedDigit
		}
	}
	if b == nil {
		return s
	}
	return string(b)
}

func separator(r rune) bool { return r == ' ' || r == '.' || r == '-' }

// maskCards hides, in place and in the same length, the middle of everything in b that reads like a card number:
// 13 to 19 digits that pass Luhn, single separators between them allowed.
func maskCards(b []byte) []byte {
	for _, run := range digitRuns(b) {
		for from := 0; from < len(run); from++ {
			// A card begins and ends where a group of digits does; a part of a longer number is not a card.
			if from > 0 && run[from] == run[from-1]+1 {
				continue
			}
			for n := maxCard; n >= minCard; n-- {
				to := from + n
				if to > len(run) || (to < len(run) && run[to] == run[to-1]+1) || !luhn(b, run[from:to]) {
					continue
				}
				for _, i := range run[from+clearHead : to-clearTail] {
					b[i] = maskedDigit
				}
				break
			}
		}
	}
	return b
}

// maskLong hides every digit of runs long enough to be a person's document or a card, whatever they are.
func maskLong(b []byte) []byte {
	for _, run := range digitRuns(b) {
		if len(run) >= minPersonal {
			for _, i := range run {
				b[i] = maskedDigit
			}
		}
	}
	return b
}

// digitRuns finds the places of digits that stand together, at most one separator between two.
func digitRuns(b []byte) [][]int {
	var runs [][]int
	var run []int
	for i, c := range b {
		if '0' <= c && c <= '9' {
			if n := len(run); n > 0 && run[n-1] != i-1 && (run[n-1] != i-2 || !separator(rune(b[i-1]))) {
				runs, run = append(runs, run), nil
			}
			run = append(run, i)
		}
	}
	return append(runs, run)
}

// luhn is the check of ISO/IEC 7812-1 over the digits at places. A digit that is hidden already fails it.
func luhn(b []byte, places []int) bool {
	sum := 0
	for i := range places {
		c := b[places[len(places)-1-i]]
		if c < '0' || c > '9' {
			return false
		}
		d := int(c - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// plainDigits spells digits and separators that hide behind \u00XX escapes as themselves, so that no card number
// passes by in disguise. The text means the same JSON afterwards.
func plainDigits(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u00`)) {
		return bytes.Clone(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		if raw[i+1] == 'u' && i+6 <= len(raw) {
			if c := hexByte(raw[i+2 : i+6]); c != 0 && ('0' <= c && c <= '9' || separator(rune(c))) {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, raw[i], raw[i+1])
		i++
	}
	return out
}

// hexByte is the ASCII character that four hex digits spell, or 0.
func hexByte(x []byte) byte {
	v := 0
	for _, c := range x {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 | int(c|0x20-'a'+10)
		default:
			return 0
		}
	}
	if v >= utf8.RuneSelf {
		return 0
	}
	return byte(v)
}
