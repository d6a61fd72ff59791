package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"concilia/store/ledger"
)

// ReadCSV reads a table back from its csv bytes, strictly: header, every cell by its type, every row_hash. It
// returns the counts and sums of the rows, and calls fn with each row. fn may be nil and must neither keep nor change the row.
func ReadCSV(r io.Reader, t *Table, fn func(Row) error) (Counter, error) {
	sums := NewCounter(t)
	records := newCSVRecords(r, len(t.Columns))
	if err := records.readNext(); err != nil {
		return sums, fmt.Errorf("table %s: header: %w", t.ID, err)
	}
	for i, head := range records.cells {
		if id := t.Columns[t.columnAt(i)].ID; head != id {
			return sums, fmt.Errorf("table %s: header of column %d is %q, should be %q", t.ID, i+1, head, id)
		}
	}
	records.forgetLast()
	parser := rowParser{table: t, row: t.NewRow(), hashAt: t.hashPosition()}
	for line := 2; ; line++ {
		err := records.readNext()
		if errors.Is(err, io.EOF) {
			return sums, nil
		}
		if err == nil {
			err = parser.parseRow(records)
		}
		if err == nil {
			err = records.checkHash(parser.hashAt)
		}
		if err != nil {
			return sums, fmt.Errorf("table %s: row %d: %w", t.ID, line, err)
		}
		if err := sums.Add(parser.row); err != nil {
			return sums, err
		}
		if fn != nil {
			if err := fn(parser.row); err != nil {
				return sums, err
			}
		}
	}
}

// rowParser parses one record after the other into the same row. Most cells have the text of the cell above them, and are not parsed
// again.
type rowParser struct {
	table  *Table
	row    Row
	hashAt int // among the cells of a record
}

// parseRow parses the cells of the last record, the hash among them.
func (p *rowParser) parseRow(r *csvRecords) (err error) {
	for i := range p.row {
		at := i
		if i >= p.hashAt {
			at++
		}
		if r.isSame[at] {
			continue
		}
		if p.row[i], err = parseCell(&p.table.Columns[i], r.cells[at]); err != nil {
			return fmt.Errorf("column %s: %w", p.table.Columns[i].ID, err)
		}
	}
	return nil
}

// parseCell reads what appendCell wrote, and nothing that it would not have written.
func parseCell(c *Column, s string) (Cell, error) {
	if s == "" {
		if c.Null == "" && c.Type.Numeric() {
			return Cell{}, errors.New("empty, and it never is")
		}
		return Cell{}, nil
	}
	switch c.Type {
	case TypeInt:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != s {
			return Cell{}, fmt.Errorf("%.40q: not a count", s)
		}
		return Int(n), nil
	case TypeMoney, TypeNumber, TypeRate:
		return parseDecimals(c, s)
	case TypeDate:
		d, err := ledger.ParseDate(s)
		return Day(d), err
	case TypeDateTime:
		t, err := ledger.ParseLocalTime(s, time.UTC)
		var again [len("2006-01-02T15:04:05.0000000")]byte
		if err == nil && string(appendClock(again[:0], t)) != s {
			err = fmt.Errorf("%.40q: not a date and time as it is written", s)
		}
		return Clock(t), err
	}
	return Text(withoutGuards(s)), nil
}

// parseDecimals reads a number with exactly the decimals of the column.
func parseDecimals(c *Column, s string) (Cell, error) {
	point := strings.IndexByte(s, '.')
	if point < 0 || len(s)-point-1 != c.Decimals {
		return Cell{}, fmt.Errorf("%.40q: not a number with %d decimals", s, c.Decimals)
	}
	var again [maxNumberText]byte
	// Sums may exceed what one amount may be, so the digits are read as an integer of the column's own decimals.
	n, ok := parseDigits(s, point)
	unit := c.printedUnit()
	if !ok || n*unit/unit != n {
		return Cell{}, fmt.Errorf("%.40q: not a number with %d decimals", s, c.Decimals)
	}
	cell := Cell{N: n * unit, Type: c.Type, OK: true}
	if c.Type != TypeRate {
		cell.X = cell.N
	}
	if text := appendCell(again[:0], c, &cell); string(text) != s {
		return Cell{}, fmt.Errorf("%.40q: spelled otherwise than %s", s, string(text))
	}
	return cell, nil
}

