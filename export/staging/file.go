package staging

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"sync"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/table"
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
	keep func(FileHash)

	mu     sync.Mutex
	grown  sync.Cond // there is more to read, or the file is closed
	size   int64
	closed bool
}

// CreateFile makes a file of the set in staging. Its hash is known once it is closed.
func (s *Set) CreateFile(path string) (*HashedFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	out := &HashedFile{file: f, hash: sha256.New(), keep: func(h FileHash) { s.written[path] = h }}
	out.grown.L = &out.mu
	return out, nil
}

// Write writes to the file.
func (f *HashedFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	f.hash.Write(b[:n])
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size += int64(n)
	f.grown.Broadcast()
	return n, err
}

// Close closes the file and keeps its hash.
func (f *HashedFile) Close() error {
	f.keep(FileHash{hex.EncodeToString(f.hash.Sum(nil)), f.size})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.grown.Broadcast()
	return f.file.Close()
}

// waitBeyond waits until more than that is written, or nothing more will be.
func (f *HashedFile) waitBeyond(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.size <= size && !f.closed {
		f.grown.Wait()
	}
}

// follower reads a file behind its writer, up to the end of the closed file.
type follower struct {
	file *os.File
	of   *HashedFile
	read int64
}

func (r *follower) Read(b []byte) (int, error) {
	r.of.waitBeyond(r.read)
	n, err := r.file.Read(b)
	r.read += int64(n)
	return n, err
}

// readBehind parses a file while it is written. sums returns what parse did, once the file is closed.
func (s *Set) readBehind(f *HashedFile, parse func(io.Reader) (table.Counter, error)) (sums func() (table.Counter, error), err error) {
	in, err := os.Open(f.file.Name())
	if err != nil {
		return nil, err
	}
	var counted table.Counter
	var fault error
	done := make(chan struct{})
	s.reading.Go(func() {
		defer close(done)
		counted, fault = parse(bufio.NewReaderSize(&follower{file: in, of: f}, 1<<16))
		fault = errors.Join(fault, in.Close())
	})
	return func() (table.Counter, error) {
		<-done
		return counted, fault
	}, nil
}

// WaitForReaders waits until the files that are read while they are written are read to their end.
func (s *Set) WaitForReaders() { s.reading.Wait() }

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
