package mask

import (
	"bytes"
	"io"
	"slices"

	"concilia/store/ledger"
)

// A card number that a merchant's system wrote into a free text is hidden there as in cardNumber. Since one number in ten
// passes Luhn by chance, a free text must also begin as an issuer's numbers do: an order number stays as it is nearly always.
// Members that identify (NSU, authorization, slip id and numbers of a slip) are kept whole, or rows could not be distinguished.

// issuerRanges are the first digits of card numbers, from and to of equal length and both included, and the lengths that the
// numbers come in, as the networks publish them.
var issuerRanges = []struct {
	from, to string
	lengths  []int
}{
	{"4", "4", []int{13, 16, 19}},           // Visa
	{"51", "55", []int{16}},                 // Mastercard
	{"2221", "2720", []int{16}},             // Mastercard
	{"34", "34", []int{15}},                 // American Express
	{"37", "37", []int{15}},                 // American Express
	{"300", "305", []int{14}},               // Diners Club
	{"36", "36", []int{14}},                 // Diners Club
	{"38", "39", []int{14}},                 // Diners Club
	{"3528", "3589", []int{16}},             // JCB
	{"5067", "5067", []int{16}},             // Elo
	{"509", "509", []int{16}},               // Elo
	{"6277", "6277", []int{16}},             // Elo
	{"6362", "6363", []int{16}},             // Elo
	{"6011", "6011", []int{16, 19}},         // Discover
	{"644", "651", []int{16, 19}},           // Discover and Elo
	{"655", "655", []int{16}},               // Elo
	{"606282", "606282", []int{13, 16, 19}}, // Hipercard
	{"637", "637", []int{16}},               // Hiper
}

// isIssuersNumber says whether digits are a card number by their first ones, their length and their check digit. A valid
// CNPJ is none: payees are named by it.
func isIssuersNumber(run []glyph) bool {
	var digits [maxCard]byte
	for i := range run {
		d := run[i].digitValue()
		if d < 0 {
			return false
		}
		digits[i] = byte('0' + d)
	}
	if _, err := ledger.ParseDocument(string(digits[:len(run)])); err == nil {
		return false
	}
	for _, r := range issuerRanges {
		first := string(digits[:len(r.from)])
		if r.from <= first && first <= r.to && slices.Contains(r.lengths, len(run)) {
			return passesLuhn(run)
		}
	}
	return false
}

// mayHoldCard says, quickly, whether a text has a run of digits that may be a card number: 13 or more, and where they are one
// group, not too many and of a first digit that issuers have. What is escaped or not ASCII may hold one.
func mayHoldCard[T string | []byte](s T) bool {
	if len(s) < minCard || isWithoutDigits(s) {
		return false
	}
	digits, group, first := 0, 0, byte(0) // of the run, since its last separator, and its first digit
	isCard := func() bool {
		return digits >= minCard && (digits > group || group <= maxCard && '2' <= first && first <= '6')
	}
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			if digits == 0 {
				first = c
			}
			digits++
			group++
			continue
		case c == '\\' || c >= 0x80:
			return true
		case isSeparator(rune(c)) && group > 0:
			group = 0
			continue
		}
		if isCard() {
			return true
		}
		digits, group = 0, 0
	}
	return isCard()
}

// isWithoutDigits says whether a text is all ASCII, with neither a digit nor an escape: most long texts are names of members.
func isWithoutDigits[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c-'0' <= 9 || c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// FreeText hides the middle of every card number in a text.
func FreeText(s *string) {
	if !mayHoldCard(*s) {
		return
	}
	if b := []byte(*s); maskRuns(b, isIssuersNumber) {
		*s = string(b)
	}
}

// HoldsCard says whether a text has a card number in it.
func HoldsCard(s string) bool {
	return mayHoldCard(s) && maskRuns([]byte(s), isIssuersNumber)
}

// identifyingMembers are members whose text is kept whole, in lower case.
var identifyingMembers = [][]byte{
	[]byte("nsu"), []byte("codauth"), []byte("id"), []byte("ournumber"), []byte("barcode"), []byte("digitableline"), []byte("pixemv"),
	[]byte("payerdocument"),
}

func isIdentifying(name []byte) bool {
	if len(name) == 0 {
		return false
	}
	first := name[0] | 0x20 // in lower case, if it is a letter
	for _, m := range identifyingMembers {
		// Most names differ in their first letter. What is not ASCII may fold to one that is.
		if (first == m[0] || first >= 0x80) && bytes.EqualFold(name, m) {
			return true
		}
	}
	return false
}

const (
	// maxFreeText is how much of a text is looked at together; of a longer one the end is looked at with what follows.
	maxFreeText = 64 << 10
	// longestCard is more bytes than a card number takes with separators and every digit escaped.
	longestCard = 256
)

// textWriter passes on the JSON that is written to it, with card numbers in its texts masked in their own length, those
// of identifying members apart. It is a stream, and holds at most one text of it.
type textWriter struct {
	to io.Writer

	inText, escaped bool
	afterColon      bool   // since the last text
	identifying     bool   // the current value is of such a member
	name            []byte // the last text that ended
	held            []byte // the current text, so far
	out             []byte
}

// Write masks a copy of b and passes on all but a text that has not ended. It does not change b.
func (m *textWriter) Write(b []byte) (int, error) {
	m.out = m.out[:0]
	for rest := b; len(rest) > 0; {
		if !m.inText {
			rest = m.passGap(rest)
			continue
		}
		n := findTextEnd(rest, &m.escaped)
		switch {
		case n < 0:
			m.held = append(m.held, rest...)
			m.writeBeginning()
			rest = nil
			continue
		case len(m.held) == 0:
			m.endText(rest[:n])
		default:
			m.held = append(m.held, rest[:n]...)
			m.endText(m.held)
		}
		m.out = append(m.out, '"')
		rest = rest[n+1:]
	}
	_, err := m.to.Write(m.out)
	return len(b), err
}

// Close passes on a text that never ended.
func (m *textWriter) Close() error {
	m.out = m.out[:0]
	m.endText(m.held)
	_, err := m.to.Write(m.out)
	return err
}

// passGap passes on what is before the next text, its quote included, and returns the rest.
func (m *textWriter) passGap(b []byte) []byte {
	n := bytes.IndexByte(b, '"')
	gap := b
	if n >= 0 {
		gap = b[:n]
	}
	m.afterColon = m.afterColon || bytes.IndexByte(gap, ':') >= 0
	m.out = append(m.out, gap...)
	if n < 0 {
		return nil
	}
	if m.afterColon {
		m.identifying = isIdentifying(m.name)
	}
	m.afterColon, m.inText = false, true
	m.out = append(m.out, '"')
	return b[n+1:]
}

// endText passes on a text that has ended, masked in a copy where it is to be.
func (m *textWriter) endText(text []byte) {
	from := len(m.out)
	m.out = append(m.out, text...)
	text = m.out[from:]
	m.maskText(text)
	m.name = append(m.name[:0], text[:min(len(text), maxCardName)]...)
	m.held, m.inText = m.held[:0], false
}

// writeBeginning passes on the beginning of a text that is too long to be held whole.
func (m *textWriter) writeBeginning() {
	if len(m.held) <= maxFreeText {
		return
	}
	m.maskText(m.held)
	n := len(m.held) - longestCard
	m.out = append(m.out, m.held[:n]...)
	m.held = append(m.held[:0], m.held[n:]...)
}

// maskText masks the current text, or its beginning, in place.
func (m *textWriter) maskText(text []byte) {
	if !m.identifying && mayHoldCard(text) {
		maskRuns(text, isIssuersNumber)
	}
}