// maxNumberText is how long the text of a number is at most.
const maxNumberText = 32

// parseDigits reads the digits on both sides of the point as one integer.
func parseDigits(s string, point int) (n int64, ok bool) {
	negative := s[0] == '-'
	for i := range len(s) {
		if i == point || i == 0 && negative {
			continue
		}
		digit := int64(s[i]) - '0'
		if digit < 0 || digit > 9 || n < (math.MinInt64+digit)/10 {
			return 0, false
		}
		n = 10*n - digit // below zero, where there is one number more
	}
	if negative {
		return n, len(s) > 2
	}
	return -n, len(s) > 1 && n != math.MinInt64
}

// csvRecords reads the records of a csv file as CSVWriter writes them (RFC 4180, with lines that end in a line feed), and keeps the bytes
// of each: its row_hash is of them. What a record has in common with the one above it is found by comparing bytes, several cells at once.
type csvRecords struct {
	from  io.Reader
	buf   []byte
	start int // of what was read and not yet passed, in buf
	end   int

	record []byte     // the last one, its line feed included
	places []csvPlace // of its cells
	isSame []bool     // whether a cell has the bytes of the cell above it
	cells  []string   // without quotes
	above  []byte     // the record before
	before []csvPlace // of the cells of above
	text   []byte     // of checkHash
	hash   []byte     // of checkHash
}

// csvPlace is where a cell is in its record, its quotes included.
type csvPlace struct {
	from, to int
	doubled  bool // there are quotes in its text, each written twice
}

// firstCSVBuffer holds some lines; it grows for one that is longer.
const firstCSVBuffer = 16 << 10

func newCSVRecords(r io.Reader, cells int) *csvRecords {
	return &csvRecords{
		from: r, buf: make([]byte, firstCSVBuffer), places: make([]csvPlace, 0, cells), before: make([]csvPlace, 0, cells),
		isSame: make([]bool, 0, cells), cells: make([]string, cells),
	}
}

// forgetLast lets nothing of the next record be the same as in the last one.
func (r *csvRecords) forgetLast() { r.record, r.places = nil, r.places[:0] }

// readNext reads the next record; io.EOF after the last.
func (r *csvRecords) readNext() error {
	r.above = append(r.above[:0], r.record...)
	r.places, r.before = r.before, r.places
	for {
		n, err := r.findCells(r.buf[r.start:r.end])
		if err != nil {
			return err
		}
		if n > 0 {
			r.record = r.buf[r.start : r.start+n]
			r.start += n
			return r.setCells()
		}
		if err := r.readMore(); err != nil {
			return err
		}
	}
}

// readMore reads bytes behind those that are not yet passed.
func (r *csvRecords) readMore() error {
	r.end = copy(r.buf, r.buf[r.start:r.end])
	r.start = 0
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := io.ReadAtLeast(r.from, r.buf[r.end:], 1)
	r.end += n
	if errors.Is(err, io.EOF) && r.end > 0 {
		return errors.New("the row does not end in a line feed")
	}
	return err
}

// findCells finds the cells of the record that b begins with, and returns its length: 0 if b ends within it.
func (r *csvRecords) findCells(b []byte) (length int, err error) {
	r.places, r.isSame = r.places[:0], r.isSame[:0]
	for at := 0; ; {
		if at = r.addSameCells(b, at); at > 0 && b[at-1] == '\n' {
			return at, nil
		}
		cell := csvPlace{from: at}
		if at < len(b) && b[at] == '"' {
			if at, cell.doubled = endOfQuoted(b, at); at < len(b) && b[at] != ',' && b[at] != '\n' {
				return 0, fmt.Errorf("cell %d goes on behind its quotes", len(r.places)+1)
			}
		} else if at, err = endOfBare(b, at); err != nil {
			return 0, fmt.Errorf("cell %d: %w", len(r.places)+1, err)
		}
		if at >= len(b) {
			return 0, nil
		}
		cell.to = at
		r.places, r.isSame = append(r.places, cell), append(r.isSame, false)
		if at++; b[at-1] == '\n' {
			return at, nil
		}
	}
}

