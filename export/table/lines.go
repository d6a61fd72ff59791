package table

import (
	"bytes"
	"fmt"
)

// CopiesLines reports whether lines of the table's csv can be copied from one file to another: a line is then the canonical text of its
// row and the hash of that.
func (t *Table) CopiesLines() bool {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Undigested || c.Appended {
			return false
		}
	}
	return true
}

// CopyLines writes whole lines unchanged from another csv of the table, and counts what is known of their rows. It must be a table
// that CopiesLines.
func (c *CSVWriter) CopyLines(lines []byte) error {
	_, err := c.w.Write(lines)
	return err
}

// Buffered is how many bytes are not yet written to the file.
func (c *CSVWriter) Buffered() int { return c.w.Buffered() }

// AddLines adds rows to the digest by their lines in a csv of the table, and returns how many bytes the lines that are whole have. The
// caller adds what they come to to Counter.
func (d *Digester) AddLines(lines []byte) (whole int, err error) {
	const hashed = hashDigits + 2 // with the comma before it and the line feed
	for {
		line := lines[whole:]
		end := endOfLine(line)
		if end == 0 {
			return whole, nil
		}
		if end < hashed {
			return whole, fmt.Errorf("table %s: a line that is copied ends too early", d.Counter.Table.ID)
		}
		d.h.Write(line[:end-hashed])
		d.h.Write(lineEnd)
		whole += end
	}
}

// endOfLine returns the length of the first line of a csv with its line feed; 0: it does not end. A line feed between quotes, of which a
// text has an even number, ends no line.
func endOfLine(lines []byte) int {
	end, quotes := 0, 0
	for {
		at := bytes.IndexByte(lines[end:], '\n')
		if at < 0 {
			return 0
		}
		quotes += bytes.Count(lines[end:end+at], quote)
		if end += at + 1; quotes%2 == 0 {
			return end
		}
	}
}

var quote = []byte{'"'}
