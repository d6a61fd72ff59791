package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"concilia/store/ledger"
)

// appendJSONRow appends a row as one object with its members in column order: counts are numbers, amounts, rates and
// days are strings as the csv has them, absent is null, texts are as kept. row_hash is that of the csv text.
func appendJSONRow(b []byte, t *Table, row Row, csv []byte, _ Language) []byte {
	b = append(b, '{')
	for n := range t.Columns {
		if n > 0 {
			b = append(b, ',')
		}
		i := t.columnAt(n)
		b = append(append(append(b, '"'), t.Columns[i].ID...), `":`...)
		switch {
		case i == t.Width():
			b = append(appendHash(append(b, '"'), csv), '"')
		case !row[i].OK:
			b = append(b, "null"...)
		case row[i].Type == TypeInt:
			b = strconv.AppendInt(b, row[i].N, 10)
		case row[i].Type == TypeText:
			b = appendJSONText(b, row[i].S)
		default:
			b = append(appendCell(append(b, '"'), &t.Columns[i], &row[i]), '"')
		}
	}
	return append(b, "}\n"...)
}

// appendJSONText quotes a text. What is not UTF-8 becomes the replacement character, as in encoding/json.
func appendJSONText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
			i++
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
		}
	}
	return append(b, '"')
}

// readJSONL reads a jsonl strictly: every member in its place and in the format of the writer, every row_hash.
func readJSONL(r io.Reader, t *Table) (Counter, error) {
	sums := NewCounter(t)
	in := bufio.NewReaderSize(r, 1<<16)
	row := t.NewRow()
	var csv []byte
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return sums, nil
		}
		if err != nil {
			return sums, fmt.Errorf("table %s: line %d does not end in a line feed: %w", t.ID, n, err)
		}
		hash, err := parseJSONRow(t, row, line[:len(line)-1])
		if err != nil {
			return sums, fmt.Errorf("table %s: line %d: %w", t.ID, n, err)
		}
		if csv, err = appendCSVRow(csv[:0], t, row, false); err != nil {
			return sums, fmt.Errorf("line %d: %w", n, err)
		}
		if want := string(appendHash(nil, csv)); hash != want {
			return sums, fmt.Errorf("table %s: line %d: row_hash is %.40q, should be %s", t.ID, n, hash, want)
		}
		if err := sums.Add(row); err != nil {
			return sums, err
		}
	}
}

func parseJSONRow(t *Table, row Row, line []byte) (hash string, err error) {
	for n := range t.Columns {
		i := t.columnAt(n)
		c := &t.Columns[i]
		start := `,"` + c.ID + `":`
		if n == 0 {
			start = `{"` + c.ID + `":`
		}
		rest, ok := bytes.CutPrefix(line, []byte(start))
		if !ok {
			return "", fmt.Errorf("member %s is not in its place", c.ID)
		}
		value := jsonValue(rest)
		line = rest[len(value):]
		if i == t.Width() {
			if hash, err = jsonText(value); err != nil {
				return "", fmt.Errorf("member %s: %w", c.ID, err)
			}
			continue
		}
		if row[i], err = parseJSONCell(c, value); err != nil {
			return "", fmt.Errorf("member %s: %w", c.ID, err)
		}
	}
	if string(line) != "}" {
		return "", fmt.Errorf("%.40q after the last member", line)
	}
	return hash, nil
}

// jsonValue is the text of the value that b begins with: up to its closing quote, or to the next comma or brace.
func jsonValue(b []byte) []byte {
	if len(b) == 0 || b[0] != '"' {
		if end := bytes.IndexAny(b, ",}"); end >= 0 {
			return b[:end]
		}
		return b
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[:i+1]
		}
	}
	return b
}

func jsonText(value []byte) (string, error) {
	var s string
	err := json.Unmarshal(value, &s)
	return s, err
}

func parseJSONCell(c *Column, value []byte) (Cell, error) {
	if string(value) == "null" {
		return parseCell(c, "")
	}
	if c.Type == TypeInt {
		return parseCell(c, string(value))
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && c.Type == TypeValue {
		return Int(n), nil
	}
	s, err := jsonText(value)
	if err != nil {
		return Cell{}, fmt.Errorf("%.40q: not a text", value)
	}
	if !c.holdsText() {
		return parseCell(c, s)
	}
	if c.Type == TypeValue && startsFormula(s) {
		// A negative amount, which the csv does not guard as it guards a text that begins so.
		if a, err := ledger.ParseAmount(s); err == nil && a.String() == s {
			return Total(a, a), nil
		}
	}
	return Text(s), nil
}

// holdsText reports whether the cells of the column may be texts.
func (c *Column) holdsText() bool {
	switch c.Type {
	case TypeText, TypeEnum, TypeList, TypeValue:
		return true
	}
	return false
}
