// Package spool brings records into the order of their keys, however many there are. A few are in memory; what is more is sorted part by
// part into a temporary file, so that any number of them takes as much memory, and keys in any order are as fast as ascending ones.
package spool

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Spool keeps records. It is for one goroutine.
type Spool struct {
	partSize int // bytes of records that are sorted at once
	buffer   []byte
	places   []place // of the records in the buffer
	ended    bool    // nothing is added any more
	// What follows is of the temporary file, nil: there is none.
	file    *os.File
	removed bool   // from its folder
	parts   []part // each in order
	end     int64  // of the last one
}

// place is where a record is in the buffer.
type place struct {
	at  uint32 // of its key
	key uint32 // bytes of the key, behind which the value is
	all uint32 // bytes of both
}

// part is a piece of the file.
type part struct{ from, to int64 }

// largeRecord is how many bytes few records have.
const largeRecord = 4 << 10

// New returns an empty Spool that has about so many bytes of records in memory.
func New(partSize int) *Spool { return &Spool{partSize: partSize} }

// Add keeps a copy of a record.
func (s *Spool) Add(key, value []byte) error {
	at, more := len(s.buffer), len(key)+len(value)
	if more > cap(s.buffer)-at {
		// Twice as many bytes, up to a part and a record: append would add a quarter, and copy more often.
		s.buffer = slices.Grow(s.buffer, max(more, min(cap(s.buffer), s.partSize+largeRecord-at)))
	}
	s.buffer = append(append(s.buffer, key...), value...)
	s.places = append(s.places, place{uint32(at), uint32(len(key)), uint32(len(s.buffer) - at)})
	if len(s.buffer) < s.partSize {
		return nil
	}
	return s.writePart()
}

// sortBuffer brings the records of the buffer into order, and leaves those with one key as they came.
func (s *Spool) sortBuffer() {
	key := func(p place) []byte { return s.buffer[p.at : p.at+p.key] }
	slices.SortFunc(s.places, func(a, b place) int { return cmp.Or(bytes.Compare(key(a), key(b)), cmp.Compare(a.at, b.at)) })
}

// Failure is what went wrong with a temporary file. It wraps no error: no caller is to take it for a fault of what is kept.
func Failure(doing string, err error) error {
	return fmt.Errorf("%s in the folder for temporary files, %s: %s", doing, os.TempDir(), err.Error())
}

// writePart writes the buffer to the file. Where the system lets an open file be removed it is gone when the program is.
func (s *Spool) writePart() (err error) {
	if s.file == nil {
		if s.file, s.removed, err = OpenTemporary(); err != nil {
			return err
		}
	}
	s.sortBuffer()
	out := bufio.NewWriterSize(s.file, 1<<16)
	from := s.end
	var head []byte
	for _, p := range s.places {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(p.key)), uint64(p.all-p.key))
		_, _ = out.Write(head)
		_, _ = out.Write(s.buffer[p.at : p.at+p.all])
		s.end += int64(len(head)) + int64(p.all)
	}
	s.parts = append(s.parts, part{from, s.end})
	s.buffer, s.places = s.buffer[:0], s.places[:0]
	if err := out.Flush(); err != nil { // and what the writes failed with
		return Failure("keep rows", err)
	}
	return nil
}

// OpenTemporary opens an empty file in the folder for temporary files, for its owner alone. removed reports whether it is in no folder any
// more, as on systems that let an open file be removed; else the one who closes it removes it.
func OpenTemporary() (file *os.File, removed bool, err error) {
	if file, err = os.CreateTemp("", "concilia-rows-*"); err != nil {
		return nil, false, Failure("keep rows", err)
	}
	return file, os.Remove(file.Name()) == nil, nil
}

// EndAdding ends the adding.
func (s *Spool) EndAdding() error {
	if s.ended {
		return nil
	}
	s.ended = true
	if s.file == nil {
		s.sortBuffer()
		return nil
	}
	err := s.writePart()
	s.buffer, s.places = nil, nil
	return err
}

// Reset removes all records, so that others can be added in the same memory.
func (s *Spool) Reset() error {
	err := s.Close()
	*s = Spool{partSize: s.partSize, buffer: s.buffer[:0], places: s.places[:0]}
	return err
}

// Close removes the file.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if !s.removed {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// Read calls fn for the records in order, those with one key as they came. Key and value are fn's until it returns. Read may be called
// again, and is after EndAdding.
func (s *Spool) Read(fn func(key, value []byte) error) error {
	if s.file == nil {
		for _, p := range s.places {
			if err := fn(s.buffer[p.at:p.at+p.key], s.buffer[p.at+p.key:p.at+p.all]); err != nil {
				return err
			}
		}
		return nil
	}
	var open openParts
	for i, p := range s.parts {
		o := &openPart{number: i, in: bufio.NewReaderSize(io.NewSectionReader(s.file, p.from, p.to-p.from), 1<<16)}
		more, err := o.next()
		if err != nil {
			return err
		}
		if more {
			open = append(open, o)
		}
	}
	heap.Init(&open)
	for len(open) > 0 {
		o := open[0]
		if err := fn(o.record[:o.key], o.record[o.key:]); err != nil {
			return err
		}
		more, err := o.next()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(&open, 0)
		default:
			heap.Pop(&open)
		}
	}
	return nil
}

// openPart is a part that is read.
type openPart struct {
	number int
	in     *bufio.Reader
	record []byte // key and value
	key    int    // bytes of the key
}

// next reads the next record, and reports whether there is one.
func (o *openPart) next() (bool, error) {
	key, err := binary.ReadUvarint(o.in)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	value, more := binary.ReadUvarint(o.in)
	if err := errors.Join(err, more); err != nil {
		return false, Failure("read back rows", err)
	}
	o.key = int(key)
	o.record = slices.Grow(o.record[:0], int(key+value))[:key+value]
	if _, err := io.ReadFull(o.in, o.record); err != nil {
		return false, Failure("read back rows", err)
	}
	return true, nil
}

// openParts is a heap: first the record with the least key, of equal ones that of the part that came first.
type openParts []*openPart

func (o openParts) Len() int      { return len(o) }
func (o openParts) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o openParts) Less(i, j int) bool {
	c := bytes.Compare(o[i].record[:o[i].key], o[j].record[:o[j].key])
	return c < 0 || c == 0 && o[i].number < o[j].number
}
func (o *openParts) Push(x any) { *o = append(*o, x.(*openPart)) }

func (o *openParts) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}
