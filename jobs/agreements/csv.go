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

// csvTable reads a CSV file line by line and gathers what is wrong with it. Values are separated by commas; a byte order
// mark and line ends of either kind are no matter.
type csvTable struct {
	file     string
	columns  []string
	problems problem.List
}

// csvRecord is one line of a table, with a value for every column.
type csvRecord struct {
	*csvTable
	line   int
	values []string
}

// readRecords calls each for every line below the header that has all its columns.
func (t *csvTable) readRecords(data []byte, each func(csvRecord)) {
	if len(data) > maxTable {
		t.addProblem(0, "", "", fmt.Sprintf("at most %d MiB", maxTable>>20))
		return
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		t.addProblem(0, "", "", "text in UTF-8; save it as CSV UTF-8")
		return
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for first := true; ; first = false {
		values, err := r.Read()
		if errors.Is(err, io.EOF) {
			if first {
				t.addProblem(0, "", "", "a first line "+strings.Join(t.columns, ","))
			}
			return
		}
		if err != nil {
			t.addSyntaxError(err)
			return
		}
		line, _ := r.FieldPos(0)
		switch {
		case first:
			if !t.checkHeader(line, values) {
				return
			}
		case len(values) != len(t.columns):
			t.addProblem(line, "", "", fmt.Sprintf("%d values separated by commas, empty ones too; this line has %d", len(t.columns), len(values)))
		default:
			for i := range values {
				values[i] = strings.TrimSpace(values[i])
			}
			each(csvRecord{t, line, values})
		}
	}
}

// checkHeader judges the first line: without it no value has a meaning.
func (t *csvTable) checkHeader(line int, values []string) bool {
	want := strings.Join(t.columns, ",")
	got := make([]string, len(values))
	for i, v := range values {
		got[i] = strings.ToLower(strings.TrimSpace(v))
	}
	if slices.Equal(got, t.columns) {
		return true
	}
	if len(values) == 1 && strings.ContainsAny(values[0], ";\t") {
		t.addProblem(line, "", values[0], "values separated by commas, not by semicolons or tabs; first the line "+want)
	} else {
		t.addProblem(line, "", strings.Join(values, ","), "first the line "+want)
	}
	return false
}

// addSyntaxError reports a line that is no CSV; what follows it can't be told apart.
func (t *csvTable) addSyntaxError(err error) {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		t.addProblem(0, "", "", "a CSV file: "+err.Error())
		return
	}
	t.addProblem(p.Line, "", "", fmt.Sprintf("quotes around a whole value, doubled inside it: %v at sign %d", p.Err, p.Column))
}

func (t *csvTable) addProblem(line int, column, value, want string) {
	if len(t.problems) < maxProblems {
		t.problems = append(t.problems, problem.Problem{File: t.file, Line: line, Key: column, Value: problem.Shown(value), Want: want})
	}
}

// columnText is what a column says, blanks at the ends cut.
func (r csvRecord) columnText(column string) string { return r.values[slices.Index(r.columns, column)] }

// addWrongValue reports a value, shown as it is.
func (r csvRecord) addWrongValue(column, want string) {
	r.addProblem(r.line, column, r.columnText(column), want)
}

// addHiddenValue reports a value that is not to be shown.
func (r csvRecord) addHiddenValue(column, want string) {
	r.addProblem(r.line, column, "", want+" (not shown)")
}

// readDate reads a date; an empty one is none, and wrong where one has to be.
func (r csvRecord) readDate(column string, required bool) ledger.Date {
	text := r.columnText(column)
	if text == "" && !required {
		return 0
	}
	d, err := ledger.ParseDate(text)
	if err != nil {
		r.addWrongValue(column, "a date, such as 2026-01-31")
	}
	return d
}

// readText reads a short text without control characters.
func (r csvRecord) readText(column string, most int) string {
	s := r.columnText(column)
	if utf8.RuneCountInString(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
		r.addHiddenValue(column, fmt.Sprintf("one line of at most %d characters", most))
	}
	return s
}

// renderTable writes a table in its canonical form: commas, line feeds, quotes only where needed.
func renderTable(columns []string, lines [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(columns)
	_ = w.WriteAll(lines) // a buffer refuses no write
	return b.Bytes()
}
