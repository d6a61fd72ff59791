package textfile

import (
	"errors"
	"io"
	"strings"
)

// maxRow is how many bytes a row may have, with what is read ahead of it.
const maxRow = 4 << 20

// ErrLongRow means that a row goes on and on: a quote that is not closed, or another kind of file.
var ErrLongRow = errors.New("a row of more than 4 MiB")

// BoundedRows is a source of rows that fails with ErrLongRow where one goes on and on. Whoever reads it calls EndRow.
type BoundedRows struct {
	From io.Reader
	run  int // bytes since the last row ended
}

// EndRow says that a row was read to its end.
func (b *BoundedRows) EndRow() { b.run = 0 }

// Read reads what comes next.
func (b *BoundedRows) Read(p []byte) (int, error) {
	n, err := b.From.Read(p)
	if b.run += n; b.run > maxRow {
		return 0, ErrLongRow
	}
	return n, err
}

// HoldsRow reports whether a value of a CSV goes on over line ends and has the delimiters of a whole row of so many columns in it. Then a quote
// is open, and rows would be lost in the value.
func HoldsRow(value, delimiter string, columns int) bool {
	return strings.Contains(value, "\n") && strings.Count(value, delimiter) >= columns-1
}
