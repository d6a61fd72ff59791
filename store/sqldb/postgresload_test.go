package sqldb

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// TestCopyLostWhileRead: the driver may give a lost COPY back while its own goroutine still reads the rows; what the next
// try fills must not be read by the last one.
func TestCopyLostWhileRead(t *testing.T) {
	t.Parallel()
	filled := 0
	began, lost := make(chan struct{}), make(chan struct{})
	r := newCopyReader("t", 1, 1<<40, func(i int, row Row) error {
		if filled++; i == 100 {
			close(began)
		}
		row.Int(int64(i))
		return nil
	})
	go func() {
		defer close(lost)
		for p := make([]byte, 512); ; {
			if _, err := r.Read(p); err != nil {
				if !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("read: %v", err)
				}
				return
			}
		}
	}()
	<-began
	if err := r.stopReading(); err != nil {
		t.Fatal(err)
	}
	at := filled // a race if it is still being filled
	<-lost
	if filled != at {
		t.Errorf("%d rows were filled after the stop", filled-at)
	}
}

// TestCopyBuffer: what is on its way to the server is never more than a piece of what is loaded, whatever pieces are
// asked for, and no byte of it is lost.
func TestCopyBuffer(t *testing.T) {
	t.Parallel()
	const rows, size = 20_000, 2 + 12
	for _, piece := range []int{1000, copyChunk - 1, copyChunk} {
		r := newCopyReader("t", 1, rows, func(i int, row Row) error {
			row.Int(int64(i))
			return nil
		})
		var all []byte
		for p := make([]byte, piece); ; {
			n, err := r.Read(p)
			all = append(all, p[:n]...)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if cap(r.row.b) > 2*copyChunk {
				t.Fatalf("pieces of %d: the buffer has %d bytes", piece, cap(r.row.b))
			}
		}
		body := all[len(copyHeader):]
		if len(body) != rows*size+len(copyTrailer) {
			t.Fatalf("pieces of %d: %d bytes of rows", piece, len(body))
		}
		for i := range rows {
			if got := binary.BigEndian.Uint64(body[i*size+6:]); got != uint64(i) {
				t.Fatalf("pieces of %d: row %d says %d", piece, i, got)
			}
		}
	}
}
