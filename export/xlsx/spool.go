package xlsx

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/klauspost/compress/flate"
)

// level is the compression of every part. Fastest: the best one gives half the bytes at five times the cost. The
// compressor is a module with a version of its own, so that another toolchain makes the same bytes.
const level = flate.BestSpeed

// deflatePiece describes a compressed section of a part. Sections put one after the other are one deflate stream, provided
// that only the last one is closed and the others end at a byte boundary.
type deflatePiece struct {
	raw    int64  // bytes before compression
	packed int64  // and after
	crc    uint32 // of the bytes before compression
}

// append returns the sizes and checksum of a piece and the one that follows it.
func (p deflatePiece) append(q deflatePiece) deflatePiece {
	return deflatePiece{raw: p.raw + q.raw, packed: p.packed + q.packed, crc: crcCombine(p.crc, q.crc, q.raw)}
}

// rowSpool compresses bytes into a temporary file as they come, on a goroutine of its own once there are many: what is
// compressed, and so the bytes, does not depend on when.
type rowSpool struct {
	file  *os.File
	out   *bufio.Writer
	flate *flate.Writer
	deflatePiece
	blocks chan []byte // to the goroutine; nil before it runs
	free   chan []byte // and back, empty
	failed chan error  // what ended it, once
}

// packFile is the size of the buffer before the file, since the compressor writes a few hundred bytes at a time.
const packFile = 32 << 10

func (w *Workbook) newRowSpool() (*rowSpool, error) {
	file, err := os.CreateTemp(w.tempDir, "sheet-*.part")
	if err != nil {
		return nil, fmt.Errorf("temporary file for the rows of a sheet: %w", err)
	}
	s := &rowSpool{file: file, out: bufio.NewWriterSize(file, packFile)}
	if s.flate, err = w.takeCompressor(s.out); err != nil {
		s.removeFile()
		return nil, err
	}
	return s, nil
}

// compressBlock passes a block to the background compressor and returns an empty one.
func (s *rowSpool) compressBlock(block []byte) ([]byte, error) {
	if s.blocks == nil {
		s.blocks, s.free, s.failed = make(chan []byte, 1), make(chan []byte, 3), make(chan error, 1)
		s.free <- make([]byte, 0, cap(block))
		s.free <- make([]byte, 0, cap(block))
		go s.compressBlocks(s.blocks)
	}
	s.blocks <- block
	select {
	case next := <-s.free:
		return next[:0], nil
	case err := <-s.failed:
		s.failed <- err
		return nil, err
	}
}

// compressBlocks compresses blocks until the channel is closed; after an error it discards them.
func (s *rowSpool) compressBlocks(blocks <-chan []byte) {
	var failed error
	for block := range blocks {
		if failed == nil {
			if failed = s.writeBlock(block); failed != nil {
				s.failed <- failed
			}
		}
		if failed == nil {
			s.free <- block
		}
	}
	if failed == nil {
		s.failed <- nil
	}
}

func (s *rowSpool) writeBlock(b []byte) error {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	s.raw += int64(len(b))
	_, err := s.flate.Write(b)
	return err
}

// waitForWorker waits for the background goroutine, if there is one, and returns its error.
func (s *rowSpool) waitForWorker() error {
	if s.blocks == nil {
		return nil
	}
	close(s.blocks)
	s.blocks = nil
	return <-s.failed
}

// takeCompressor returns a compressor that writes to out. It costs more to make than most pieces to compress.
func (w *Workbook) takeCompressor(out io.Writer) (*flate.Writer, error) {
	last := len(w.idleCompressors) - 1
	if last < 0 {
		return flate.NewWriter(out, level)
	}
	c := w.idleCompressors[last]
	w.idleCompressors = w.idleCompressors[:last]
	c.Reset(out)
	return c, nil
}

// finishPiece compresses the last block, flushes to a byte boundary, without closing the stream, and gives the compressor back.
func (w *Workbook) finishPiece(s *rowSpool, last []byte) error {
	err := s.waitForWorker()
	if err == nil {
		err = s.writeBlock(last)
	}
	if err == nil {
		err = s.flate.Flush()
	}
	if err == nil {
		err = s.out.Flush()
	}
	if err == nil {
		w.idleCompressors = append(w.idleCompressors, s.flate)
	}
	s.flate, s.out = nil, nil
	if err == nil {
		s.packed, err = s.file.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("temporary file for the rows of a sheet: %w", err)
	}
	return nil
}

// removeFile removes the temporary file; a second call does nothing.
func (s *rowSpool) removeFile() {
	// The file is removed, so a write error does not matter.
	_ = s.waitForWorker()
	if s.file != nil {
		s.file.Close()
		// A temporary file that cannot be removed stays in the caller's directory.
		_ = os.Remove(s.file.Name())
		s.file = nil
	}
}
