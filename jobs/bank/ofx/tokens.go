package ofx

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// token is an element's tag with the text after it.
type token struct {
	name  string // upper case
	close bool
	text  string // trimmed; empty of an element that holds others
	line  int
}

// tokenizer splits a file into tags. The zero tokenizer is at the end.
type tokenizer struct {
	rest  []byte
	line  int
	names map[string]elementName // by what stands in the tag; a file has few
}

// elementName is what a tag says.
type elementName struct {
	name  string // upper case
	close bool
}

// maxHeader is within how many bytes a file begins with its first element.
const maxHeader = 64 << 10

var rootTag = regexp.MustCompile(`(?i)<OFX>`)

// IsOFX reports whether a file has the first element of OFX, behind whatever header.
func IsOFX(file []byte) bool { return rootTag.Match(file[:min(len(file), maxHeader)]) }

// body returns what begins with <OFX>, decoded, with the number of its first line; nil when there is no such element.
// asUTF8 reports whether the bytes are UTF-8 and not only ASCII.
func body(file []byte) (text []byte, line int, asUTF8 bool) {
	begin := rootTag.FindIndex(file[:min(len(file), maxHeader)])
	if begin == nil {
		return nil, 0, false
	}
	at := begin[0]
	line = 1 + countLines(file[:at])
	text = file[at:]
	if utf8.Valid(text) {
		return text, line, !isASCII(text)
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil { // it decodes any bytes
		return text, line, false
	}
	return decoded, line, false
}

func isASCII(b []byte) bool {
	return bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// countLines counts line ends: CR, LF or CR LF.
func countLines(b []byte) int {
	return bytes.Count(b, []byte("\n")) + bytes.Count(b, []byte("\r")) - bytes.Count(b, []byte("\r\n"))
}

// next returns the next tag, false at the end. A < that begins no tag is text.
func (t *tokenizer) next() (token, bool) {
	start := tagStart(t.rest, 0)
	if start < 0 {
		t.rest = nil
		return token{}, false
	}
	t.line += countLines(t.rest[:start])
	end := start + bytes.IndexByte(t.rest[start:], '>')
	element, known := t.names[string(t.rest[start+1:end])]
	if !known {
		tag := string(t.rest[start+1 : end])
		element.name, element.close = strings.CutPrefix(tag, "/")
		element.name, _, _ = strings.Cut(strings.TrimSpace(element.name), " ")
		element.name = strings.ToUpper(element.name)
		if t.names == nil {
			t.names = map[string]elementName{}
		}
		if len(t.names) < maxNames {
			t.names[tag] = element
		}
	}
	after := end + 1
	textEnd := tagStart(t.rest, after)
	if textEnd < 0 {
		textEnd = len(t.rest)
	}
	k := token{
		name: element.name, close: element.close, line: t.line,
		text: strings.TrimSpace(html.UnescapeString(string(t.rest[after:textEnd]))),
	}
	t.line += countLines(t.rest[start:after])
	t.rest = t.rest[after:]
	return k, true
}

// tagStart is where the next tag begins from a place on, -1 when none does: <, perhaps /, a letter, and letters, digits,
// points, blanks or signs of a name up to >.
func tagStart(b []byte, from int) int {
	for {
		i := bytes.IndexByte(b[from:], '<')
		if i < 0 {
			return -1
		}
		from += i
		if isTag(b[from:]) {
			return from
		}
		from++
	}
}

// maxNames is how many names are remembered.
const maxNames = 1_000

// maxTag is how long the name of an element may be.
const maxTag = 64

func isTag(b []byte) bool {
	b = b[1:min(len(b), maxTag)]
	if len(b) > 0 && b[0] == '/' {
		b = b[1:]
	}
	for i, c := range b {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		case i == 0:
			return false
		case c == '>':
			return true
		case c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return false
}
