package table

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"concilia/store/ledger"
)

// appendJSONRow appends a row as one object with its members in column order: counts are numbers, amounts, rates and
// days are strings as the csv has them, absent is null, texts are as kept. row_hash is that of the csv text.
func appendJSONRow(b []byte, t *Table, row Row, hash []byte, _ Language) []byte {
	b = append(b, '{')
	for n := range t.Columns {
		if n > 0 {
			b = append(b, ',')
		}
		i := t.columnAt(n)
		b = append(append(append(b, '"'), t.Columns[i].ID...), `":`...)
		switch {
		case i == t.Width():
			b = append(append(append(b, '"'), hash...), '"')
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
		plain := i
		for i < len(s) && s[i] >= ' ' && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
			i++
		}
		if b = append(b, s[plain:i]...); i == len(s) {
			break
		}
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
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
	parser, encoder := newJSONParser(t), newRowEncoder(t)
	row := parser.row
	var want []byte
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return sums, nil
		}
		if err != nil {
			return sums, fmt.Errorf("table %s: line %d does not end in a line feed: %w", t.ID, n, err)
		}
		hash, err := parser.parseRow(line[:len(line)-1])
		if err != nil {
			return sums, fmt.Errorf("table %s: line %d: %w", t.ID, n, err)
		}
		csv, err := encoder.encodeRow(row)
		if err != nil {
			return sums, fmt.Errorf("line %d: %w", n, err)
		}
		if want = appendHash(want[:0], csv); hash != string(want) {
			return sums, fmt.Errorf("table %s: line %d: row_hash is %.40q, should be %s", t.ID, n, hash, want)
		}
		if err := sums.Add(row); err != nil {
			return sums, err
		}
	}
}

// jsonParser parses one line after the other into the same row. Most members have the value of the member above them, and are not
// parsed again.
type jsonParser struct {
	table  *Table
	row    Row
	starts []string // what is before the value of each member, in their order
	above  []string // the values of the line before; empty: there is none
}

func newJSONParser(t *Table) *jsonParser {
	p := &jsonParser{table: t, row: t.NewRow(), above: make([]string, len(t.Columns))}
	before := "{"
	for n := range t.Columns {
		p.starts = append(p.starts, before+`"`+t.Columns[t.columnAt(n)].ID+`":`)
		before = ","
	}
	return p
}

// parseRow reads a line into the row, whose texts are parts of lines.
func (p *jsonParser) parseRow(line string) (hash string, err error) {
	for n, start := range p.starts {
		i := p.table.columnAt(n)
		c := &p.table.Columns[i]
		rest, ok := strings.CutPrefix(line, start)
		if !ok {
			return "", fmt.Errorf("member %s is not in its place", c.ID)
		}
		if above := p.above[n]; beginsWithValue(rest, above) {
			line = rest[len(above):]
			continue
		}
		value := jsonValue(rest)
		line = rest[len(value):]
		if i == p.table.Width() {
			if hash, err = jsonText(value); err != nil {
				return "", fmt.Errorf("member %s: %w", c.ID, err)
			}
			continue
		}
		if p.row[i], err = parseJSONCell(c, value); err != nil {
			return "", fmt.Errorf("member %s: %w", c.ID, err)
		}
		p.above[n] = value
	}
	if line != "}" {
		return "", fmt.Errorf("%.40q after the last member", line)
	}
	return hash, nil
}

// beginsWithValue reports whether s begins with a whole value that is the given one; an empty one is none.
func beginsWithValue(s, value string) bool {
	if value == "" || !strings.HasPrefix(s, value) {
		return false
	}
	if value[0] == '"' {
		return true // its last quote ends it in s too
	}
	return len(s) > len(value) && (s[len(value)] == ',' || s[len(value)] == '}')
}

// jsonValue is the text of the value that s begins with: up to its closing quote, or to the next comma or brace.
func jsonValue(s string) string {
	if s == "" || s[0] != '"' {
		if end := strings.IndexAny(s, ",}"); end >= 0 {
			return s[:end]
		}
		return s
	}
	end := strings.IndexByte(s[1:], '"')
	if end >= 0 && strings.IndexByte(s[1:1+end], '\\') < 0 {
		return s[:end+2]
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1]
		}
	}
	return s
}

// jsonText is the text of a quoted value. Most have nothing escaped, and are what is between the quotes.
func jsonText(value string) (string, error) {
	if isPlainJSON(value) {
		return value[1 : len(value)-1], nil
	}
	var s string
	err := json.Unmarshal([]byte(value), &s)
	return s, err
}

// isPlainJSON reports whether a value is a text of printed ASCII in quotes, without an escape.
func isPlainJSON(value string) bool {
	last := len(value) - 1
	if last < 1 || value[0] != '"' || value[last] != '"' {
		return false
	}
	for i := 1; i < last; i++ {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func parseJSONCell(c *Column, value string) (Cell, error) {
	if value == "null" {
		return parseCell(c, "")
	}
	if c.Type == TypeInt {
		return parseCell(c, value)
	}
	if c.Type == TypeValue {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return Int(n), nil
		}
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
