package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Rows calls fn for the rows of a sheet, from the top: the row's number, from 1, and its cells by column. Rows without
// cells are left out. The slice is valid until fn returns, the values afterwards too. An error of fn ends the reading and
// is returned wrapped.
func (b *Book) Rows(sheet string, fn func(row int, cells []Value) error) error {
	for i := range b.sheets {
		if b.sheets[i].Name == sheet {
			r := rowReader{book: b, fn: fn, interned: new(strings.Builder)}
			if err := b.scanPart(b.sheets[i].part, r.handleEvent); err != nil {
				return fmt.Errorf("sheet %q: %w", sheet, err)
			}
			return nil
		}
	}
	return fmt.Errorf("workbook: no sheet %q", sheet)
}

// rowReader collects the cells of a row from the XML events of a sheet.
type rowReader struct {
	book   *Book
	fn     func(int, []Value) error
	row    int
	column int    // of the cell being read
	kind   []byte // of it: the type as it is spelled
	value  []byte
	form   []byte
	text   stringItem
	in     cellPart
	inData bool

	cells    []Value
	interned *strings.Builder // texts of recent cells
}

// cellPart is the element of a cell whose text is being read.
type cellPart uint8

const (
	inNone cellPart = iota
	inValue
	inFormula
)

func (r *rowReader) handleEvent(s *xmlScanner, event xmlEvent) error {
	r.text.handleEvent(s, event)
	switch event {
	case xmlStart:
		return r.startElement(s)
	case xmlEnd:
		return r.endElement(s)
	}
	switch r.in {
	case inValue:
		r.value = append(r.value, s.text...)
	case inFormula:
		r.form = append(r.form, s.text...)
	}
	return nil
}

func (r *rowReader) startElement(s *xmlScanner) error {
	switch string(s.name) {
	case "sheetData":
		r.inData = true
	case "row":
		return r.startRow(s)
	case "c":
		return r.startCell(s)
	case "v":
		r.in = inValue
	case "f":
		r.in = inFormula
	}
	return nil
}

func (r *rowReader) startRow(s *xmlScanner) error {
	number, err := s.attribute("r")
	if err != nil {
		return err
	}
	n := r.row + 1
	if number != nil {
		if n, err = strconv.Atoi(string(number)); err != nil || n <= r.row || n > rowLimit {
			return fmt.Errorf("row %.20q after row %d", number, r.row)
		}
	}
	r.row, r.column, r.cells = n, -1, r.cells[:0]
	return nil
}

func (r *rowReader) startCell(s *xmlScanner) error {
	if !r.inData || r.row == 0 {
		return errors.New("a cell outside of a row")
	}
	ref, err := s.attribute("r")
	if err != nil {
		return err
	}
	kind, err := s.attribute("t")
	if err != nil {
		return err
	}
	r.kind = append(r.kind[:0], kind...)
	column := r.column + 1
	if ref != nil {
		var row int
		if column, row, err = splitRef(ref); err != nil {
			return err
		}
		if row != r.row || column <= r.column {
			return fmt.Errorf("cell %.20q in row %d, after column %d", ref, r.row, r.column+1)
		}
	}
	if column >= maxColumns {
		return fmt.Errorf("more than %d columns in row %d", maxColumns, r.row)
	}
	r.column = column
	r.value, r.form = r.value[:0], r.form[:0]
	r.text.reset()
	return nil
}

func (r *rowReader) endElement(s *xmlScanner) error {
	switch string(s.name) {
	case "v", "f":
		r.in = inNone
	case "c":
		v, err := r.cellValue()
		if err != nil {
			return fmt.Errorf("cell %s%d: %w", columnName(r.column), r.row, err)
		}
		if v.Kind == Absent {
			return nil
		}
		for len(r.cells) < r.column {
			r.cells = append(r.cells, Value{})
		}
		r.cells = append(r.cells, v)
	case "row":
		if len(r.cells) > 0 {
			return r.fn(r.row, r.cells)
		}
	case "sheetData":
		r.inData = false
	}
	return nil
}

// cellValue makes a Value of the elements of a cell.
func (r *rowReader) cellValue() (Value, error) {
	v := Value{Formula: string(r.form)}
	switch string(r.kind) {
	case "inlineStr":
		v.Kind = String
		if bytes.Contains(r.text.text, []byte("_x")) {
			v.Raw = unescapeText(string(r.text.text))
		} else {
			v.Raw = r.internText(r.text.text)
		}
		return v, nil
	case "", "n":
		v.Kind = Number
	case "s":
		i, err := strconv.Atoi(string(r.value))
		if err != nil || i < 0 || i >= len(r.book.shared) {
			return v, fmt.Errorf("shared string %.20q of %d", r.value, len(r.book.shared))
		}
		v.Kind, v.Raw = String, r.book.shared[i]
		return v, nil
	case "str":
		v.Kind, v.Raw = String, unescapeText(string(r.value))
		return v, nil
	case "b":
		v.Kind = Bool
	case "e":
		v.Kind = Error
	case "d":
		v.Kind = String
	default:
		return v, fmt.Errorf("type %.20q", r.kind)
	}
	v.Raw = r.internText(bytes.TrimSpace(r.value))
	if v.Raw == "" {
		v.Kind = Absent
	}
	return v, nil
}

// internText returns bytes as a string. Those of many cells share one allocation.
func (r *rowReader) internText(b []byte) string {
	const block = 4 << 10
	if len(b) > block/4 {
		return string(b)
	}
	if r.interned.Cap()-r.interned.Len() < len(b) {
		r.interned = new(strings.Builder)
		r.interned.Grow(block)
	}
	from := r.interned.Len()
	r.interned.Write(b)
	return r.interned.String()[from:]
}

// stringItem collects the text of a string item: its t elements, in runs or not, but not those of phonetic hints.
type stringItem struct {
	text     []byte
	inText   bool
	phonetic bool
}

func (t *stringItem) reset() { *t = stringItem{text: t.text[:0]} }

func (t *stringItem) handleEvent(s *xmlScanner, event xmlEvent) {
	switch event {
	case xmlText:
		if t.inText && !t.phonetic {
			t.text = append(t.text, s.text...)
		}
		return
	}
	start := event == xmlStart
	switch string(s.name) {
	case "t":
		t.inText = start
	case "rPh":
		t.phonetic = start
	}
}

// splitRef parses a reference such as AB12: column from 0, row from 1.
func splitRef(ref []byte) (column, row int, err error) {
	i := 0
	for i < len(ref) && i < 3 && 'A' <= ref[i] && ref[i] <= 'Z' {
		column = column*26 + int(ref[i]-'A') + 1
		i++
	}
	row, err = strconv.Atoi(string(ref[i:]))
	if err != nil || i == 0 || row < 1 || row > rowLimit || column > maxColumns || ref[i] == '+' {
		return 0, 0, fmt.Errorf("cell reference %.20q", ref)
	}
	return column - 1, row, nil
}

// unescapeText replaces _xHHHH_ sequences by their characters.
func unescapeText(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	for s != "" {
		if isEscape(s) {
			n, err := strconv.ParseUint(s[2:6], 16, 16)
			if err == nil {
				b.WriteRune(rune(n))
				s = s[7:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}
