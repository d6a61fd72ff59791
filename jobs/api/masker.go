package api

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// masker hands on what is written to it, with every cardNumber member of the JSON in it masked in its own length. It is
// a stream: no more than one such value is held at a time, and where a write ends changes nothing. It does not judge: what is
// no JSON passes too.
type masker struct {
	to    io.Writer
	state maskState
	name  []byte // of the string under way, as it is spelled; cut at maxCardName
	held  []byte // the value under way, when it is a card's
	esc   bool   // within a string, behind a backslash
	depth int    // brackets open within the value of a cardNumber member
}

type maskState uint8

const (
	between  maskState = iota // outside of strings
	inText                    // in a string that may be a name
	named                     // behind the name cardNumber, before its colon
	valued                    // behind the colon
	inside                    // in a list or an object that is the member's value
	cardText                  // in a string that is to be masked
	cardWord                  // in a number or another word that is to be masked
)

const (
	cardName = "cardnumber" // in lower case: members match without regard to it
	// maxCardName is more than the name takes with every letter escaped.
	maxCardName = 64
)

func newMasker(to io.Writer) *masker { return &masker{to: to} }

// Write masks b and hands on what is certain of it. b stays as it is.
func (m *masker) Write(b []byte) (int, error) {
	done := 0 // b up to here is handed on, or held
	hand := func(i int) error {
		var err error
		if i > done {
			_, err = m.to.Write(b[done:i])
		}
		done = i
		return err
	}
	for i := 0; i < len(b); {
		if m.state != cardText && m.state != cardWord {
			i = m.pass(b, i)
			continue
		}
		if err := hand(i); err != nil {
			return 0, err
		}
		n, ended := m.hold(b[i:])
		i += n
		done = i
		if ended {
			if err := m.release(true); err != nil {
				return 0, err
			}
		}
	}
	return len(b), hand(len(b))
}

// Close hands on what is held: a value that never ended.
func (m *masker) Close() error { return m.release(false) }

// pass goes over bytes that stay as they are, and returns the place behind them.
func (m *masker) pass(b []byte, i int) int {
	switch m.state {
	case between:
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		m.state, m.name = inText, m.name[:0]
		return i + n + 1
	case inText:
		return m.text(b, i)
	}
	c := b[i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
	case m.state == named && c == ':':
		m.state = valued
	case m.state == named:
		m.state = between
		return i
	case c == '"':
		m.state = cardText
	case c == '{', c == '[':
		m.state = inside
		m.depth++
	case c == '}', c == ']', c == ',', c == ':':
		if m.state == valued { // no value at all
			m.state = between
			return i
		}
		if c == '}' || c == ']' {
			if m.depth--; m.depth == 0 {
				m.state = between
			}
		}
	default:
		m.state = cardWord
		return i
	}
	return i + 1
}

// text goes to the end of a string and finds out whether it is the name.
func (m *masker) text(b []byte, i int) int {
	from := i
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case m.esc:
			m.esc = false
		case c == '\\':
			m.esc = true
		case c == '"':
			m.spell(b[from:i])
			if m.state = between; isCardName(m.name) {
				m.state = named
			}
			return i + 1
		}
	}
	m.spell(b[from:])
	return i
}

func (m *masker) spell(b []byte) {
	m.name = append(m.name, b[:min(len(b), maxCardName+1-len(m.name))]...)
}

func isCardName(spelled []byte) bool {
	if len(spelled) < len(cardName) || len(spelled) > maxCardName {
		return false
	}
	if bytes.IndexByte(spelled, '\\') < 0 {
		return len(spelled) == len(cardName) && bytes.EqualFold(spelled, []byte(cardName))
	}
	var name string
	return json.Unmarshal([]byte(`"`+string(spelled)+`"`), &name) == nil && strings.EqualFold(name, cardName)
}

// hold takes what of b belongs to the value, the closing quote of a text included, and says whether it ends there.
func (m *masker) hold(b []byte) (n int, ended bool) {
	for i, c := range b {
		switch {
		case m.state == cardWord:
			if strings.IndexByte(" \t\r\n,:]}\"", c) >= 0 {
				m.held = append(m.held, b[:i]...)
				return i, true
			}
		case m.esc:
			m.esc = false
		case c == '\\':
			m.esc = true
		case c == '"':
			m.held = append(m.held, b[:i]...)
			return i + 1, true
		}
	}
	m.held = append(m.held, b...)
	return len(b), false
}

// release masks and hands on the value that is held.
func (m *masker) release(ended bool) error {
	hideMiddle(m.held, readJSON)
	if ended && m.state == cardText {
		m.held = append(m.held, '"')
	}
	_, err := m.to.Write(m.held)
	m.held = m.held[:0]
	if m.state = between; m.depth > 0 {
		m.state = inside
	}
	return err
}
