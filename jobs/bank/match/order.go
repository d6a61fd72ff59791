package match

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// orderLines is a copy of lines with their bank days, in order of day, amount and key.
func orderLines(lines []Line, days *calendar.Calendar) []Line {
	out := orderByDay(lines, dayOfLine)
	var order dayOrder[Line]
	for from := 0; from < len(out); {
		to := countDay(out, from, dayOfLine)
		bankDay := BankDay(days, out[from].Day)
		for i := from; i < to; i++ {
			out[i].BankDay = bankDay
		}
		order.sort(out[from:to], func(l *Line) (ledger.Amount, string) { return l.Amount, l.Key })
		from = to
	}
	return out
}

func dayOfLine(l *Line) ledger.Date { return l.Day }

// orderByDay is a copy of rows in order of their days.
func orderByDay[T any](rows []T, dayOf func(*T) ledger.Date) []T {
	at := map[ledger.Date]int{} // how many there are of a day, then where the next one goes
	for i := range rows {
		at[dayOf(&rows[i])]++
	}
	next := 0
	for _, day := range slices.Sorted(maps.Keys(at)) {
		next, at[day] = next+at[day], next
	}
	out := make([]T, len(rows))
	for i := range rows {
		day := dayOf(&rows[i])
		out[at[day]] = rows[i]
		at[day]++
	}
	return out
}

// countDay is the place behind the last row of the day of the row at from.
func countDay[T any](rows []T, from int, dayOf func(*T) ledger.Date) int {
	day, to := dayOf(&rows[from]), from+1
	for to < len(rows) && dayOf(&rows[to]) == day {
		to++
	}
	return to
}

// dayOrder sorts the rows of one day after another. Rows are large: what is moved while it sorts are their places.
type dayOrder[T any] struct {
	places []orderedPlace
	rows   []T
}

type orderedPlace struct {
	amount ledger.Amount
	at     int
}

// sort puts rows in order of amount and key.
func (o *dayOrder[T]) sort(rows []T, by func(*T) (ledger.Amount, string)) {
	if len(rows) < 2 {
		return
	}
	o.places, o.rows = o.places[:0], append(o.rows[:0], rows...)
	for i := range rows {
		amount, _ := by(&rows[i])
		o.places = append(o.places, orderedPlace{amount, i})
	}
	slices.SortFunc(o.places, func(a, b orderedPlace) int {
		if a.amount != b.amount {
			return cmp.Compare(a.amount, b.amount)
		}
		_, x := by(&rows[a.at])
		_, y := by(&rows[b.at])
		return strings.Compare(x, y) // seldom, and keys are long
	})
	for i, p := range o.places {
		rows[i] = o.rows[p.at]
	}
}
