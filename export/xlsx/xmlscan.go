package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// xmlScanner is a pull parser of the XML that packages consist of: elements, attributes, text, CDATA. It checks
// that elements close in order, resolves the five named entities and character numbers, and refuses document
// types, the one way to make XML dangerous. Prefixes of names are dropped.
type xmlScanner struct {
	src      io.Reader
	buf      []byte // what was read and not yet handed out is buf[pos:end]
	pos, end int
	eof      bool

	// name, attrs and text are slices of buf, valid until the next call.
	name    []byte   // of the element that starts or ends
	attrs   []byte   // of the element that starts, not parsed
	text    []byte   // with entities resolved
	open    [][]byte // names of the open elements
	closing bool     // a self-closing element has started; its end is next
}

type xmlEvent uint8

const (
	xmlStart xmlEvent = iota
	xmlEnd
	xmlText
)

const (
	// maxPiece is the most bytes of a tag or a text: a cell's longest text, every character written as a number.
	maxPiece = 1 << 20
	maxDepth = 64
)

var errXML = errors.New("not well-formed")

func newXMLScanner(r io.Reader) *xmlScanner { return &xmlScanner{src: r, buf: make([]byte, 64<<10)} }

// nextEvent returns the next event; io.EOF after the root element has closed.
func (s *xmlScanner) nextEvent() (xmlEvent, error) {
	if s.closing {
		s.closing = false
		return xmlEnd, nil
	}
	for {
		if s.pos == s.end {
			if err := s.fillBuffer(); err != nil {
				if errors.Is(err, io.EOF) && len(s.open) > 0 {
					err = io.ErrUnexpectedEOF
				}
				return 0, err
			}
		}
		if s.buf[s.pos] != '<' {
			return xmlText, s.readText()
		}
		tag, err := s.peekThrough('>', 0)
		if err != nil {
			return 0, unexpectedEOF(err)
		}
		if len(tag) < 3 {
			return 0, fmt.Errorf("%w: a tag without name", errXML)
		}
		switch tag[1] {
		case '?':
			err = s.skipMarkup(tag, "?>", 2)
		case '!':
			var cdata bool
			if cdata, err = s.readDeclaration(tag); cdata {
				return xmlText, err
			}
		case '/':
			s.name = localName(bytes.TrimRight(tag[2:len(tag)-1], " \t\r\n"))
			s.pos += len(tag)
			return xmlEnd, s.closeElement()
		default:
			return xmlStart, s.readStart(tag)
		}
		if err != nil {
			return 0, err
		}
	}
}

// readDeclaration skips a comment, or reads CDATA as text; anything else that begins with <! is an error.
func (s *xmlScanner) readDeclaration(tag []byte) (cdata bool, err error) {
	const comment, data = "<!--", "<![CDATA["
	switch {
	case bytes.HasPrefix(tag, []byte(comment)):
		return false, s.skipMarkup(tag, "-->", len(comment))
	case bytes.HasPrefix(tag, []byte(data)):
		whole, err := s.readMarkup(tag, "]]>", len(data))
		if err != nil {
			return true, err
		}
		s.text = whole[len(data) : len(whole)-len("]]>")]
		s.pos += len(whole)
		return true, nil
	}
	return false, fmt.Errorf("%w: a document type", errXML)
}

// readStart reads a start tag up to its '>', passing over those in quoted values.
func (s *xmlScanner) readStart(tag []byte) (err error) {
	seen := 0
	quote := byte(0)
	for {
		if quote = openQuote(tag[seen:], quote); quote == 0 {
			break
		}
		seen = len(tag)
		if tag, err = s.peekThrough('>', seen); err != nil {
			return unexpectedEOF(err)
		}
	}
	s.pos += len(tag)
	tag = tag[1 : len(tag)-1]
	if n := len(tag); tag[n-1] == '/' {
		s.closing, tag = true, tag[:n-1]
	}
	i := 0
	for i < len(tag) && !isSpace(tag[i]) {
		i++
	}
	s.name, s.attrs = localName(tag[:i]), tag[i:]
	if len(s.name) == 0 {
		return fmt.Errorf("%w: a tag without name", errXML)
	}
	if s.closing {
		return nil
	}
	if len(s.open) >= maxDepth {
		return fmt.Errorf("%w: elements deeper than %d", errXML, maxDepth)
	}
	// Reuse the memory of closed elements' names.
	if n := len(s.open); n < cap(s.open) {
		s.open = s.open[:n+1]
		s.open[n] = append(s.open[n][:0], s.name...)
	} else {
		s.open = append(s.open, bytes.Clone(s.name))
	}
	return nil
}