// addSameCells adds the next cells that, with the separators behind them, have the bytes of those above them. It returns the place behind
// the last separator.
func (r *csvRecords) addSameCells(b []byte, at int) int {
	next := len(r.places)
	if next >= len(r.before) {
		return at
	}
	from := r.before[next].from
	shift, equalTo := at-from, from+commonPrefix(b[at:], r.above[from:])
	for _, p := range r.before[next:] {
		if p.to >= equalTo {
			break
		}
		r.places, r.isSame = append(r.places, csvPlace{p.from + shift, p.to + shift, p.doubled}), append(r.isSame, true)
		at = p.to + shift + 1
	}
	return at
}

// commonPrefix is how many bytes two texts begin with alike.
func commonPrefix(a, b []byte) int {
	n, at := min(len(a), len(b)), 0
	for ; at+8 <= n; at += 8 {
		if x := binary.LittleEndian.Uint64(a[at:]) ^ binary.LittleEndian.Uint64(b[at:]); x != 0 {
			return at + bits.TrailingZeros64(x)/8
		}
	}
	for at < n && a[at] == b[at] {
		at++
	}
	return at
}

// endOfQuoted returns the place behind the quote that ends the cell that begins at from, len(b) if it is not known, and whether there are
// quotes in the cell.
func endOfQuoted(b []byte, from int) (end int, doubled bool) {
	for at := from + 1; ; at += 2 {
		n := bytes.IndexByte(b[min(at, len(b)):], '"')
		if n < 0 {
			return len(b), doubled
		}
		if at += n; at+1 >= len(b) || b[at+1] != '"' {
			return at + 1, doubled
		}
		doubled = true
	}
}

// endOfBare returns the end of a cell without quotes that begins at from, len(b) if it is not in b.
func endOfBare(b []byte, from int) (end int, err error) {
	for end = from; end < len(b); end++ {
		if b[end] > ',' {
			continue // as nearly all characters are
		}
		switch b[end] {
		case ',', '\n':
			return end, nil
		case '"', '\r':
			return end, fmt.Errorf("%q in a cell without quotes", b[end])
		}
	}
	return end, nil
}

// setCells sets the texts of the cells that are not the same as above. They keep nothing but their record alive.
func (r *csvRecords) setCells() error {
	if len(r.places) != len(r.cells) {
		return fmt.Errorf("%d cells, should be %d", len(r.places), len(r.cells))
	}
	text := string(r.record)
	for i, p := range r.places {
		if r.isSame[i] {
			continue
		}
		cell := text[p.from:p.to]
		if strings.HasPrefix(cell, `"`) {
			cell = cell[1 : len(cell)-1]
		}
		if p.doubled {
			cell = strings.ReplaceAll(cell, `""`, `"`)
		}
		r.cells[i] = cell
	}
	return nil
}

// checkHash compares the row_hash, which is the cell at that position, with the other cells of the record.
func (r *csvRecords) checkHash(at int) error {
	place, end := r.places[at], len(r.record)-1
	hash := r.record[place.from:place.to]
	hashed := r.record[:max(0, place.from-1)]
	if place.to < end { // cells that were appended follow it
		r.text = append(append(r.text[:0], hashed...), r.record[place.to:end]...)
		hashed = r.text
	}
	if r.hash = appendHash(r.hash[:0], hashed); !bytes.Equal(r.hash, hash) {
		return fmt.Errorf("row_hash is %.40q, should be %s", hash, r.hash)
	}
	return nil
}
