package sales

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

	"concilia/store/ledger"
)

// spool keeps the payments, voids and numbers that a file tells, in order of their keys: payments by sale and number, then voids by sale, then
// numbers by series. A few are in memory; what is more is sorted part by part into a temporary file, so that a file of any size
// takes as much memory, and ids in any order are as fast as ascending ones.
type spool struct {
	partSize int // bytes of records that are sorted at once
	buffer   []byte
	places   []place // of the records in the buffer
	// What follows is of the temporary file, nil: there is none.
	file    *os.File
	removed bool   // from its folder
	parts   []part // each in order
	end     int64  // of the last one
}

// place is where a record is in the buffer.
type place struct {
	at  uint32 // of its key
	key uint32 // bytes of the key, behind which the values are
	all uint32 // bytes of both
}

// part is a piece of the file.
type part struct{ from, to int64 }

func newSpool() *spool { return &spool{partSize: 16 << 20} }

// What a record is; the order is that in which they are merged.
const (
	spooledPayment = iota
	spooledVoid
	spooledNumbers
)

// add keeps a copy of a record, unless it is one that is only told.
func (s *spool) add(r *ledger.OwnRecord) error {
	at := len(s.buffer)
	b := s.buffer
	switch {
	case r.Payment != nil:
		b = append(append(b, spooledPayment), r.Payment.Sale...)
		b = binary.BigEndian.AppendUint32(append(b, 0), uint32(r.Payment.Number))
	case r.Void != nil:
		b = append(append(b, spooledVoid), r.Void.Sale...)
	case r.Numbers != nil:
		b = append(append(append(append(b, spooledNumbers), r.Numbers.Emitter...), r.Numbers.Model...), r.Numbers.Series...)
		b = binary.BigEndian.AppendUint64(b, uint64(r.Numbers.From))
	default:
		return nil
	}
	key := len(b) - at
	s.buffer = appendRecord(b, r)
	s.places = append(s.places, place{uint32(at), uint32(key), uint32(len(s.buffer) - at)})
	if len(s.buffer) < s.partSize {
		return nil
	}
	return s.writePart()
}

// sortBuffer brings the records of the buffer into order, and leaves those with one key as they came.
func (s *spool) sortBuffer() {
	key := func(p place) []byte { return s.buffer[p.at : p.at+p.key] }
	slices.SortFunc(s.places, func(a, b place) int { return cmp.Or(bytes.Compare(key(a), key(b)), cmp.Compare(a.at, b.at)) })
}

// errSpool is a failure of the temporary file. It wraps none: no caller is to take it for a fault of the file that is taken in.
func errSpool(doing string, err error) error {
	return fmt.Errorf("%s in the folder for temporary files, %s: %s", doing, os.TempDir(), err.Error())
}

// writePart writes the buffer to the file. Where the system lets an open file be removed it is gone when the program is.
func (s *spool) writePart() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "concilia-sales-*"); err != nil {
			return errSpool("keep rows", err)
		}
		s.removed = os.Remove(s.file.Name()) == nil
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
		return errSpool("keep rows", err)
	}
	return nil
}

// endWriting ends the adding.
func (s *spool) endWriting() error {
	if s.file == nil {
		s.sortBuffer()
		return nil
	}
	err := s.writePart()
	s.buffer, s.places = nil, nil
	return err
}

// close removes the file.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if !s.removed {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// read calls fn for the records in order, those with one key as they came. It may be called again.
func (s *spool) read(fn func(*ledger.OwnRecord) error) error {
	if s.file == nil {
		for _, p := range s.places {
			if err := tellRecord(s.buffer[p.at], s.buffer[p.at+p.key:p.at+p.all], fn); err != nil {
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
		if err := tellRecord(o.record[0], o.record[o.key:], fn); err != nil {
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
	record []byte // key and values
	key    int    // bytes of the key
}

// next reads the next record, and reports whether there is one.
func (o *openPart) next() (bool, error) {
	key, err := binary.ReadUvarint(o.in)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	values, more := binary.ReadUvarint(o.in)
	if err := errors.Join(err, more); err != nil {
		return false, errSpool("read back rows", err)
	}
	o.key = int(key)
	o.record = slices.Grow(o.record[:0], int(key+values))[:key+values]
	if _, err := io.ReadFull(o.in, o.record); err != nil {
		return false, errSpool("read back rows", err)
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
