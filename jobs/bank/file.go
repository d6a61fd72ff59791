package bank

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/spool"
)

// File is a file of statements that is open. Little of it is in memory.
type File struct {
	*io.SectionReader
	// Hash is the SHA-256 of its bytes.
	Hash   ledger.FileHash
	file   *os.File // nil: the caller holds its content
	remove bool     // the file when it is closed
	rows   []banking.Rows
}

// NewFile is a file with a content.
func NewFile(content io.ReaderAt, size int64) (*File, error) {
	f := &File{SectionReader: io.NewSectionReader(content, 0, size)}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return nil, err
	}
	f.Hash = ledger.FileHash(sum.Sum(nil))
	return f, nil
}

// OpenFile opens a file as it is now: what is appended to it later is not read.
func OpenFile(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return newOpenFile(file, false)
}

// CopyFile keeps what can be read only once in a temporary file, up to one byte more than a statement may have.
func CopyFile(in io.Reader) (*File, error) {
	file, removed, err := spool.OpenTemporary()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(file, io.LimitReader(in, MaxFileSize+1)); err != nil {
		return nil, errors.Join(err, (&File{file: file, remove: !removed}).Close())
	}
	return newOpenFile(file, !removed)
}

func newOpenFile(file *os.File, remove bool) (*File, error) {
	info, err := file.Stat()
	if err == nil {
		var f *File
		if f, err = NewFile(file, info.Size()); err == nil {
			f.file, f.remove = file, remove
			return f, nil
		}
	}
	return nil, errors.Join(err, (&File{file: file, remove: remove}).Close())
}

// Close closes the file, and lets go of the rows that were read from it.
func (f *File) Close() (err error) {
	for _, rows := range f.rows {
		err = errors.Join(err, rows.Close())
	}
	if f.file == nil {
		return err
	}
	err = errors.Join(err, f.file.Close())
	if f.remove {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// readHead is the beginning of the file, of so many bytes at most.
func (f *File) readHead(size int64) ([]byte, error) {
	head := make([]byte, min(size, f.Size()))
	_, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, err
}
