package agreements

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"concilia/config/problem"
	"concilia/store/ledger"
)

// maxTable bounds a table: hundreds of thousands of lines fit in it.
const maxTable = 32 << 20

// table reads a CSV file line by line and gathers what is wrong with it. Values are separated by commas; a byte order
// mark and line ends of either kind are no matter.
type table struct {
	file     string
	columns  []string
	problems problem.List
}

// record is one line of a table, with a value for every column.
type record struct {
	*table
	line   int
	values []string
}

// read calls each for every line below the header that has all its columns.
func (t *table) read(data []byte, each func(record)) {
	if len(data) > maxTable {
		t.add(0, "", "", fmt.Sprintf("at most %d MiB", maxTable>>20))
		return
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		t.add(0, "", "", "text in UTF-8; save it as CSV UTF-8")
		return
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for first := true; ; first = false {
		values, err := r.Read()
		if errors.Is(err, io.EOF) {
			if first {
				t.add(0, "", "", "a first line "+strings.Join(t.columns, ","))
			}
			return
		}
		if err != nil {
			t.syntax(err)
			return
		}
		line, _ := r.FieldPos(0)
		switch {
		case first:
			if !t.header(line, values) {
				return
			}
		case len(values) != len(t.columns):
			t.add(line, "", "", fmt.Sprintf("%d values separated by commas, empty ones too; this line has %d", len(t.columns), len(values)))
		default:
			for i := range values {
				values[i] = strings.TrimSpace(values[i])
			}
			each(record{t, line, values})
		}
	}
}

// header judges the first line: without it no value has a meaning.
func (t *table) header(line int, values []string) bool {
	want := strings.Join(t.columns, ",")
	got := make([]string, len(values))
	for i, v := range values {
		got[i] = strings.ToLower(strings.TrimSpace(v))
	}
	if slices.Equal(got, t.columns) {
		return true
	}
	if len(values) == 1 && strings.ContainsAny(values[0], ";\t") {
		t.add(line, "", values[0], "values separated by commas, not by semicolons or tabs; first the line "+want)
	} else {
		t.add(line, "", strings.Join(values, ","), "first the line "+want)
	}
	return false
}

// syntax reports a line that is no CSV; what follows it can't be told apart.
func (t *table) syntax(err error) {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		t.add(0, "", "", "a CSV file: "+err.Error())
		return
	}
	t.add(p.Line, "", "", fmt.Sprintf("quotes around a whole value, doubled inside it: %v at sign %d", p.Err, p.Column))
}

func (t *table) add(line int, column, value, want string) {
	if len(t.problems) < maxKept {
		t.problems = append(t.problems, problem.Problem{File: t.file, Line: line, Key: column, Value: problem.Shown(value), Want: want})
	}
}

// value is what a column says, blanks at the ends cut.
func (r record) value(column string) string { return r.values[slices.Index(r.columns, column)] }

// wrong reports a value, shown as it is.
func (r record) wrong(column, want string) { r.add(r.line, column, r.value(column), want) }

// hidden reports a value that is not to be shown.
func (r record) hidden(column, want string) { r.add(r.line, column, "", want+" (not shown)") }

// day reads a date; an empty one is none, and wrong where one has to be.
func (r record) day(column string, required bool) ledger.Date {
	text := r.value(column)
	if text == "" && !required {
		return 0
	}
	d, err := ledger.ParseDate(text)
	if err != nil {
		r.wrong(column, "a date, such as 2026-01-31")
	}
	return d
}

// text reads a short text without control characters.
func (r record) text(column string, most int) string {
	s := r.value(column)
	if utf8.RuneCountInString(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
		r.hidden(column, fmt.Sprintf("one line of at most %d characters", most))
	}
	return s
}

// render writes a table in its canonical form: commas, line feeds, quotes only where needed.
func render(columns []string, lines [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(columns)
	_ = w.WriteAll(lines) // a buffer refuses no write
	return b.Bytes()
}
