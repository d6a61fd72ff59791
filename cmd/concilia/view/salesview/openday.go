package salesview

import (
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
)

// DescribeOpenDay says in the language why a day of a store is not complete, of which why is the English.
func DescribeOpenDay(l view.Language, why string) string {
	series, rest, ok := strings.Cut(strings.TrimPrefix(why, "series "), ": ")
	if !ok {
		if why == "no file has all of it" {
			return words.Text(l, "sales_text.no_whole_file")
		}
		return why
	}
	first, last, several := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(rest, "numbers "), " are missing"), " to ")
	number, one := strings.CutSuffix(strings.TrimPrefix(rest, "number "), " is missing")
	switch {
	case rest == "no note before":
		return words.Text(l, "sales_text.no_note_before", "series", series)
	case rest == "no note after":
		return words.Text(l, "sales_text.no_note_after", "series", series)
	case one:
		return words.Text(l, "sales_text.number_missing", "series", series, "number", number)
	case several:
		return words.Text(l, "sales_text.numbers_missing", "series", series, "first", first, "last", last)
	}
	return why
}
