package api

import (
	"encoding/json"
	"errors"
	"io"

	"concilia/export/words"
)

const (
	// maxBody bounds one answer. A window is a day; a gigabyte is about a million installments.
	maxBody = 1 << 30
	// maxRows bounds the rows of one answer, which are in memory until it has arrived whole.
	maxRows = 2_000_000
	// maxRecord bounds one record: a thousand times the usual one.
	maxRecord = 1 << 20
	// readSize is how many bytes are read from the transport at once, firstRead at the beginning: most answers are short.
	readSize  = 128 << 10
	firstRead = 32 << 10
)

// errNotList means that an answer is JSON of another shape, or not JSON at all.
var errNotList error = words.NewFault("service_fault.no_list_in_answer", "")

// arrayReader reads the records of one JSON array as it arrives. It is strict: only blanks may come before the opening
// bracket and after the closing one, and the body must not end before it. The bytes of a record are valid until the next
// record is read.
type arrayReader struct {
	from     io.Reader
	buf      []byte
	pos, end int
	count    int   // bytes read so far
	err      error // of from, once it has ended
}

func newArrayReader(r io.Reader) *arrayReader {
	return &arrayReader{from: r, buf: make([]byte, firstRead)}
}

// readRecords calls scan with the buffered bytes at the start of every record. scan returns the length of the record if
// it could read it to its end, else 0. Then the whole record is read and checked for valid JSON, passed to scan once more
// if it was incomplete the first time, and then to decode. A nil scan declines every record.
func (a *arrayReader) readRecords(scan func([]byte) int, decode func([]byte) error) error {
	c, err := a.nextByte()
	if err != nil {
		return err
	}
	if c != '[' {
		return errNotList
	}
	a.pos++
	if c, err = a.nextByte(); err != nil {
		return err
	}
	for rows := 1; c != ']'; rows++ {
		if rows > maxRows {
			return newLimitError("service_fault.many_rows", "most", maxRows)
		}
		if err := a.readRecord(scan, decode); err != nil {
			return err
		}
		if c, err = a.nextByte(); err != nil {
			return err
		}
		if c == ']' {
			break
		}
		if c != ',' {
			return words.NewFault("service_fault.json_behind", "", "row", rows)
		}
		a.pos++
		// After a comma comes a row: a bracket there is an error, which readRecord reports.
		if _, err = a.nextByte(); err != nil {
			return err
		}
	}
	a.pos++
	return a.checkEnd()
}

// readRecord reads the value at pos and moves pos behind it.
func (a *arrayReader) readRecord(scan func([]byte) int, decode func([]byte) error) error {
	if scan != nil {
		if n := scan(a.buf[a.pos:a.end]); n > 0 {
			a.pos += n
			return nil
		}
	}
	known := a.end - a.pos
	raw, err := a.frameRecord()
	if err != nil {
		return err
	}
	a.pos += len(raw)
	// If the record was complete the first time, scan has declined it already and would do so again.
	if scan != nil && len(raw) > known && scan(raw) == len(raw) {
		return nil
	}
	return decode(raw)
}

// frameRecord returns the whole value at pos, which is valid JSON. It reads on until the value is complete.
func (a *arrayReader) frameRecord() ([]byte, error) {
	var f framer
	for {
		if n := f.findEnd(a.buf[a.pos:a.end]); n >= 0 {
			raw := a.buf[a.pos : a.pos+n]
			if !json.Valid(raw) {
				return nil, words.NewFault("service_fault.json", "")
			}
			return raw, nil
		}
		if a.end-a.pos > maxRecord {
			return nil, newLimitError("service_fault.long_row", "most", maxRecord)
		}
		if err := a.fillBuffer(); err != nil {
			return nil, err
		}
	}
}

// framer finds the end of a JSON value; called again with more of the value, it continues where it stopped. It balances
// brackets and strings only: encoding/json validates the rest.
type framer struct {
	at, depth int
	inText    bool // within a string
}

// findEnd is the length of the value at the start of b, or -1 when b does not hold its end.
func (f *framer) findEnd(b []byte) int {
	for ; f.at < len(b); f.at++ {
		c := b[f.at]
		if f.inText {
			switch {
			case c == '\\' && f.at+1 == len(b):
				return -1 // the next call reads the escape together with the escaped character
			case c == '\\':
				f.at++
			case c == '"':
				if f.inText = false; f.depth == 0 {
					return f.at + 1
				}
			}
			continue
		}
		switch c {
		case '"':
			f.inText = true
		case '{', '[':
			f.depth++
		case '}', ']':
			if f.depth == 0 {
				return f.at
			}
			if f.depth--; f.depth == 0 {
				return f.at + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if f.depth == 0 {
				return f.at
			}
		}
	}
	return -1
}

// nextByte skips blanks and returns the byte after them. If the body ends here, it ends too early.
func (a *arrayReader) nextByte() (byte, error) {
	for {
		for a.pos < a.end {
			switch c := a.buf[a.pos]; c {
			case ' ', '\t', '\r', '\n':
				a.pos++
			default:
				return c, nil
			}
		}
		if err := a.fillBuffer(); err != nil {
			return 0, err
		}
	}
}

// checkEnd returns an error unless only blanks follow and the transport saw the end of the body.
func (a *arrayReader) checkEnd() error {
	_, err := a.nextByte()
	switch {
	case err == nil:
		return words.NewFault("service_fault.data_follows", "")
	case errors.Is(a.err, io.EOF):
		return nil
	}
	return err
}

// fillBuffer reads more of the body and keeps the unread bytes from pos on. At the end of the body it returns
// io.ErrUnexpectedEOF.
func (a *arrayReader) fillBuffer() error {
	if a.err != nil {
		return a.endError()
	}
	if a.pos > 0 {
		copy(a.buf, a.buf[a.pos:a.end])
		a.pos, a.end = 0, a.end-a.pos
	}
	if a.count >= firstRead && len(a.buf)-a.end < readSize {
		a.buf = append(a.buf, make([]byte, max(len(a.buf), 2*readSize-len(a.buf)))...)
	}
	for range 100 {
		var n int
		n, a.err = a.from.Read(a.buf[a.end:min(len(a.buf), a.end+readSize)])
		a.end, a.count = a.end+n, a.count+n
		if n > 0 {
			return nil
		}
		if a.err != nil {
			return a.endError()
		}
	}
	a.err = io.ErrNoProgress
	return a.err
}

func (a *arrayReader) endError() error {
	if errors.Is(a.err, io.EOF) {
		return words.NewFault("service_fault.ends_early", "", "cause", io.ErrUnexpectedEOF)
	}
	return a.err
}
