package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// maxBody bounds one answer. A window is a day; a gigabyte is about a million installments.
	maxBody = 1 << 30
	// maxRows bounds the rows of one answer, which are held in memory until it has arrived whole.
	maxRows = 2_000_000
	// maxRecord bounds one record: a thousand times the usual one.
	maxRecord = 1 << 20
	// readSize is what is asked of the transport at once.
	readSize = 128 << 10
)

// errNotList says that an answer is JSON of another shape, or no JSON at all.
var errNotList = errors.New("the answer is not a list")

// arrayReader walks over the records of one JSON array as it arrives. It is strict: no byte before the bracket but
// blanks, none behind it, no end before the closing bracket. Bytes it hands out hold until the next record.
type arrayReader struct {
	from     io.Reader
	buf      []byte
	pos, end int
	err      error // of from, once it has ended
}

func newArrayReader(r io.Reader) *arrayReader {
	return &arrayReader{from: r, buf: make([]byte, 2*readSize)}
}

// readRecords calls fast with what is at hand at the start of every record. fast returns the length of the record, if it
// could read it to its end, or 0; then the record is framed, checked for valid JSON and handed to fast once more, if
// there is now more of it, and to slow. A nil fast declines everything.
func (a *arrayReader) readRecords(fast func([]byte) int, slow func([]byte) error) error {
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
			return &limitError{fmt.Sprintf("the answer has more than %d rows, the most that is read: ask for fewer days at once", maxRows)}
		}
		if err := a.readRecord(fast, slow); err != nil {
			return err
		}
		if c, err = a.nextByte(); err != nil {
			return err
		}
		if c == ']' {
			break
		}
		if c != ',' {
			return fmt.Errorf("the list is no valid JSON behind row %d", rows)
		}
		a.pos++
		// What follows the comma is a row: a bracket there is no end but an error, which record finds.
		if _, err = a.nextByte(); err != nil {
			return err
		}
	}
	a.pos++
	return a.checkEnd()
}

// readRecord reads the value at pos and steps over it.
func (a *arrayReader) readRecord(fast func([]byte) int, slow func([]byte) error) error {
	if fast != nil {
		if n := fast(a.buf[a.pos:a.end]); n > 0 {
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
	// When the record was all there the first time, fast has declined it and would again.
	if fast != nil && len(raw) > known && fast(raw) == len(raw) {
		return nil
	}
	return slow(raw)
}

// frameRecord is the value at pos, all of it, and valid JSON.
func (a *arrayReader) frameRecord() ([]byte, error) {
	var f framer
	for {
		if n := f.findEnd(a.buf[a.pos:a.end]); n >= 0 {
			raw := a.buf[a.pos : a.pos+n]
			if !json.Valid(raw) {
				return nil, errors.New("the list is no valid JSON")
			}
			return raw, nil
		}
		if a.end-a.pos > maxRecord {
			return nil, &limitError{fmt.Sprintf("a row is longer than %d bytes, the most that is read", maxRecord)}
		}
		if err := a.fillBuffer(); err != nil {
			return nil, err
		}
	}
}

// framer finds the end of a JSON value, going on where it stopped when there is more of it. It balances brackets and
// strings and leaves it to encoding/json to say whether what lies between is valid.
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
				return -1 // the escape is looked at again, together with what it escapes
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

// nextByte steps over blanks and returns the byte behind them. The end of the body here is always too early.
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

// checkEnd makes sure that nothing but blanks follows and that the transport saw the end.
func (a *arrayReader) checkEnd() error {
	_, err := a.nextByte()
	switch {
	case err == nil:
		return errors.New("data follows the list")
	case errors.Is(a.err, io.EOF):
		return nil
	}
	return err
}

// fillBuffer reads on, keeping what lies behind pos. An end of the body is io.ErrUnexpectedEOF.
func (a *arrayReader) fillBuffer() error {
	if a.err != nil {
		return a.endError()
	}
	if a.pos > 0 {
		copy(a.buf, a.buf[a.pos:a.end])
		a.pos, a.end = 0, a.end-a.pos
	}
	if len(a.buf)-a.end < readSize {
		a.buf = append(a.buf, make([]byte, len(a.buf))...)
	}
	for range 100 {
		var n int
		n, a.err = a.from.Read(a.buf[a.end : a.end+readSize])
		a.end += n
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
		return fmt.Errorf("the list ends early: %w", io.ErrUnexpectedEOF)
	}
	return a.err
}
