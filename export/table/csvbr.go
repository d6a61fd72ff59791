package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"concilia/store/ledger"
)

// byteOrderMark tells Excel that a file is UTF-8.
const byteOrderMark = "\uFEFF"

// appendBRHeader begins a csv-br: byte order mark, headers for people.
func appendBRHeader(b []byte, t *Table, l Language) []byte {
	b = append(b, byteOrderMark...)
	for i := range t.Columns[:t.Width()] {
		if i > 0 {
			b = append(b, ';')
		}
		b = appendQuoted(b, t.Columns[i].Heading(l))
	}
	return append(b, "\r\n"...)
}

// appendBRRow appends a row as Excel in Brazil reads it: semicolons, decimal commas, dates as dd/mm/yyyy, labels in place
// of ids. It has no row_hash.
func appendBRRow(b []byte, t *Table, row Row, _ []byte, l Language) []byte {
	for i := range row {
		if i > 0 {
			b = append(b, ';')
		}
		if row[i].OK {
			b = appendBRCell(b, &t.Columns[i], &row[i], l)
		}
	}
	return append(b, "\r\n"...)
}

func appendBRCell(b []byte, c *Column, cell *Cell, l Language) []byte {
	switch cell.Type {
	case TypeMoney, TypeRate, TypeNumber:
		from := len(b)
		b = appendCell(b, c, cell)
		if at := bytes.IndexByte(b[from:], '.'); at >= 0 {
			b[from+at] = ','
		}
		return b
	case TypeInt:
		return appendCell(b, c, cell)
	case TypeDate:
		return appendBRDate(b, ledger.Date(cell.N))
	case TypeDateTime:
		t := ledger.LocalTime(cell.N)
		iso := appendClock(make([]byte, 0, len(clockLayout)+len(".0000000")), t)
		_, clock, _ := bytes.Cut(iso, []byte{'T'})
		b = append(appendBRDate(b, t.Date()), ' ')
		return append(b, bytes.Replace(clock, []byte{'.'}, []byte{','}, 1)...)
	}
	return appendBRText(b, c, cell.S, l)
}

// clockLayout is a date and time of whole seconds.
const clockLayout = "2006-01-02T15:04:05"

func appendBRDate(b []byte, d ledger.Date) []byte {
	iso := appendDate(make([]byte, 0, len("2006-01-02")), d)
	b = append(append(b, iso[8:10]...), '/')
	b = append(append(b, iso[5:7]...), '/')
	return append(b, iso[:4]...)
}

// readBRCSV reads a csv-br back, in whichever language its headers are. Labels are not turned back into ids.
func readBRCSV(r io.Reader, t *Table) (Counter, error) {
	sums := NewCounter(t)
	in := bufio.NewReader(r)
	if mark, err := in.Peek(len(byteOrderMark)); err != nil || string(mark) != byteOrderMark {
		return sums, fmt.Errorf("table %s: no byte order mark", t.ID)
	}
	if _, err := in.Discard(len(byteOrderMark)); err != nil {
		return sums, err
	}
	reader := csv.NewReader(in)
	reader.Comma, reader.FieldsPerRecord, reader.ReuseRecord = ';', t.Width(), true
	head, err := reader.Read()
	if err != nil {
		return sums, fmt.Errorf("table %s: header: %w", t.ID, err)
	}
	if !hasHeaders(head, t, Portuguese) && !hasHeaders(head, t, English) {
		return sums, fmt.Errorf("table %s: the headers are not those of the table in any language", t.ID)
	}
	row := t.NewRow()
	for line := 2; ; line++ {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return sums, nil
		}
		if err != nil {
			return sums, fmt.Errorf("table %s: row %d: %w", t.ID, line, err)
		}
		for i := range row {
			if row[i], err = parseBRCell(&t.Columns[i], fields[i]); err != nil {
				return sums, fmt.Errorf("table %s: row %d: column %s: %w", t.ID, line, t.Columns[i].ID, err)
			}
		}
		if err := sums.Add(row); err != nil {
			return sums, err
		}
	}
}

func hasHeaders(head []string, t *Table, l Language) bool {
	for i := range head {
		if head[i] != t.Columns[i].Heading(l) {
			return false
		}
	}
	return true
}

// parseBRCell converts a cell to the format of the csv and parses it.
func parseBRCell(c *Column, s string) (Cell, error) {
	switch c.Type {
	case TypeMoney, TypeRate, TypeNumber:
		if strings.ContainsRune(s, '.') {
			return Cell{}, fmt.Errorf("%.40q: a point, and no decimal comma", s)
		}
		return parseCell(c, strings.Replace(s, ",", ".", 1))
	case TypeDate:
		iso, err := isoDay(s)
		if err != nil {
			return Cell{}, err
		}
		return parseCell(c, iso)
	case TypeDateTime:
		day, clock, _ := strings.Cut(s, " ")
		iso, err := isoDay(day)
		if err != nil || s == "" {
			return Cell{}, err
		}
		return parseCell(c, iso+"T"+strings.Replace(clock, ",", ".", 1))
	}
	return parseCell(c, s)
}

// isoDay converts dd/mm/yyyy to yyyy-mm-dd; an empty text stays empty.
func isoDay(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if len(s) != len("02/01/2006") || s[2] != '/' || s[5] != '/' {
		return "", fmt.Errorf("%.40q: not a day as dd/mm/aaaa", s)
	}
	return s[6:] + "-" + s[3:5] + "-" + s[:2], nil
}
