package mask

import (
	"bytes"
	"io"
)

// BodyWriter passes on the JSON that is written to it with the card numbers in it masked: the values of cardNumber members, and
// what reads like a card number in other texts. Nearly every text needs neither and is passed over in one look; the rest, and
// texts that end in a later write, go through a memberWriter and a textWriter, which alone say what is masked.
type BodyWriter struct {
	to      io.Writer
	cards   *memberWriter // into texts
	texts   *textWriter   // into to
	scratch []byte
}

// carefulStep is how many bytes go through the maskers before the rest is passed over again.
const carefulStep = 96

// NewBodyWriter returns a writer that masks what it passes on to another.
func NewBodyWriter(to io.Writer) *BodyWriter {
	texts := &textWriter{to: to}
	return &BodyWriter{to: to, cards: newMemberWriter(texts), texts: texts}
}

// Write masks a copy of b and passes on what can be decided. It does not change b.
func (m *BodyWriter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		if n := m.passClean(rest); n > 0 {
			if _, err := m.to.Write(rest[:n]); err != nil {
				return 0, err
			}
			rest = rest[n:]
		}
		n := min(len(rest), carefulStep)
		if _, err := m.cards.Write(rest[:n]); err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return len(b), nil
}

// Close masks and passes on a text that never ended.
func (m *BodyWriter) Close() error {
	if err := m.cards.Close(); err != nil {
		return err
	}
	return m.texts.Close()
}

// passClean returns how many bytes of b, up to the end of a text, the maskers would pass on as they are, and leaves the maskers
// as if they had. It is 0 while they are within a text or a value.
func (m *BodyWriter) passClean(b []byte) (clean int) {
	t := m.texts
	if m.cards.state != outsideText || t.inText || len(t.held) > 0 {
		return 0
	}
	name, afterColon := t.name, t.afterColon
	var member []byte // whose value the text is
	isNamed := false  // member is known; else the text is of the member of the text before
	for {
		from, hasColon := findText(b, clean)
		n := plainTextEnd(b[from:])
		if n < 0 {
			break
		}
		text := b[from : from+n]
		if afterColon || hasColon {
			member, isNamed = name, true
		}
		end := from + n + 1
		if n >= minCard && mayHoldCard(text) { // few texts are that long
			if isNamed && !isIdentifying(member) || !isNamed && !t.identifying {
				break
			}
		}
		if n == len(cardName) && isCardName(text) { // a longer one has escapes
			value, ok := m.maskedCard(b[end:])
			if !ok {
				break
			}
			// Name and value go together: a memberWriter between them expects the value.
			member, isNamed = text, true
			text, end = value, end+len(`:""`)+len(value)
		}
		name, afterColon, clean = text, false, end
	}
	if clean > 0 {
		if isNamed {
			t.identifying = isIdentifying(member)
		}
		t.name, t.afterColon = append(t.name[:0], name[:min(len(name), maxCardName)]...), false
	}
	return clean
}

// findText returns the place behind the next quote, len(b) if there is none, and whether there is a colon before it.
func findText(b []byte, from int) (at int, hasColon bool) {
	for ; from < len(b); from++ {
		switch b[from] {
		case '"':
			return from + 1, hasColon
		case ':':
			hasColon = true
		}
	}
	return from, hasColon
}

// plainTextEnd is the place of the quote that ends a JSON text without escapes; -1 when it has some, or ends later.
func plainTextEnd(b []byte) int {
	n := bytes.IndexByte(b, '"')
	if n < 0 || bytes.IndexByte(b[:n], '\\') >= 0 {
		return -1
	}
	return n
}

// maskedCard is the text that follows the name cardNumber; ok is false unless it is one, which is masked already.
func (m *BodyWriter) maskedCard(b []byte) (value []byte, ok bool) {
	if len(b) < 2 || b[0] != ':' || b[1] != '"' {
		return nil, false
	}
	n := plainTextEnd(b[2:])
	if n < 0 {
		return nil, false
	}
	value = b[2 : 2+n]
	if !isMasked(value) {
		m.scratch = append(m.scratch[:0], value...)
		if maskMiddle(m.scratch, readPlain) {
			return value, false
		}
	}
	return value, !mayHoldCard(value)
}
