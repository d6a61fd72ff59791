package agreements

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"concilia/config/problem"
	"concilia/export/words"
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
		t.addProblem(0, "", "", words.NewMessage("want.at_most_mib", "most", maxTable>>20))
		return
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		t.addProblem(0, "", "", words.NewMessage("want.utf8"))
		return
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for first := true; ; first = false {
		values, err := r.Read()
		if errors.Is(err, io.EOF) {
			if first {
				t.addProblem(0, "", "", words.NewMessage("want.a_first_line", "columns", strings.Join(t.columns, ",")))
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
			t.addProblem(line, "", "", words.NewMessage("want.value_count", "want", len(t.columns), "got", len(values)))
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
	columns := strings.Join(t.columns, ",")
	got := make([]string, len(values))
	for i, v := range values {
		got[i] = strings.ToLower(strings.TrimSpace(v))
	}
	if slices.Equal(got, t.columns) {
		return true
	}
	if len(values) == 1 && strings.ContainsAny(values[0], ";\t") {
		t.addProblem(line, "", values[0], words.NewMessage("want.commas", "columns", columns))
	} else {
		t.addProblem(line, "", strings.Join(values, ","), words.NewMessage("want.first_line", "columns", columns))
	}
	return false
}

// addSyntaxError reports a line that is not CSV. The lines after it cannot be read.
func (t *csvTable) addSyntaxError(err error) {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		t.addProblem(0, "", "", words.NewMessage("want.csv_file", "cause", err.Error()))
		return
	}
	t.addProblem(p.Line, "", "", words.NewMessage("want.quotes", "cause", p.Err, "at", p.Column))
}

func (t *csvTable) addProblem(line int, column, value string, want words.Message) {
	if len(t.problems) < maxProblems {
		t.problems = append(t.problems, problem.Problem{File: t.file, Line: line, Key: column, Value: problem.Shown(value), Want: want})
	}
}

// columnText returns the value of a column, without blanks at its ends.
func (r csvRecord) columnText(column string) string { return r.values[slices.Index(r.columns, column)] }

// addWrongValue reports the value of a column and shows it.
func (r csvRecord) addWrongValue(column string, want words.Message) {
	r.addProblem(r.line, column, r.columnText(column), want)
}

// addHiddenValue reports the value of a column without showing it.
func (r csvRecord) addHiddenValue(column string, want words.Message) {
	r.addProblem(r.line, column, "", words.NewMessage("problem.hidden", "want", want))
}

// readDate reads a date; an empty one is no date, and a problem if the column is required.
func (r csvRecord) readDate(column string, required bool) ledger.Date {
	text := r.columnText(column)
	if text == "" && !required {
		return 0
	}
	d, err := ledger.ParseDate(text)
	if err != nil {
		r.addWrongValue(column, words.NewMessage("want.table_date"))
	}
	return d
}

// readText returns a text of at most most characters without control characters, and reports any other without showing it.
func (r csvRecord) readText(column string, most int) string {
	s := r.columnText(column)
	if utf8.RuneCountInString(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
		r.addHiddenValue(column, words.NewMessage("want.one_line", "most", most))
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
