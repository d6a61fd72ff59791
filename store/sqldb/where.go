package sqldb

import (
	"strconv"
	"strings"
)

// Conditions gathers conditions and their arguments.
type Conditions struct {
	Parts []string
	Args  []any
}

// AddArg adds an argument and gives its placeholder.
func (w *Conditions) AddArg(v any) string {
	w.Args = append(w.Args, v)
	return "$" + strconv.Itoa(len(w.Args))
}

// Add adds a condition that has to hold too.
func (w *Conditions) Add(condition string) { w.Parts = append(w.Parts, condition) }

// AddIn asks for one of the values, when there are any.
func AddIn[T any](w *Conditions, column string, values []T, arg func(T) any) {
	if len(values) == 0 {
		return
	}
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = w.AddArg(arg(v))
	}
	w.Add(column + " IN (" + strings.Join(marks, ", ") + ")")
}

// Where is WHERE with all conditions, empty without one.
func (w *Conditions) Where() string {
	if len(w.Parts) == 0 {
		return ""
	}
	return `
		WHERE ` + strings.Join(w.Parts, " AND ")
}

// ListPlaceholders is $from, $from+1, … n of them.
func ListPlaceholders(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}

// RoundToCents rounds ten-thousandths to whole cents, half away from zero: integer division cuts, so the sign is put back.
func RoundToCents(x string) string {
	return "(CASE WHEN (" + x + ") < 0 THEN -((50 - (" + x + ")) / 100) ELSE ((" + x + ") + 50) / 100 END * 100)"
}

// CentsOf is an amount as two decimals show it; an absent one is zero.
func CentsOf(column string) string { return RoundToCents("COALESCE(" + column + ", 0)") }
