package xlsx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// xmlScanner is a pull parser of the XML that packages consist of: elements, attributes, text, CDATA. It checks
// that elements close in order, resolves the five named entities and character numbers, and refuses document
// types, the one way to make XML dangerous. Prefixes of names are dropped.
type xmlScanner struct {
	r       *bufio.Reader
	name    []byte   // of the element that starts or ends
	attrs   []byte   // of the element that starts, as they stand
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
	maxTag   = 64 << 10
	maxChars = 1 << 20 // a cell's longest text, every character written as a number
	maxDepth = 64
)

var errXML = errors.New("not well-formed")

func newXMLScanner(r io.Reader) *xmlScanner {
	s := &xmlScanner{r: bufio.NewReaderSize(r, 64<<10)}
	if mark, err := s.r.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = s.r.Discard(3) // just peeked at
	}
	return s
}

// next gives the next event; io.EOF after the root element has closed. What name, attrs and text hold is good until
// the next call.
func (s *xmlScanner) next() (xmlEvent, error) {
	if s.closing {
		s.closing = false
		return xmlEnd, nil
	}
	for {
		c, err := s.r.ReadByte()
		if err == io.EOF {
			if len(s.open) > 0 {
				return 0, io.ErrUnexpectedEOF
			}
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		if c != '<' {
			if err := s.r.UnreadByte(); err != nil {
				return 0, err
			}
			if err := s.readText(); err != nil {
				return 0, err
			}
			return xmlText, nil
		}
		event, skip, err := s.readMarkup()
		if err != nil || !skip {
			return event, err
		}
	}
}

// readMarkup reads what follows a '<'; it says to skip comments, processing instructions and empty CDATA.
func (s *xmlScanner) readMarkup() (event xmlEvent, skip bool, err error) {
	c, err := s.r.ReadByte()
	if err != nil {
		return 0, false, ended(err)
	}
	switch c {
	case '?':
		return 0, true, s.until("?>", nil)
	case '!':
		if p, _ := s.r.Peek(2); string(p) == "--" {
			_, _ = s.r.Discard(2) // just peeked at
			return 0, true, s.until("-->", nil)
		}
		if p, _ := s.r.Peek(7); string(p) == "[CDATA[" {
			_, _ = s.r.Discard(7) // just peeked at
			s.text = s.text[:0]
			return xmlText, false, s.until("]]>", &s.text)
		}
		return 0, false, fmt.Errorf("%w: a document type", errXML)
	case '/':
		s.attrs = s.attrs[:0]
		if err := s.until(">", &s.attrs); err != nil {
			return 0, false, err
		}
		s.name = local(bytes.TrimRight(s.attrs, " \t\r\n"))
		return xmlEnd, false, s.pop()
	}
	if err := s.r.UnreadByte(); err != nil {
		return 0, false, err
	}
	return xmlStart, false, s.readStart()
}

// readStart reads a start tag up to its '>', which may also stand inside a quoted value.
func (s *xmlScanner) readStart() error {
	tag := s.attrs[:0]
	quote := byte(0)
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return ended(err)
		}
		if quote == 0 && c == '>' {
			break
		}
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
		if tag = append(tag, c); len(tag) > maxTag {
			return fmt.Errorf("%w: a tag past %d bytes", errXML, maxTag)
		}
	}
	s.attrs = tag
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		s.closing, tag = true, tag[:n-1]
	}
	i := bytes.IndexAny(tag, " \t\r\n")
	if i < 0 {
		i = len(tag)
	}
	s.name = local(tag[:i])
	if len(s.name) == 0 {
		return fmt.Errorf("%w: a tag without name", errXML)
	}
	if s.closing {
		return nil
	}
	if len(s.open) >= maxDepth {
		return fmt.Errorf("%w: elements deeper than %d", errXML, maxDepth)
	}
	// Names of closed elements leave their room behind.
	if n := len(s.open); n < cap(s.open) {
		s.open = s.open[:n+1]
		s.open[n] = append(s.open[n][:0], s.name...)
	} else {
		s.open = append(s.open, bytes.Clone(s.name))
	}
	return nil
}

func (s *xmlScanner) pop() error {
	n := len(s.open)
	if n == 0 || !bytes.Equal(s.open[n-1], s.name) {
		return fmt.Errorf("%w: element %.40q closes where it is not open", errXML, s.name)
	}
	s.open = s.open[:n-1]
	return nil
}

// until reads up to and with a mark, keeping what stands before it when keep is not nil.
func (s *xmlScanner) until(mark string, keep *[]byte) error {
	var last [3]byte
	n := 0
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return ended(err)
		}
		last[0], last[1], last[2] = last[1], last[2], c
		if keep != nil {
			*keep = append(*keep, c)
		}
		if n++; n > maxChars {
			return fmt.Errorf("%w: a piece past %d bytes", errXML, maxChars)
		}
		if n >= len(mark) && string(last[3-len(mark):]) == mark {
			if keep != nil {
				*keep = (*keep)[:len(*keep)-len(mark)]
			}
			return nil
		}
	}
}

// readText reads up to the next '<'.
func (s *xmlScanner) readText() error {
	s.text = s.text[:0]
	entities := false
	for {
		chunk, err := s.r.ReadSlice('<')
		s.text = append(s.text, chunk...)
		entities = entities || bytes.IndexByte(chunk, '&') >= 0
		if len(s.text) > maxChars {
			return fmt.Errorf("%w: a text past %d bytes", errXML, maxChars)
		}
		switch err {
		case nil:
			s.text = s.text[:len(s.text)-1]
			if err := s.r.UnreadByte(); err != nil {
				return err
			}
		case bufio.ErrBufferFull:
			continue
		case io.EOF:
		default:
			return err
		}
		break
	}
	if !entities {
		return nil
	}
	var err error
	s.text, err = resolve(s.text)
	return err
}

// ended makes of an end of file an early one.
func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
