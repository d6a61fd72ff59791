package export

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"concilia/export/cnab"
)

// tempFile keeps in staging what a pass over the ledger brought for a file that can be written only later: titles have their
// numbers once it is known that anything is written. It is what saves a second pass.
type tempFile[T any] struct {
	file *os.File
	buf  *bufio.Writer
	enc  *gob.Encoder
}

func newTempFile[T any](path string) (*tempFile[T], error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	return &tempFile[T]{file: f, buf: buf, enc: gob.NewEncoder(buf)}, nil
}

// add keeps a value. It must come before each.
func (s *tempFile[T]) add(v *T) error {
	if err := s.enc.Encode(v); err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	return nil
}

// reader returns a function that reads the values one by one, in the order of add; nothing is added afterwards.
func (s *tempFile[T]) reader() (next func(*T) error, err error) {
	if err := s.buf.Flush(); err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	dec := gob.NewDecoder(bufio.NewReaderSize(s.file, 1<<16))
	return func(v *T) error {
		if err := dec.Decode(v); err != nil {
			return fmt.Errorf("staging: %w", err)
		}
		return nil
	}, nil
}

// each yields every value in the order of add; nothing is added afterwards.
func (s *tempFile[T]) each(yield func(*T) error) error {
	next, err := s.reader()
	if err != nil {
		return err
	}
	for {
		var v T // a new one: gob leaves alone what was zero
		err := next(&v)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := yield(&v); err != nil {
			return err
		}
	}
}

// close ends the spool; nil has none.
func (s *tempFile[T]) close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}

// deferredTitle is a title of an installment that has no number yet.
type deferredTitle struct {
	Subject string
	Title   cnab.Title
}

// deferredSlip is a slip that has no number yet, and its title.
type deferredSlip struct {
	Subject   string
	Title     *cnab.Title // nil: it is none
	OurNumber string
	Reference string
}
