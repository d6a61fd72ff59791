package runview

import (
	"fmt"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/store/ledger"
)

// formatChange is a change in reais, with its sign.
func formatChange(l view.Language, a ledger.Amount) string {
	if a > 0 {
		return "+" + l.FormatReais(a)
	}
	return l.FormatReais(a)
}

// listParts is a list of parts in brackets, empty when there is nothing to mention.
func listParts(l view.Language, parts ...view.Part) string {
	shown := l.CountParts(parts...)
	if len(shown) == 0 {
		return ""
	}
	return " (" + strings.Join(shown, ", ") + ")"
}

// formatAge is how old something is, in its largest unit.
func formatAge(l view.Language, d time.Duration) string {
	switch {
	case d < time.Minute:
		return words.Text(l, "command.less_than_a_minute")
	case d < time.Hour:
		return l.Count(int64(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return l.Count(int64(d/time.Hour), "hour")
	}
	return l.Count(int64(d/(24*time.Hour)), "day")
}

// formatAhead is how long something is ahead.
func formatAhead(l view.Language, d time.Duration) string {
	const day = 24 * time.Hour
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	switch {
	case d >= 2*day:
		return l.Count(int64(d/day), "day")
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.Round(time.Second).String()
}

// nameOfFirst is the name of a list's first line.
func nameOfFirst(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}
