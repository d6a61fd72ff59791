package xlsx

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

const (
	// rowLimit is the format's number of rows.
	rowLimit = 1_048_576
	// defaultRows is the most data rows of one sheet: what is left of the limit holds titles, header, totals and notes.
	defaultRows = 1_048_000
	// maxPart is the most bytes of a sheet's rows before compression. Past 4 GiB a part of a package needs an extension
	// that spreadsheets do not all read.
	maxPart = 3 << 30
	// flushAt is the buffered bytes of rows that go to the compressor at once.
	flushAt = 64 << 10
)

// Sheet takes rows from the top down: data rows, then the totals, then notes. It belongs to one goroutine. After an error
// it takes nothing more, and the workbook cannot be closed.
type Sheet struct {
	wb       *Workbook
	spec     SheetSpec
	letters  []string
	parts    []*part
	lead     [][]Cell
	buf      []byte // rows on their way to the compressor
	sent     int64  // bytes that went there, of the current part
	sums     []int64
	widths   []widths
	charts   []Chart
	dataRows int64
	totalled bool
	noted    bool
	err      error
}

// Append writes one data row. It has at most a cell for each column, each of the column's kind or empty; the slice
// is the caller's again afterwards.
func (s *Sheet) Append(cells []Cell) error {
	if s.err != nil {
		return s.err
	}
	if s.totalled || s.noted {
		return s.fail(errors.New("a data row after the totals"))
	}
	if err := s.checkRow(cells, true); err != nil {
		return s.fail(err)
	}
	p := s.parts[len(s.parts)-1]
	if p.row-p.firstData+1 >= s.wb.rowsPerSheet || s.sent >= maxPart {
		var err error
		if p, err = s.nextPart(); err != nil {
			return s.fail(err)
		}
	}
	s.measure(cells)
	if err := s.write(p, cells, inData, nil); err != nil {
		return s.fail(err)
	}
	p.lastData = p.row
	s.dataRows++
	return s.addUp(cells)
}

// Lead puts lines between title and header, and a blank row after them: what a reader should see before the table.
// Cells of any kind, in any column; an empty line is a blank row. It is called once and before the first row. The lines
// do not widen the columns, stand on the first sheet of the table alone, and leave its header unfrozen.
func (s *Sheet) Lead(lines [][]Cell) error {
	switch {
	case s.err != nil:
		return s.err
	case s.spec.Free || s.dataRows > 0 || s.totalled || s.noted || s.lead != nil:
		return s.fail(errors.New("a lead comes once, before the first row, and above a table"))
	}
	s.lead = lines
	for _, cells := range lines {
		s.letters = appendLetters(s.letters, len(cells))
	}
	p := s.parts[0]
	p.header += len(lines) + 1
	p.row, p.firstData, p.lastData = p.header, p.header+1, p.header
	return nil
}

// Notes writes closing lines under the data or the totals: cells of any kind in any column, after a blank row. It may be
// called again; an empty line is a blank row. The lines do not widen the columns.
func (s *Sheet) Notes(lines [][]Cell) error {
	if s.err != nil {
		return s.err
	}
	p := s.parts[len(s.parts)-1]
	if !s.noted {
		s.noted = true
		p.row++
	}
	for _, cells := range lines {
		s.letters = appendLetters(s.letters, len(cells))
		if err := s.write(p, cells, inData, nil); err != nil {
			return s.fail(err)
		}
	}
	return nil
}

// Row is the number of the row written last in the current sheet of the table, which a chart's ranges are made of.
func (s *Sheet) Row() int { return s.parts[len(s.parts)-1].row }

func (s *Sheet) write(p *part, cells []Cell, at place, formulas []string) error {
	if p.row >= rowLimit {
		return fmt.Errorf("more than %d rows: no room for totals and notes", rowLimit)
	}
	p.row++
	if len(cells) == 0 && at == inData {
		return nil
	}
	var err error
	s.buf, err = s.wb.appendRow(s.buf, p.row, s.letters, cells, at, formulas, s.lines(cells))
	if err != nil {
		return err
	}
	if len(s.buf) >= flushAt {
		s.sent += int64(len(s.buf))
		s.buf, err = p.rows.take(s.buf)
		return err
	}
	return nil
}

// nextPart ends the current sheet of the table, if there is one, and begins the next.
func (s *Sheet) nextPart() (*part, error) {
	if n := len(s.parts); n > 0 {
		if err := s.endPart(s.parts[n-1]); err != nil {
			return nil, err
		}
	}
	name, err := s.wb.claim(continuation(s.spec.Name, len(s.parts)+1))
	if err != nil {
		return nil, err
	}
	rows, err := newSpool(s.wb.tempDir)
	if err != nil {
		return nil, err
	}
	p := &part{name: name, rows: rows, row: len(s.spec.Title)}
	if p.row > 0 {
		p.row++ // a blank row under the title
	}
	if !s.spec.Free {
		p.row++
		p.header = p.row
	}
	p.firstData, p.lastData = p.row+1, p.row
	s.parts = append(s.parts, p)
	return p, nil
}

func (s *Sheet) endPart(p *part) error {
	err := p.rows.finish(s.buf)
	s.buf, s.sent = s.buf[:0], 0
	return err
}

// checkRow holds cells to their columns.
func (s *Sheet) checkRow(cells []Cell, data bool) error {
	if len(cells) > len(s.spec.Columns) {
		return fmt.Errorf("a row of %d cells for %d columns", len(cells), len(s.spec.Columns))
	}
	for i := range cells {
		k := cells[i].Kind
		want := s.spec.Columns[i].Kind
		if k == want || k == KindEmpty || (want == KindAny && k < KindAny) || (!data && k == KindText) {
			continue
		}
		return fmt.Errorf("column %d (%s): a cell of kind %d where the column has %d", i+1, s.spec.Columns[i].Header, k, want)
	}
	return nil
}

// measure keeps what the width of each column will need.
func (s *Sheet) measure(cells []Cell) {
	for i := range cells {
		c, w := &cells[i], &s.widths[i]
		switch {
		case c.Kind == KindText:
			if len(c.Text) > w.text {
				w.text = max(w.text, utf8.RuneCountInString(c.Text))
			}
		case c.Kind.numeric():
			if m := magnitude(c.N); m > w.most {
				w.most = m
			}
			w.kind = c.Kind
			w.negative = w.negative || c.N < 0
		case c.Kind == KindDate:
			w.text = max(w.text, len("dd/mm/yyyy"))
		case c.Kind == KindDateTime:
			w.text = max(w.text, len("dd/mm/yyyy hh:mm:ss"))
		}
	}
}

func (s *Sheet) fail(err error) error {
	s.err = fmt.Errorf("sheet %q: %w", s.spec.Name, err)
	s.wb.failed = s.err
	return s.err
}

// appendLetters extends the column names to n.
func appendLetters(letters []string, n int) []string {
	for i := len(letters); i < n; i++ {
		letters = append(letters, columnName(i))
	}
	return letters
}
