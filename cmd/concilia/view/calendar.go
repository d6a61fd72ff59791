package view

import (
	"fmt"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// DrawDays writes a calendar: a title, a scale, and a line a month with the sign of each day, the first day of a line at its place in the
// month. dayAt gives each of the n days in order.
func DrawDays(b *strings.Builder, l Language, title string, n int, dayAt func(i int) (day ledger.Date, sign string)) {
	b.WriteString(title + "\n         1234567 10        20        30\n")
	var month ledger.Date
	for i := range n {
		day, sign := dayAt(i)
		if i > 0 && day.MonthStart() != month {
			b.WriteByte('\n')
		}
		if i == 0 || day.MonthStart() != month {
			month = day.MonthStart()
			fmt.Fprintf(b, "%s  %s", l.FormatMonth(month), strings.Repeat(" ", day.Day()-1))
		}
		b.WriteString(sign)
	}
	b.WriteByte('\n')
}

// NameCalendar is the title of a calendar by its owner and its first and last day.
func NameCalendar(l Language, owner string, first, last ledger.Date) string {
	return owner + ", " + words.Text(l, "command.period", "from", l.FormatDay(first), "to", l.FormatDay(last))
}
