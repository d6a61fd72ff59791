package ofx

import (
	"bytes"
	"errors"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
)

// token is an element's tag with the text after it.
type token struct {
	name  string // upper case
	close bool
	text  string // trimmed; empty of an element that holds others
	line  int
}

// tokenizer splits a file into tags. It has little of it in memory.
type tokenizer struct {
	in     io.Reader
	window []byte // read and not taken yet
	ended  bool   // nothing more is to be read
	failed error  // of the file itself
	line   int
	names  map[string]elementName // by the text of the tag; a file has few
}

// elementName is what a tag says.
type elementName struct {
	name  string // upper case
	close bool
}

const (
	// maxHeader is within how many bytes a file begins with its first element.
	maxHeader = 64 << 10
	// readSize is how much is read at a time, maxText how much of the text of an element is kept.
	readSize = 64 << 10
	maxText  = 64 << 10
)

var rootTag = regexp.MustCompile(`(?i)<OFX>`)

// IsOFX reports whether a file that begins with head has the first element of OFX, behind whatever header.
func IsOFX(head []byte) bool { return rootTag.Match(head[:min(len(head), maxHeader)]) }

// countLines counts line ends: CR, LF or CR LF.
func countLines(b []byte) int {
	return bytes.Count(b, []byte("\n")) + bytes.Count(b, []byte("\r")) - bytes.Count(b, []byte("\r\n"))
}

// readMore reads more into the window, and reports whether there was any.
func (t *tokenizer) readMore() bool {
	if t.ended {
		return false
	}
	t.window = slices.Grow(t.window, readSize)
	n, err := t.in.Read(t.window[len(t.window) : len(t.window)+readSize])
	t.window = t.window[:len(t.window)+n]
	if err != nil {
		t.ended = true
		if !errors.Is(err, io.EOF) {
			t.failed = err
		}
	}
	return n > 0 || !t.ended
}

// takeBytes takes so many bytes from the window, and counts their lines.
func (t *tokenizer) takeBytes(n int) {
	t.line += countLines(t.window[:n])
	t.window = t.window[n:]
}

// next returns the next tag, false at the end. A < that begins no tag is text.
func (t *tokenizer) next() (token, bool) {
	start := t.findTag(0)
	if start < 0 {
		t.window = nil
		return token{}, false
	}
	t.takeBytes(start)
	end := bytes.IndexByte(t.window, '>')
	element := t.nameOf(t.window[1:end])
	k := token{name: element.name, close: element.close, line: t.line}
	t.takeBytes(end + 1)
	textEnd := t.findTag(0)
	if textEnd < 0 {
		textEnd = len(t.window)
	}
	k.text = string(bytes.TrimSpace(t.window[:min(textEnd, maxText)]))
	if strings.Contains(k.text, "&") {
		k.text = strings.TrimSpace(html.UnescapeString(k.text))
	}
	t.takeBytes(textEnd)
	return k, true
}

// nameOf is the name in a tag.
func (t *tokenizer) nameOf(tag []byte) elementName {
	element, known := t.names[string(tag)]
	if known {
		return element
	}
	name := string(tag)
	element.name, element.close = strings.CutPrefix(name, "/")
	element.name, _, _ = strings.Cut(strings.TrimSpace(element.name), " ")
	element.name = strings.ToUpper(element.name)
	if t.names == nil {
		t.names = map[string]elementName{}
	}
	if len(t.names) < maxNames {
		t.names[name] = element
	}
	return element
}

// findTag is where in the window the next tag begins from a place on, -1 when none does: <, perhaps /, a letter, and letters, digits,
// points, blanks or signs of a name up to >. Of a text before it that is longer than maxText the rest is let go of.
func (t *tokenizer) findTag(from int) int {
	for {
		i := bytes.IndexByte(t.window[from:], '<')
		if i < 0 {
			from = len(t.window)
			if from > 2*maxText {
				t.line += countLines(t.window[maxText:])
				t.window, from = t.window[:maxText], maxText
			}
			if !t.readMore() {
				return -1
			}
			continue
		}
		from += i
		for len(t.window)-from < maxTag && t.readMore() {
			continue
		}
		if isTag(t.window[from:]) {
			return from
		}
		from++
	}
}

// endLine is the last line of the file, of which the token is the last one that was read.
func (t *tokenizer) endLine(last token) int {
	if len(t.window) == 0 && t.ended {
		return last.line
	}
	for t.takeBytes(len(t.window)); t.readMore(); {
		t.takeBytes(len(t.window))
	}
	return t.line
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
