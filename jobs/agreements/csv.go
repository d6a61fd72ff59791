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

// maxTable bounds a table in bytes; hundreds of thousands of lines fit in it.
const maxTable = 32 << 20

// csvTable reads a CSV file line by line and collects its problems. Values are separated by commas; a byte order mark and
// line ends of either kind are accepted.
type csvTable struct {
	file     string
	columns  []string
	problems problem.List
}

// csvRecord is one line of a table, with one value per column.
type csvRecord struct {
	*csvTable
	line   int
	values []string
}

// readRecords calls each for every line after the header that has all columns.
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

// checkHeader reports whether the first line has the names of the columns, and reports a problem if not.
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

// addSyntaxError reports a line that is not CSV. The lines after it cannot be read.
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

// columnText returns the value of a column, without blanks at its ends.
func (r csvRecord) columnText(column string) string { return r.values[slices.Index(r.columns, column)] }

// addWrongValue reports the value of a column and shows it.
func (r csvRecord) addWrongValue(column, want string) {
	r.addProblem(r.line, column, r.columnText(column), want)
}

// addHiddenValue reports the value of a column without showing it.
func (r csvRecord) addHiddenValue(column, want string) {
	r.addProblem(r.line, column, "", want+" (not shown)")
}

// readDate reads a date; an empty one is no date, and a problem if the column is required.
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

// readText returns a text of at most most characters without control characters, and reports any other without showing it.
func (r csvRecord) readText(column string, most int) string {
	s := r.columnText(column)
	if utf8.RuneCountInString(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
		r.addHiddenValue(column, fmt.Sprintf("one line of at most %d characters", most))
	}
	return s
}

// renderTable returns a table in its canonical form: commas, line feeds, quotes only where needed.
func renderTable(columns []string, lines [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(columns)
	_ = w.WriteAll(lines) // writing to a buffer does not fail
	return b.Bytes()
}
