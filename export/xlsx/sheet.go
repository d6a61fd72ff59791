package xlsx

import (
	"errors"
	"fmt"
	"strconv"
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

// Sheet is a sheet being written, from the top down: data rows, then the totals, then notes. It belongs to one goroutine.
// After an error every further call returns that error, and so does Workbook.Close.
type Sheet struct {
	wb            *Workbook
	spec          SheetSpec
	letters       []string
	parts         []*sheetPart
	preamble      [][]Cell
	headed        bool // the header stands above the preamble, too
	links         []sheetLink
	buf           []byte // rows not yet passed to the compressor
	flushedBytes  int64  // bytes passed to it, of the current part
	sums          []int64
	widths        []columnWidths
	charts        []Chart
	dataRows      int64
	totalsWritten bool
	notesWritten  bool
	err           error
}

// AppendRow writes one data row. It has at most a cell for each column, each of the column's kind or empty; the slice
// is the caller's again afterwards.
func (s *Sheet) AppendRow(cells []Cell) error {
	if s.err != nil {
		return s.err
	}
	if s.totalsWritten || s.notesWritten {
		return s.setError(errors.New("a data row after the totals"))
	}
	if err := s.checkRow(cells, true); err != nil {
		return s.setError(err)
	}
	p := s.parts[len(s.parts)-1]
	if p.row-p.firstData+1 >= s.wb.rowsPerSheet || s.flushedBytes >= maxPart {
		var err error
		if p, err = s.nextPart(); err != nil {
			return s.setError(err)
		}
	}
	s.measureWidths(cells)
	if err := s.writeRow(p, cells, dataArea, nil); err != nil {
		return s.setError(err)
	}
	p.lastData = p.row
	s.dataRows++
	return s.addUp(cells)
}

// AddPreamble puts lines between title and header, followed by a blank row. Cells may be of any kind and in any column; an
// empty line is a blank row. It is called once and before the first row. The lines do not widen the columns, are only on
// the first sheet of the table, and leave its header unfrozen.
func (s *Sheet) AddPreamble(lines [][]Cell) error {
	switch {
	case s.err != nil:
		return s.err
	case s.spec.Freeform || s.dataRows > 0 || s.totalsWritten || s.notesWritten || s.preamble != nil:
		return s.setError(errors.New("a preamble comes once, before the first row, and above a table"))
	}
	s.preamble = lines
	for _, cells := range lines {
		s.letters = appendLetters(s.letters, len(cells))
	}
	p := s.parts[0]
	p.header += len(lines) + 1
	p.row, p.firstData, p.lastData = p.header, p.header+1, p.header
	return nil
}

// AddHeadedPreamble is AddPreamble of lines in the columns of the table, such as its subtotals: the header stands above them, too.
func (s *Sheet) AddHeadedPreamble(lines [][]Cell) error {
	if err := s.AddPreamble(lines); err != nil {
		return err
	}
	s.headed = true
	p := s.parts[0]
	p.header++
	p.row, p.firstData, p.lastData = p.header, p.header+1, p.header
	return nil
}

// sheetLink makes the first cell of a row lead to another sheet.
type sheetLink struct {
	row int
	to  *Sheet
}

// LinkLastRow makes the first cell of the row written last lead to another sheet of the workbook.
func (s *Sheet) LinkLastRow(to *Sheet) { s.links = append(s.links, sheetLink{s.LastRow(), to}) }

// AddNotes writes closing lines under the data or the totals: cells of any kind in any column, after a blank row. It may be
// called again; an empty line is a blank row. The lines do not widen the columns.
func (s *Sheet) AddNotes(lines [][]Cell) error {
	if s.err != nil {
		return s.err
	}
	p := s.parts[len(s.parts)-1]
	if !s.notesWritten {
		s.notesWritten = true
		p.row++
	}
	for _, cells := range lines {
		s.letters = appendLetters(s.letters, len(cells))
		if err := s.writeRow(p, cells, dataArea, nil); err != nil {
			return s.setError(err)
		}
	}
	return nil
}

// LastRow is the number of the row written last in the current sheet of the table, which a chart's ranges are made of.
func (s *Sheet) LastRow() int { return s.parts[len(s.parts)-1].row }

func (s *Sheet) writeRow(p *sheetPart, cells []Cell, at rowArea, formulas []string) error {
	if p.row >= rowLimit {
		return fmt.Errorf("more than %d rows: no room for totals and notes", rowLimit)
	}
	p.row++
	if len(cells) == 0 && at == dataArea {
		return nil
	}
	var err error
	s.buf, err = s.wb.appendRow(s.buf, p.row, s.letters, cells, at, formulas, s.rowLines(cells))
	if err != nil {
		return err
	}
	if len(s.buf) >= flushAt {
		s.flushedBytes += int64(len(s.buf))
		s.buf, err = p.rows.compressBlock(s.buf)
		return err
	}
	return nil
}

// nextPart ends the current sheet of the table, if there is one, and begins the next.
func (s *Sheet) nextPart() (*sheetPart, error) {
	if n := len(s.parts); n > 0 {
		if err := s.endPart(s.parts[n-1]); err != nil {
			return nil, err
		}
	}
	name, err := s.wb.reserveName(continuationName(s.spec.Name, len(s.parts)+1))
	if err != nil {
		return nil, err
	}
	rows, err := s.wb.newRowSpool()
	if err != nil {
		return nil, err
	}
	p := &sheetPart{name: name, rows: rows, row: len(s.spec.Title)}
	if p.row > 0 {
		p.row++ // a blank row under the title
	}
	if !s.spec.Freeform {
		p.row++
		p.header = p.row
	}
	p.firstData, p.lastData = p.row+1, p.row
	s.parts = append(s.parts, p)
	return p, nil
}

func (s *Sheet) endPart(p *sheetPart) error {
	err := s.wb.finishPiece(p.rows, s.buf)
	s.buf, s.flushedBytes = s.buf[:0], 0
	return err
}

// checkRow checks the kinds of cells against their columns. data is false for a total row, where texts are allowed too.
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

// measureWidths updates the widest content of each column.
func (s *Sheet) measureWidths(cells []Cell) {
	for i := range cells {
		c, w := &cells[i], &s.widths[i]
		switch {
		case c.Kind == KindText:
			if len(c.Text) > w.text {
				w.text = max(w.text, utf8.RuneCountInString(c.Text))
			}
		case c.Kind.isNumeric():
			if m := absoluteValue(c.N); m > w.largest {
				w.largest = m
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

func (s *Sheet) setError(err error) error {
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

// sheetPart is one sheet of the package: a table has one, or several when it is long.
type sheetPart struct {
	name      string
	rows      *rowSpool
	row       int // of the last row written or left out; the header's at first
	header    int // row of the header; 0 in a freeform sheet
	firstData int // row of the first data row, whether there is one or not
	lastData  int // row of the last data row; firstData-1 when there is none
}

// dataRange is the range of rows of SUBTOTAL. Without data it is the blank row, so that the formula is valid.
func (p *sheetPart) dataRange() (first, last int) { return p.firstData, max(p.firstData, p.lastData) }

// columnWidths are the widest contents of a column so far, from which its width is computed when the sheet is done.
type columnWidths struct {
	text     int    // the longest line of text, in characters
	largest  uint64 // the largest magnitude of a number
	kind     Kind   // of the numbers
	negative bool
}

// AddTotals writes the total row as the caller states it, and under it, for each column with Subtotal set, the sum of the
// written cells as a SUBTOTAL formula with its value. A column without Subtotal may have a total too (a percentage, a
// count of distinct values). It may be called once, and not for a freeform sheet.
func (s *Sheet) AddTotals(totals []Cell) error {
	switch {
	case s.err != nil:
		return s.err
	case s.spec.Freeform:
		return s.setError(errors.New("a freeform sheet has no totals"))
	case s.totalsWritten || s.notesWritten:
		return s.setError(errors.New("the totals come once, after the data and before the notes"))
	}
	if err := s.checkRow(totals, false); err != nil {
		return s.setError(err)
	}
	s.totalsWritten = true
	row := make([]Cell, len(s.spec.Columns))
	copy(row, totals)
	sub := make([]Cell, len(row))
	formulas := make([]string, len(row))
	label := -1
	for i, c := range s.spec.Columns {
		if c.Subtotal {
			sub[i] = Cell{Kind: c.Kind, N: s.sums[i]}
			formulas[i] = s.subtotalFormula(i)
		} else if label < 0 && row[i].Kind == KindEmpty {
			label = i
		}
	}
	if label >= 0 {
		row[label] = Text(orElse(s.spec.TotalLabel, "Total"))
		sub[label] = Text(orElse(s.spec.SubtotalLabel, "Subtotal"))
	}
	p := s.parts[len(s.parts)-1]
	p.row++ // the blank row
	s.measureWidths(row)
	s.measureWidths(sub)
	if err := s.writeRow(p, row, totalArea, nil); err != nil {
		return s.setError(err)
	}
	if err := s.writeRow(p, sub, subtotalArea, formulas); err != nil {
		return s.setError(err)
	}
	return nil
}

func (s *Sheet) addUp(cells []Cell) error {
	for i := range cells {
		if !s.spec.Columns[i].Subtotal {
			continue
		}
		sum, ok := addExact(s.sums[i], cells[i].N)
		if !ok {
			return s.setError(fmt.Errorf("column %d (%s): the sum is out of range", i+1, s.spec.Columns[i].Header))
		}
		s.sums[i] = sum
	}
	return nil
}

// subtotalFormula is the formula over a column's data, on every sheet of the table. Function 109 is the sum of the rows
// that the filter shows.
func (s *Sheet) subtotalFormula(column int) string {
	letters := s.letters[column]
	b := []byte("SUBTOTAL(109")
	for _, p := range s.parts {
		b = append(b, ',')
		if len(s.parts) > 1 {
			b = append(b, '\'')
			b = appendText(b, p.name)
			b = append(b, `'!`...)
		}
		first, last := p.dataRange()
		b = strconv.AppendInt(append(b, letters...), int64(first), 10)
		b = strconv.AppendInt(append(append(b, ':'), letters...), int64(last), 10)
	}
	return string(append(b, ')'))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
