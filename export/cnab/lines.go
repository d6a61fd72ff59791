package cnab

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds what is kept of one line: enough to tell its length, little enough for a file without line ends.
const maxLine = 4096

// lineReader gives the lines of a file with what ended them.
type lineReader struct{ in *bufio.Reader }

// line is one line without its end. It is valid until the next.
type line struct {
	bytes []byte
	size  int // of the whole line, which may be longer than bytes
	end   string
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, max(maxLine, 64<<10))}
}

// nextLine is the next line, or io.EOF after the last one.
func (l *lineReader) nextLine() (line, error) {
	b, err := l.in.ReadSlice('\n')
	if err == nil {
		b = b[:len(b)-1]
		if n := len(b); n > 0 && b[n-1] == '\r' {
			return line{b[:n-1], n - 1, "\r\n"}, nil
		}
		return line{b, len(b), "\n"}, nil
	}
	if errors.Is(err, io.EOF) {
		if len(b) == 0 {
			return line{}, io.EOF
		}
		return line{b, len(b), ""}, nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line{}, err
	}
	return l.readLongLine(b)
}

// readLongLine skips the rest of a line that fills the buffer.
func (l *lineReader) readLongLine(b []byte) (line, error) {
	out := line{bytes: bytes.Clone(b[:maxLine]), size: len(b)}
	for {
		b, err := l.in.ReadSlice('\n')
		out.size += len(b)
		switch {
		case err == nil:
			out.size--
			out.end = "\n"
			return out, nil
		case errors.Is(err, io.EOF):
			return out, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line{}, err
		}
	}
}
