package results

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"concilia/store/ledger"
)

// encodeBrackets returns JSON as encoding/json would write it; the names in it need no escaping.
func encodeBrackets(all []ledger.Bracket) string { return string(appendBrackets(nil, all)) }

// appendBrackets appends what encodeBrackets returns.
func appendBrackets(b []byte, all []ledger.Bracket) []byte {
	if all == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range all {
		x := &all[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = appendBracketText(b, `{"Line":"`, string(x.Line))
		b = appendBracketText(b, `","Reason":"`, x.Reason)
		if x.Origin != "" {
			b = appendBracketText(b, `","Origin":"`, string(x.Origin))
		}
		b = strconv.AppendInt(append(b, `","Amount":`...), int64(x.Amount), 10)
		if x.Code != "" {
			b = append(appendBracketText(b, `,"Code":"`, x.Code), '"')
		}
		if x.Case != "" {
			b = append(appendBracketText(b, `,"Case":"`, x.Case), '"')
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendBracketText(b []byte, before, text string) []byte {
	return append(append(b, before...), text...)
}

// decodeBrackets reads what encodeBrackets wrote. There is one in every row, and the general decoder takes longer than the rest of
// the row; it reads whatever is spelled otherwise.
func decodeBrackets(text string, to *[]ledger.Bracket) error {
	if text == "null" { // as most are
		*to = nil
		return nil
	}
	if out, ok := scanBrackets(text); ok {
		*to = out
		return nil
	}
	return json.Unmarshal([]byte(text), to)
}

func scanBrackets(text string) (out []ledger.Bracket, ok bool) {
	out = make([]ledger.Bracket, 0, strings.Count(text, "{"))
	s := textScanner{rest: text, ok: true}
	s.expectText("[")
	for s.ok && !s.takeText("]") {
		if len(out) > 0 {
			s.expectText(",")
		}
		var b ledger.Bracket
		s.expectText(`{"Line":`)
		b.Line = ledger.BridgeLine(s.next())
		s.expectText(`,"Reason":`)
		b.Reason = s.next()
		if s.takeText(`,"Origin":`) {
			b.Origin = ledger.BridgeLine(s.next())
		}
		s.expectText(`,"Amount":`)
		b.Amount = ledger.Amount(s.nextNumber())
		if s.takeText(`,"Code":`) {
			b.Code = s.next()
		}
		if s.takeText(`,"Case":`) {
			b.Case = s.next()
		}
		s.expectText("}")
		out = append(out, b)
	}
	return out, s.ok && s.rest == ""
}

// textScanner reads JSON of a known spelling; ok is false once it is spelled otherwise.
type textScanner struct {
	rest string
	ok   bool
}

// takeText reports whether a text comes next, and passes over it.
func (s *textScanner) takeText(text string) bool {
	rest, found := strings.CutPrefix(s.rest, text)
	s.rest = rest
	return found
}

// expectText passes over a text that has to come next.
func (s *textScanner) expectText(text string) { s.ok = s.takeText(text) && s.ok }

// next reads a quoted text without escapes.
func (s *textScanner) next() string {
	if s.rest == "" || s.rest[0] != '"' {
		s.ok = false
		return ""
	}
	text, rest, found := strings.Cut(s.rest[1:], `"`)
	for i := range len(text) {
		found = found && text[i] >= ' ' && text[i] < utf8.RuneSelf && text[i] != '\\'
	}
	s.rest, s.ok = rest, s.ok && found
	return text
}

// nextNumber reads an integer as Go writes it.
func (s *textScanner) nextNumber() int64 {
	n := 0
	for n < len(s.rest) && (s.rest[n] == '-' || '0' <= s.rest[n] && s.rest[n] <= '9') {
		n++
	}
	v, err := strconv.ParseInt(s.rest[:n], 10, 64)
	s.ok = s.ok && err == nil && strconv.FormatInt(v, 10) == s.rest[:n]
	s.rest = s.rest[n:]
	return v
}
