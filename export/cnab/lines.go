package cnab

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"concilia/export/words"
)

// maxLine is how many bytes of a long line are kept, so that a file without line ends does not fill memory.
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

// nextLine returns the next line, or io.EOF after the last one.
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

// readLongLine keeps the beginning of a line that fills the buffer, and skips and counts the rest.
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

// byteOrderMark is what editors put before UTF-8 text. It would move every column of the first line by three.
const byteOrderMark = "\xef\xbb\xbf"

// foreignPeek is how many bytes detectForeign examines.
const foreignPeek = 2 * (Width + 2)

// foreignFormats are the first bytes of other formats that are opened by mistake.
var foreignFormats = []struct{ head, is string }{
	{"PK\x03\x04", "cnab_fault.is_zip"},
	{"\x1f\x8b", "cnab_fault.is_gzip"},
	{"%PDF-", "cnab_fault.is_pdf"},
	{"\xd0\xcf\x11\xe0", "cnab_fault.is_xls"},
	{"\xff\xfe", "cnab_fault.is_utf16"},
	{"\xfe\xff", "cnab_fault.is_utf16"},
	{"<", "cnab_fault.is_html"},
	{"{", "cnab_fault.is_json"},
	{"[", "cnab_fault.is_json"},
}

// detectForeign recognizes a file in another format, so that one fault names the format instead of every line having
// faults of its own. ok is false when the file should be read as CNAB 240.
func (r *reader) detectForeign(in *bufio.Reader) (is string, ok bool, err error) {
	if head, _ := in.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		r.line = 1
		r.addFault(nil, CodeASCII, "cnab_fault.byte_order_mark")
		r.line = 0
		_, _ = in.Discard(len(byteOrderMark)) // they are in the buffer
	}
	head, err := in.Peek(foreignPeek)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	whole := err != nil // head is all there is
	for _, f := range foreignFormats {
		if bytes.HasPrefix(head, []byte(f.head)) {
			return f.is, true, nil
		}
	}
	first, _, ended := bytes.Cut(head, []byte("\n"))
	first = bytes.TrimSuffix(first, []byte("\r"))
	switch {
	case len(first) == Width, len(head) < 14:
		return "", false, nil
	case len(first) == 400:
		return "cnab_fault.is_cnab400", true, nil
	case bytes.IndexByte(first, 0) >= 0:
		return "cnab_fault.is_binary", true, nil
	case ended && len(first) > 7 && first[7] != '0' && bytes.ContainsAny(first, ",;\t"):
		return "cnab_fault.is_table", true, nil
	case !ended && len(first) > Width && first[Width] == '\r':
		return "cnab_fault.is_cr", true, nil
	case !ended && !whole && first[7] == '0' && first[Width+7] == '1':
		return "cnab_fault.is_one_line", true, nil
	}
	return "", false, nil
}

// reportForeign adds the one fault of a file in another format.
func (r *reader) reportForeign(is string) {
	r.line = 1
	r.addFault(nil, CodeForeign, "cnab_fault.foreign", "what", words.NewMessage(is))
}
