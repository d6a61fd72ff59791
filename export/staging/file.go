package staging

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/store/ledger"
)

// File is a written file that is not published yet.
type File struct {
	Local   string // path in staging
	Figures []control.Figure
	Read    func(path string) (func(control.Figure) ledger.Opt[int64], error)
	File    manifest.File
	Ext     string
	Stem    string // table, kind or settlement
}

// FileHash is the SHA-256, in hex, and the size of a file.
type FileHash struct {
	SHA256 string
	Bytes  int64
}

// HashedFile is a new file in staging that is hashed as it is written, so that what lies there later can be held against what was
// written.
type HashedFile struct {
	file *os.File
	hash hash.Hash
	size int64
	keep func(FileHash)
}

// CreateFile makes a file of the set in staging. Its hash is known once it is closed.
func (s *Set) CreateFile(path string) (*HashedFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &HashedFile{file: f, hash: sha256.New(), keep: func(h FileHash) { s.written[path] = h }}, nil
}

// Write writes to the file.
func (f *HashedFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	f.hash.Write(b[:n])
	f.size += int64(n)
	return n, err
}

// Close closes the file and keeps its hash.
func (f *HashedFile) Close() error {
	f.keep(FileHash{hex.EncodeToString(f.hash.Sum(nil)), f.size})
	return f.file.Close()
}

// HashOf returns the SHA-256 and the size of a file.
func HashOf(path string) (is FileHash, err error) {
	h := sha256.New()
	err = readback.WithFile(path, func(in io.Reader) (err error) {
		is.Bytes, err = io.Copy(h, in)
		return err
	})
	is.SHA256 = hex.EncodeToString(h.Sum(nil))
	return is, err
}
