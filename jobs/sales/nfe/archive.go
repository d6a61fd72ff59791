package nfe

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger/ownsales"
)

// Limits of an archive.
const (
	maxRatio   = 200
	maxTotal   = 10 << 30
	maxEntries = 1_000_000
	smallEntry = 1 << 20 // under it a high ratio says nothing
)

// archive is a ZIP whose directory is read piece by piece: that of a million entries would take more memory than all that is done with them.
type archive struct {
	from    io.ReaderAt
	begins  int64  // the directory, in the file
	size    int64  // of the directory
	offset  uint64 // of the directory, as the archive says
	entries uint64 // as the archive says
}

// Marks and sizes of the records of a ZIP.
const (
	entryMark     = "PK\x01\x02"
	entrySize     = 46
	endMark       = "PK\x05\x06"
	endSize       = 22
	wideEndMark   = "PK\x06\x06"
	wideEndSize   = 56
	locatorMark   = "PK\x06\x07"
	locatorSize   = 20
	longestEnd    = endSize + 1<<16
	entriesAtOnce = 1000
)

var errNoArchive = newRefusal("cut", "refused.cut_zip")

// openArchive finds the directory, which is at the end.
func openArchive(from io.ReaderAt, size int64) (*archive, error) {
	tail := make([]byte, min(size, longestEnd+locatorSize))
	if _, err := from.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	at := findEnd(tail)
	if at < 0 {
		return nil, errNoArchive
	}
	end := tail[at:]
	number := binary.LittleEndian
	a := &archive{from: from, entries: uint64(number.Uint16(end[10:])), offset: uint64(number.Uint32(end[16:]))}
	length, ends := uint64(number.Uint32(end[12:])), size-int64(len(end))
	if a.entries == 1<<16-1 || length == 1<<32-1 || a.offset == 1<<32-1 {
		if at < locatorSize || string(tail[at-locatorSize:][:4]) != locatorMark {
			return nil, errNoArchive
		}
		wide := make([]byte, wideEndSize)
		ends = int64(number.Uint64(tail[at-locatorSize+8:]))
		if ends < 0 || ends > size-wideEndSize {
			return nil, errNoArchive
		}
		if _, err := from.ReadAt(wide, ends); err != nil {
			return nil, err
		}
		if string(wide[:4]) != wideEndMark {
			return nil, errNoArchive
		}
		a.entries, length, a.offset = number.Uint64(wide[32:]), number.Uint64(wide[40:]), number.Uint64(wide[48:])
	}
	if length > uint64(ends) || a.offset > uint64(size) {
		return nil, errNoArchive
	}
	a.size, a.begins = int64(length), ends-int64(length)
	return a, nil
}

// findEnd finds the last record, behind which there is a comment as long as it says; -1: there is none.
func findEnd(tail []byte) int {
	for at := len(tail) - endSize; at >= 0; at-- {
		if string(tail[at:at+4]) == endMark && at+endSize+int(binary.LittleEndian.Uint16(tail[at+20:])) <= len(tail) {
			return at
		}
	}
	return -1
}

// eachEntry calls fn for the entries in the order of the directory. Its error is fn's, of reading, or a refusal.
func (a *archive) eachEntry(fn func(*zip.File) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(a.from, a.begins, a.size), 1<<16)
	var piece []byte
	count, seen := 0, uint64(0)
	flush := func() error {
		err := a.readPiece(piece, count, fn)
		piece, count = piece[:0], 0
		return err
	}
	for seen < a.entries {
		var err error
		if piece, err = appendEntry(piece, in); err != nil {
			return err
		}
		seen++
		if count++; count == entriesAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if _, err := in.Peek(len(entryMark)); err == nil {
		return errNoArchive // more than it says
	}
	return flush()
}

// appendEntry appends the next record of the directory.
func appendEntry(piece []byte, in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(entrySize)
	if err == nil && string(head[:4]) == entryMark {
		number := binary.LittleEndian
		length := entrySize + int(number.Uint16(head[28:])) + int(number.Uint16(head[30:])) + int(number.Uint16(head[32:]))
		at := len(piece)
		piece = slices.Grow(piece, length)[:at+length]
		_, err = io.ReadFull(in, piece[at:])
	} else if err == nil {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errNoArchive
	}
	return piece, err
}

