package ofx

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// headerEncoding is the encoding the header of a file names: 1252, utf-8 or empty.
func headerEncoding(head []byte) string {
	text := strings.ToUpper(string(head[:min(len(head), 1<<10)]))
	text, _, _ = strings.Cut(text, "<OFX>")
	switch {
	case strings.Contains(text, "1252"):
		return "1252"
	case strings.Contains(text, "UTF-8"), strings.Contains(text, "UTF8"), strings.Contains(text, "UNICODE"):
		return "utf-8"
	}
	return ""
}

// charset is what the bytes of a text are.
type charset int

const (
	ascii charset = iota
	utf8Text
	windows1252 // or any other
)

// decodeText reads a text from something as UTF-8.
func (c charset) decodeText(in io.Reader) io.Reader {
	if c == windows1252 {
		return charmap.Windows1252.NewDecoder().Reader(in)
	}
	return in
}

// findCharset reads a text to its end.
func findCharset(in io.Reader) (c charset, err error) {
	chunk := make([]byte, readSize)
	for begun := 0; ; { // bytes of a character that goes on in the next chunk
		n, err := in.Read(chunk[begun:])
		b := chunk[:begun+n]
		if err != nil && !errors.Is(err, io.EOF) {
			return c, err
		}
		whole := len(b)
		for i := 1; err == nil && i < utf8.UTFMax && i <= len(b); i++ {
			if c := b[len(b)-i]; utf8.RuneStart(c) {
				if !utf8.FullRune(b[len(b)-i:]) {
					whole = len(b) - i
				}
				break
			}
		}
		switch {
		case !utf8.Valid(b[:whole]):
			return windows1252, nil
		case c == ascii && bytes.ContainsFunc(b[:whole], func(r rune) bool { return r >= utf8.RuneSelf }):
			c = utf8Text
		}
		if err != nil {
			return c, nil
		}
		begun = copy(chunk, b[whole:])
	}
}
