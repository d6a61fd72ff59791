package ledger

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Document is a Brazilian tax id without punctuation: a CPF of 11 digits, or a CNPJ of 14 characters, of which the first
// 12 may be upper-case letters too. Empty is no document. Only ParseDocument returns one with valid check digits. It is
// text because a CNPJ is compared as text.
type Document string

// DocumentKind is the kind of a document: a person's or a company's.
type DocumentKind uint8

// The kinds, numbered as CNAB 240 numbers them in its "tipo de inscrição" columns.
const (
	NoDocument DocumentKind = 0
	CPF        DocumentKind = 1
	CNPJ       DocumentKind = 2
)

const (
	cpfLength  = 11
	cnpjLength = 14
)

// maxDocumentText bounds the text in bytes. A punctuated CNPJ has 18 characters; the rest is room for blanks.
const maxDocumentText = 40

// ParseDocument reads a CPF or a CNPJ with or without dots, slashes, dashes and blanks; lower-case letters count
// as upper-case ones. Its errors name the check that fails and the digit that would be right, never the document.
func ParseDocument(s string) (Document, error) {
	if len(s) > maxDocumentText {
		return "", errors.New("document: too long for a CPF or a CNPJ")
	}
	text := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(". /-", r):
			return -1
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		}
		return r
	}, s)
	var err error
	switch len(text) {
	case cpfLength:
		err = checkCPF(text)
	case cnpjLength:
		err = checkCNPJ(text)
	case 0:
		err = errors.New("document: empty")
	default:
		err = fmt.Errorf("document: %d characters: a CPF has %d, a CNPJ %d", len(text), cpfLength, cnpjLength)
	}
	if err != nil {
		return "", err
	}
	return Document(text), nil
}

// Kind is decided by the length alone.
func (d Document) Kind() DocumentKind {
	switch len(d) {
	case cpfLength:
		return CPF
	case cnpjLength:
		return CNPJ
	}
	return NoDocument
}

// Punctuated is the document as people write it: 123.456.789-09 or 12.345.678/0001-95. Text of any other length stays as it is.
func (d Document) Punctuated() string {
	s := string(d)
	switch d.Kind() {
	case CPF:
		return s[:3] + "." + s[3:6] + "." + s[6:9] + "-" + s[9:]
	case CNPJ:
		return s[:2] + "." + s[2:5] + "." + s[5:8] + "/" + s[8:12] + "-" + s[12:]
	}
	return s
}

// Masked hides a payer's document: the first 3 and last 2 characters of a CPF, the last 6 of a CNPJ, each replaced by
// '*'. Text of any other length is hidden whole, so that an invalid document can be shown in the same way.
func (d Document) Masked() string {
	s := string(d)
	switch d.Kind() {
	case CPF:
		return "***" + s[3:9] + "**"
	case CNPJ:
		return s[:8] + "******"
	}
	return strings.Repeat("*", len(s))
}

func checkCPF(s string) error {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return fmt.Errorf("document: CPF: character %d is not a digit", i+1)
		}
	}
	if allSame(s) {
		return errors.New("document: CPF: all digits are equal")
	}
	// The weights run 10..2 for the first digit and 11..2, over one digit more, for the second.
	return checkPair("CPF", s, func(body string) byte {
		sum := 0
		for i := range len(body) {
			sum += int(body[i]-'0') * (len(body) + 1 - i)
		}
		return byte('0' + sum*10%11%10)
	})
}

func checkCNPJ(s string) error {
	for i := range len(s) {
		letter := 'A' <= s[i] && s[i] <= 'Z' && i < cnpjLength-2
		if !isDigit(s[i]) && !letter {
			return fmt.Errorf("document: CNPJ: character %d is not allowed there", i+1)
		}
	}
	if allSame(s) {
		return errors.New("document: CNPJ: all digits are equal")
	}
	// The weights are 2..9 from the right, repeated; a letter counts as its ASCII code less 48
	// (Instrução Normativa RFB 2.229/2024), which leaves digits as they always were.
	return checkPair("CNPJ", s, func(body string) byte {
		sum := 0
		for i := range len(body) {
			sum += int(body[i]-'0') * (2 + (len(body)-1-i)%8)
		}
		if r := sum % 11; r >= 2 {
			return byte('0' + 11 - r)
		}
		return '0'
	})
}

// checkPair compares each of the last two characters with the check digit of the characters before it.
func checkPair(name, s string, digit func(body string) byte) error {
	for i, which := range []string{"first", "second"} {
		at := len(s) - 2 + i
		if want := digit(s[:at]); s[at] != want {
			return fmt.Errorf("document: %s: %s check digit is %c, should be %c", name, which, s[at], want)
		}
	}
	return nil
}

func allSame(s string) bool { return strings.Count(s, s[:1]) == len(s) }

// personDocument matches what may be a CPF within a text.
var personDocument = regexp.MustCompile(`[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}`)

// MaskPersonDocuments hides the CPFs with right check digits in a text, as Document.Masked does. Longer numbers that begin or
// end like one are left alone.
func MaskPersonDocuments(text string) string {
	return replacePersonDocuments(text, Document.Masked)
}

// DropPersonDocuments takes the CPFs with right check digits out of a text, as MaskPersonDocuments finds them.
func DropPersonDocuments(text string) string {
	return replacePersonDocuments(text, func(Document) string { return "" })
}

func replacePersonDocuments(text string, with func(Document) string) string {
	var b strings.Builder
	at := 0
	for _, m := range personDocument.FindAllStringIndex(text, -1) {
		if m[0] > 0 && isDigit(text[m[0]-1]) || m[1] < len(text) && isDigit(text[m[1]]) {
			continue
		}
		d, err := ParseDocument(text[m[0]:m[1]])
		if err != nil {
			continue
		}
		b.WriteString(text[at:m[0]])
		b.WriteString(with(d))
		at = m[1]
	}
	b.WriteString(text[at:])
	return b.String()
}