func (s *xmlScanner) closeElement() error {
	n := len(s.open)
	if n == 0 || !bytes.Equal(s.open[n-1], s.name) {
		return fmt.Errorf("%w: element %.40q closes where it is not open", errXML, s.name)
	}
	s.open = s.open[:n-1]
	return nil
}

// readText reads the text up to the next '<', or to the end.
func (s *xmlScanner) readText() error {
	text, err := s.peekThrough('<', 0)
	switch {
	case err == nil:
		text = text[:len(text)-1]
	case errors.Is(err, io.EOF):
		text = s.buf[s.pos:s.end]
	default:
		return err
	}
	s.pos += len(text)
	s.text = text
	if bytes.IndexByte(text, '&') >= 0 {
		s.text, err = resolveEntities(text)
		return err
	}
	return nil
}

// skipMarkup skips markup that begins with tag and ends with mark, at from or later.
func (s *xmlScanner) skipMarkup(tag []byte, mark string, from int) error {
	whole, err := s.readMarkup(tag, mark, from)
	s.pos += len(whole)
	return err
}

func (s *xmlScanner) readMarkup(tag []byte, mark string, from int) (whole []byte, err error) {
	for len(tag) < from+len(mark) || !bytes.HasSuffix(tag, []byte(mark)) {
		if tag, err = s.peekThrough('>', len(tag)); err != nil {
			return nil, unexpectedEOF(err)
		}
	}
	return tag, nil
}

// peekThrough returns the unread bytes up to and including the first c after the first seen bytes, without consuming them.
// io.EOF: there is no c.
func (s *xmlScanner) peekThrough(c byte, seen int) ([]byte, error) {
	for {
		if i := bytes.IndexByte(s.buf[s.pos+seen:s.end], c); i >= 0 {
			return s.buf[s.pos : s.pos+seen+i+1], nil
		}
		seen = s.end - s.pos
		if err := s.fillBuffer(); err != nil {
			return nil, err
		}
	}
}

// fillBuffer moves the unread bytes to the front of the buffer and reads more behind them.
func (s *xmlScanner) fillBuffer() error {
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if s.end >= maxPiece {
			return fmt.Errorf("%w: a piece past %d bytes", errXML, maxPiece)
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for !s.eof {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		s.eof = err == io.EOF
		if err != nil && !s.eof {
			return err
		}
		if n > 0 {
			return nil
		}
	}
	return io.EOF
}

// openQuote returns the quote that is open after b, given the one open before it; 0 for none.
func openQuote(b []byte, quote byte) byte {
	for _, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		}
	}
	return quote
}

// localName returns a name without its prefix.
func localName(name []byte) []byte {
	for i, c := range name {
		if c == ':' {
			return name[i+1:]
		}
	}
	return name
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// unexpectedEOF returns io.ErrUnexpectedEOF for io.EOF, and any other error unchanged.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// resolveEntities replaces entities by their characters, in place: no entity is shorter than its character.
func resolveEntities(b []byte) ([]byte, error) {
	out := b[:0]
	for i := 0; i < len(b); {
		if b[i] != '&' {
			out = append(out, b[i])
			i++
			continue
		}
		end := bytes.IndexByte(b[i:], ';')
		if end < 2 || end > 12 {
			return nil, fmt.Errorf("%w: an entity without end", errXML)
		}
		r, ok := entityRune(string(b[i+1 : i+end]))
		if !ok {
			return nil, fmt.Errorf("%w: entity %.12q", errXML, b[i:i+end+1])
		}
		i += end + 1
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

func entityRune(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if name[0] != '#' || len(name) < 2 {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	return rune(n), err == nil && utf8.ValidRune(rune(n)) && n > 0
}

// attribute returns the value of an attribute of the element that has just started, by its name without prefix; nil when
// it has none. The value is valid until the next call.
func (s *xmlScanner) attribute(name string) ([]byte, error) {
	rest := s.attrs
	for {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return nil, nil
		}
		to := i
		for to > 0 && isSpace(rest[to-1]) {
			to--
		}
		from := to
		for from > 0 && !isSpace(rest[from-1]) {
			from--
		}
		key := localName(rest[from:to])
		for i++; i < len(rest) && isSpace(rest[i]); i++ {
		}
		if i == len(rest) || (rest[i] != '"' && rest[i] != '\'') {
			return nil, fmt.Errorf("%w: an attribute without quotes", errXML)
		}
		end := bytes.IndexByte(rest[i+1:], rest[i])
		if end < 0 {
			return nil, fmt.Errorf("%w: an attribute without end", errXML)
		}
		value := rest[i+1 : i+1+end]
		rest = rest[i+end+2:]
		if string(key) != name {
			continue
		}
		if bytes.IndexByte(value, '&') < 0 {
			return value, nil
		}
		return resolveEntities(bytes.Clone(value))
	}
}