// readPiece calls fn for the entries of a piece of the directory, which is read as the whole directory of the archive.
func (a *archive) readPiece(piece []byte, entries int, fn func(*zip.File) error) error {
	number := binary.LittleEndian
	end := number.AppendUint64([]byte(wideEndMark), wideEndSize-12)
	end = number.AppendUint32(append(end, 45, 0, 45, 0), 0)
	end = number.AppendUint32(end, 0)
	for _, n := range []uint64{uint64(entries), uint64(entries), uint64(len(piece)), a.offset} {
		end = number.AppendUint64(end, n)
	}
	end = number.AppendUint32(append(end, locatorMark...), 0)
	end = number.AppendUint64(end, uint64(a.begins)+uint64(len(piece)))
	end = append(number.AppendUint32(end, 1), endMark...)
	end = append(end, 0, 0, 0, 0)
	end = append(end, bytes.Repeat([]byte{0xff}, 12)...) // what the wide one says
	end = append(end, 0, 0)
	one := &withDirectory{from: a.from, begins: a.begins, directory: slices.Concat(piece, end)}
	z, err := zip.NewReader(one, a.begins+int64(len(one.directory)))
	if err != nil {
		return errNoArchive
	}
	for _, f := range z.File {
		if err := fn(f); err != nil {
			return err
		}
	}
	return nil
}

// withDirectory is an archive up to its directory, with another one behind it.
type withDirectory struct {
	from      io.ReaderAt
	begins    int64
	directory []byte
}

func (w *withDirectory) ReadAt(p []byte, at int64) (n int, err error) {
	if at < w.begins {
		if n, err = w.from.ReadAt(p[:min(int64(len(p)), w.begins-at)], at); err != nil || n == len(p) {
			return n, err
		}
	}
	rest := at + int64(n) - w.begins
	if rest > int64(len(w.directory)) {
		return n, io.EOF
	}
	more := copy(p[n:], w.directory[rest:])
	if n += more; n < len(p) {
		err = io.EOF
	}
	return n, err
}

func isXML(f *zip.File) bool { return strings.EqualFold(path.Ext(f.Name), ".xml") }

func (r *Reader) readZIP(from io.ReaderAt, size int64, take func(*ownsales.Record) error) error {
	a, err := openArchive(from, size)
	if err != nil {
		return err
	}
	if err := a.checkEntries(); err != nil {
		return err
	}
	return a.eachEntry(func(f *zip.File) error {
		if !isXML(f) {
			return nil
		}
		in, err := f.Open()
		if err != nil {
			return newRefusal("cut", "refused.packed", "name", words.Quote(f.Name, 80))
		}
		err = r.readXML(path.Base(f.Name), &entryReader{from: in, left: int64(f.UncompressedSize64)}, take)
		_ = in.Close()
		return err
	})
}

// checkEntries refuses an archive that is not what a system exports.
func (a *archive) checkEntries() error {
	if a.entries > maxEntries {
		return newRefusal("limit", "refused.many_entries", "n", a.entries, "most", maxEntries)
	}
	var total uint64
	found := false
	err := a.eachEntry(func(f *zip.File) error {
		found = found || isXML(f)
		name := strings.ReplaceAll(f.Name, `\`, "/")
		switch {
		case path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") || len(name) > 1 && name[1] == ':':
			return newRefusal("limit", "refused.leads_out", "name", words.Quote(f.Name, 80))
		case slices.Contains([]string{".zip", ".gz", ".7z", ".rar", ".tar"}, strings.ToLower(path.Ext(name))):
			return newRefusal("limit", "refused.archive_within", "name", words.Quote(f.Name, 80))
		case f.UncompressedSize64 > smallEntry && f.UncompressedSize64/max(1, f.CompressedSize64) > maxRatio:
			return newRefusal("limit", "refused.unpacks_large", "name", words.Quote(f.Name, 80), "times", maxRatio)
		}
		if total += f.UncompressedSize64; total > maxTotal || f.UncompressedSize64 > maxTotal {
			return newRefusal("limit", "refused.unpacked", "size", maxTotal>>30)
		}
		return nil
	})
	if err == nil && !found {
		return newRefusal("empty", "refused.no_xml_in_zip")
	}
	return err
}

// entryReader reads what the directory of an archive says an entry has. One that has more is no entry of it.
type entryReader struct {
	from io.Reader
	left int64
}

func (e *entryReader) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	if e.left -= int64(n); e.left < 0 {
		return 0, words.NewFault("refused.longer_entry", "", "cause", io.ErrUnexpectedEOF)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err) // damaged, not unreadable
	}
	return n, err
}
