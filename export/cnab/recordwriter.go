package cnab

import (
	"bufio"
	"io"
)

// RecordWriter writes records as lines of a file, as they are. With the records Read hands out it gives the same
// bytes again.
type RecordWriter struct {
	w *bufio.Writer
	n int
}

// NewRecordWriter buffers; Flush ends it.
func NewRecordWriter(w io.Writer) *RecordWriter {
	return &RecordWriter{w: bufio.NewWriterSize(w, 64<<10)}
}

// Write writes one record and its CR LF. A record its setters refused something for is not written.
func (w *RecordWriter) Write(r *Record) error {
	if err := r.Err(); err != nil {
		return err
	}
	w.n++
	_, _ = w.w.Write(r.raw[:]) // a bufio.Writer keeps its first error for the next call
	_, err := w.w.WriteString("\r\n")
	return err
}

// Records is the number of records written.
func (w *RecordWriter) Records() int { return w.n }

// Flush hands what is buffered to the underlying writer.
func (w *RecordWriter) Flush() error { return w.w.Flush() }
