package view

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"concilia/export/report"
	exporttable "concilia/export/table"
	"concilia/store/ledger"
)

// newTable is a table without frames, for terminals and for tools that cut columns. Columns named right are aligned so; the
// first is 1.
func newTable(w io.Writer, right ...int) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = 0
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	columns := make([]table.ColumnConfig, len(right))
	for i, n := range right {
		columns[i] = table.ColumnConfig{Number: n, Align: text.AlignRight}
	}
	t.SetColumnConfigs(columns)
	return t
}

// FormatReais prints an amount in cents for people, as English writes it: 1,234.56. Reports write it as Brazil does.
func FormatReais(a ledger.Amount) string {
	s := a.Rounded(ledger.HalfAwayFromZero).Fixed(2)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, cents, _ := strings.Cut(s, ".")
	return sign + groupThousands(whole) + "." + cents
}

// formatChange is a change in reais, with its sign.
func formatChange(a ledger.Amount) string {
	if a > 0 {
		return "+" + FormatReais(a)
	}
	return FormatReais(a)
}

// groupThousands puts a comma before every three of the last digits.
func groupThousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// FormatCount prints a number of things, never negative, for people: 2,782.
func FormatCount(n int64) string { return groupThousands(strconv.FormatInt(n, 10)) }

// Plural prints a number of things, never negative, with their name: 1 case, 2,782 cases.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatCount(int64(n)) + " " + many
}

// countOf counts things whose name takes an s when they are several.
func countOf(n int64, thing string) string { return Plural(int(n), thing, thing+"s") }

// part is a number of things that are mentioned only if there are any.
type part struct {
	n    int64
	what string
}

// listParts is a list of parts in brackets, empty when there is nothing to mention.
func listParts(parts ...part) string {
	var shown []string
	for _, p := range parts {
		if p.n > 0 {
			shown = append(shown, FormatCount(p.n)+" "+p.what)
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return " (" + strings.Join(shown, ", ") + ")"
}

// FormatFigures is the figures on one line, as every command prints them.
func FormatFigures(f ledger.Figures) string {
	return report.FiguresText(f, exporttable.English, FormatReais)
}

// FormatDuration is a time that something took, to a tenth of a second, from a minute on to the second.
func FormatDuration(d time.Duration) string {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// formatLocal is an instant on the configured clock.
func formatLocal(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05")
}

// formatAge is how old something is, in its largest unit.
func formatAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return countOf(int64(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return countOf(int64(d/time.Hour), "hour")
	}
	return countOf(int64(d/(24*time.Hour)), "day")
}

// FormatAhead is how long something is ahead, for people.
func FormatAhead(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.Round(time.Second).String()
}

// FormatBytes is a size for people.
func FormatBytes(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	unit, tenths := 0, n*10
	for tenths >= 10240 && unit < len(units)-1 {
		tenths, unit = tenths/1024, unit+1
	}
	if unit == 0 {
		return FormatCount(n) + " bytes"
	}
	return fmt.Sprintf("%d.%d %s", tenths/10, tenths%10, units[unit])
}
