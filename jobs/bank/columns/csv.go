package columns

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"concilia/export/words"
	"concilia/jobs/textfile"
)

func (t *table) readCSV() error {
	r := csv.NewReader(&t.source)
	r.Comma, _ = utf8.DecodeRuneInString(t.Delimiter)
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace, r.ReuseRecord = -1, true, true, true
	columns := 0 // of the header
	var places map[string]int
	var values []string
	cellOf := func(column string) string {
		if i, found := places[column]; found && i < len(values) {
			return values[i]
		}
		return ""
	}
	for {
		var err error
		values, err = r.Read()
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF) && places == nil:
			return words.NewRefusal("empty", "refused.no_header", "remedy.with_dates")
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, textfile.ErrLongRow):
			return t.refuseLong()
		case errors.As(err, &bad):
			return words.NewRefusal("columns", "refused.no_csv", "remedy.columns_delimiter", "line", bad.Line, "delimiter", t.Delimiter)
		case err != nil:
			return err
		}
		line, _ := r.FieldPos(0)
		switch {
		case line <= t.SkipLines, len(values) == 1 && strings.TrimSpace(values[0]) == "":
		case places == nil:
			if places, err = t.readHeader(values); err != nil {
				return err
			}
			columns = len(values)
		case slices.ContainsFunc(values, func(v string) bool { return textfile.HoldsRow(v, t.Delimiter, columns) }):
			return words.NewRefusal("cut", "refused.open_quote", "remedy.again_or_quote", "line", line)
		default:
			if err := t.add(&record{line: line, value: cellOf}); err != nil {
				return err
			}
		}
	}
}

// readHeader finds where the columns are. A table whose declared columns are missing is refused. Of the line the refusal quotes no cell but
// those that are declared: a line that should name the columns and does not may name a person.
func (t *table) readHeader(header []string) (places map[string]int, err error) {
	places = map[string]int{}
	for i, v := range header {
		name := strings.TrimSpace(v)
		if _, had := places[name]; !had {
			places[name] = i
		}
	}
	var missing string
	var found []string
	for _, name := range t.names() {
		_, is := places[name]
		switch {
		case is:
			found = append(found, strconv.Quote(name))
		case missing == "":
			missing = name
		}
	}
	if missing == "" {
		return places, nil
	}
	others := words.NewMessage("refused.none_declared")
	if len(found) > 0 {
		others = words.NewMessage("refused.some_declared", "names", strings.Join(found, ", "))
	}
	return nil, words.NewRefusal("columns", "refused.no_column", "remedy.columns", "column", strconv.Quote(missing), "n", len(header), "others", others)
}
