package xlsx

import (
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// level is the compression of every part. Fastest: the best one gives half the bytes at five times the cost.
const level = flate.BestSpeed

// piece is a run of bytes of a part, compressed by itself: pieces put one after the other are one deflate stream,
// as long as only the last one is closed and the others end at a byte.
type piece struct {
	raw    int64  // bytes before compression
	packed int64  // and after
	crc    uint32 // of the bytes before compression
}

// then is the sum of a piece and the one that follows it.
func (p piece) then(q piece) piece {
	return piece{raw: p.raw + q.raw, packed: p.packed + q.packed, crc: crcCombine(p.crc, q.crc, q.raw)}
}

// spool compresses bytes into a temporary file as they come.
type spool struct {
	file  *os.File
	flate *flate.Writer
	piece
}

func newSpool(dir string) (*spool, error) {
	file, err := os.CreateTemp(dir, "sheet-*.part")
	if err != nil {
		return nil, fmt.Errorf("temporary file for the rows of a sheet: %w", err)
	}
	s := &spool{file: file}
	s.flate, err = flate.NewWriter(file, level)
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *spool) Write(b []byte) (int, error) {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	s.raw += int64(len(b))
	return s.flate.Write(b)
}

// finish ends the piece at a byte, without closing the stream.
func (s *spool) finish() error {
	if err := s.flate.Flush(); err != nil {
		return fmt.Errorf("rows of a sheet: %w", err)
	}
	s.flate = nil
	var err error
	if s.packed, err = s.file.Seek(0, io.SeekCurrent); err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	return err
}

// remove drops the file; twice does no harm.
func (s *spool) remove() {
	if s.file != nil {
		s.file.Close()
		// Nothing to do about a temporary file that will not go; the directory is the caller's.
		_ = os.Remove(s.file.Name())
		s.file = nil
	}
}

// crcCombine is the CRC-32 of a||b, from those of a and b and the length of b: a's is carried over b's bytes as over zeros,
// by squaring the matrix that carries it over one bit.
func crcCombine(a, b uint32, lenB int64) uint32 {
	if lenB == 0 {
		return a
	}
	var m [32]uint32 // one zero bit
	m[0] = crc32.IEEE
	for i := 1; i < 32; i++ {
		m[i] = 1 << (i - 1)
	}
	for range 3 { // one zero byte
		m = gfSquare(m)
	}
	for n := lenB; n > 0; n >>= 1 {
		if n&1 == 1 {
			a = gfTimes(&m, a)
		}
		m = gfSquare(m)
	}
	return a ^ b
}

func gfTimes(m *[32]uint32, v uint32) (sum uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 == 1 {
			sum ^= m[i]
		}
	}
	return sum
}

func gfSquare(m [32]uint32) (sq [32]uint32) {
	for i := range m {
		sq[i] = gfTimes(&m, m[i])
	}
	return sq
}
