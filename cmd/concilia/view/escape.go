package view

import (
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns a text of somebody else's so that it can be printed inside a line: what a terminal would obey or not show, such
// as control and bidirectional characters, line ends and bytes that are no text, is spelled out, \u001b for one. Inside a JSON
// text the spelling means the same character.
func Escape(s string) string { return string(appendEscaped(nil, []byte(s), false)) }

// EscapingWriter spells out what a terminal would obey or not show in everything that is written, but for line ends and tabs.
// It is what all output passes, so that no command can forget it.
type EscapingWriter struct {
	to io.Writer

	mu      sync.Mutex
	pending []byte // the first bytes of a character whose others have not been written yet
	out     []byte
}

// NewEscapingWriter returns a writer that escapes what it writes to another.
func NewEscapingWriter(to io.Writer) *EscapingWriter { return &EscapingWriter{to: to} }

// Write writes through.
func (w *EscapingWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.pending, p...)
	whole := len(text) - incompleteTail(text)
	w.out = appendEscaped(w.out[:0], text[:whole], true)
	w.pending = append([]byte(nil), text[whole:]...)
	if _, err := w.to.Write(w.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes a character that was never completed.
func (w *EscapingWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := appendEscaped(nil, w.pending, true)
	w.pending = nil
	_, err := w.to.Write(rest)
	return err
}

// Unwrap returns the writer behind, for what draws on a terminal itself.
func (w *EscapingWriter) Unwrap() io.Writer { return w.to }

// incompleteTail returns how many of the last bytes begin a character that needs more.
func incompleteTail(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// appendEscaped appends a text with its characters that no terminal may get spelled out. lines keeps line ends and tabs.
func appendEscaped(out, text []byte, lines bool) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case lines && (r == '\n' || r == '\t') || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			out = append(out, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}
