package staging

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
)

// TempFile keeps values read from the ledger in staging until they are written: titles get their numbers only after the
// decision that a revision is written. It avoids reading the ledger a second time.
type TempFile[T any] struct {
	file *os.File
	buf  *bufio.Writer
	enc  *gob.Encoder
}

// NewTempFile creates the file.
func NewTempFile[T any](path string) (*TempFile[T], error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	return &TempFile[T]{file: f, buf: buf, enc: gob.NewEncoder(buf)}, nil
}

// Add appends a value. It must not be called after Reader or Each.
func (s *TempFile[T]) Add(v *T) error {
	if err := s.enc.Encode(v); err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	return nil
}

// Reader returns a function that reads the values one by one, in the order of Add.
func (s *TempFile[T]) Reader() (next func(*T) error, err error) {
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

// Each yields every value in the order of Add.
func (s *TempFile[T]) Each(yield func(*T) error) error {
	next, err := s.Reader()
	if err != nil {
		return err
	}
	for {
		var v T // a new one, because gob does not overwrite members with zero values
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

// Close closes the file. It does nothing on nil.
func (s *TempFile[T]) Close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}
