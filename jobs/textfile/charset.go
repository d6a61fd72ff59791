package textfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Charset is what the bytes of a text are.
type Charset int

const (
	// ASCII is a text of which every character set says the same.
	ASCII Charset = iota
	// UTF8 is a text of which all bytes are UTF-8.
	UTF8
	// Windows1252 is any other.
	Windows1252
)

const readSize = 64 << 10

// NewReader reads a text as UTF-8, without a byte order mark.
func (c Charset) NewReader(in io.Reader) io.Reader {
	b := bufio.NewReaderSize(in, readSize)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	if c == Windows1252 {
		return charmap.Windows1252.NewDecoder().Reader(b)
	}
	return b
}

// FindCharset reads a text until it is known what its bytes are: to its end, if they are UTF-8.
func FindCharset(in io.Reader) (c Charset, err error) {
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
			return Windows1252, nil
		case c == ASCII && bytes.ContainsFunc(b[:whole], func(r rune) bool { return r >= utf8.RuneSelf }):
			c = UTF8
		}
		if err != nil {
			return c, nil
		}
		begun = copy(chunk, b[whole:])
	}
}
