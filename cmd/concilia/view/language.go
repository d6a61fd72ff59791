package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"concilia/export/report/asof"
	exporttable "concilia/export/table"
	"concilia/export/words"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Language is a language that people read, with its way to write amounts, numbers and days. JSON is in none.
type Language string

// The languages that there are texts in.
const (
	English    Language = "en"
	Portuguese Language = "pt-BR"
)

// text is a text by its id.
func (l Language) text(id string, values ...any) string { return words.Text(l, id, values...) }

// label is the word for an id of a kind: the id itself in English.
func (l Language) label(kind, id string) string { return words.Label(l, kind, id) }

// FormatReais prints an amount in cents as the language does: 1.829,35 in Portuguese, 1,829.35 in English.
func (l Language) FormatReais(a ledger.Amount) string { return SpellReais(a, string(l)) }

// formatChange is a change in reais, with its sign.
func (l Language) formatChange(a ledger.Amount) string {
	if a > 0 {
		return "+" + l.FormatReais(a)
	}
	return l.FormatReais(a)
}

// FormatCount prints a number of things, never negative: 2,782 in English, 2.782 in Portuguese.
func (l Language) FormatCount(n int64) string {
	digits, separator := strconv.FormatInt(n, 10), ","
	if l == Portuguese {
		separator = "."
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// Count is a number of things with their name: 1 case, 2,782 cases.
func (l Language) Count(n int64, thing string) string {
	return l.text("counts."+thing, "n", l.FormatCount(n))
}

// DescribeOthers says how many cases the ledger has of accounts that the configuration does not name.
func (l Language) DescribeOthers(o caselog.OtherCases) string {
	return l.text("case_list.others", "cases", l.Count(o.Cases, "case"), "accounts", l.Count(o.Accounts, "account"))
}

// Part is a number of things that are mentioned only if there are any.
type Part struct {
	N    int64
	What string // of counts
}

// listParts is a list of parts in brackets, empty when there is nothing to mention.
func (l Language) listParts(parts ...Part) string {
	var shown []string
	for _, p := range parts {
		if p.N > 0 {
			shown = append(shown, l.Count(p.N, p.What))
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return " (" + strings.Join(shown, ", ") + ")"
}

// FormatFigures is the figures on one line, as every command prints them.
func (l Language) FormatFigures(f ledger.Figures) string {
	return asof.FiguresText(f, exporttable.Language(l), l.FormatReais)
}

// FormatDay is a day; empty for none.
func (l Language) FormatDay(d ledger.Date) string { return SpellDate(d, string(l)) }

// FormatPeriod is the first and the last day of a period, a day alone once.
func (l Language) FormatPeriod(from, to ledger.Date) string {
	if from == to {
		return l.FormatDay(from)
	}
	return l.text("command.period", "from", l.FormatDay(from), "to", l.FormatDay(to))
}

// formatVerdict is a verdict: its id in English, where scripts read it.
func (l Language) formatVerdict(v ledger.Verdict) string {
	if l != Portuguese || v == "" {
		return string(v)
	}
	return l.text("verdicts." + string(v))
}

// FormatDuration is a time that something took, to a tenth of a second, from a minute on to the second.
func (l Language) FormatDuration(d time.Duration) string {
	if d < time.Minute {
		return l.spellPoint(d.Round(100 * time.Millisecond).String())
	}
	return d.Round(time.Second).String()
}

// spellPoint writes the decimal point of a number as the language does.
func (l Language) spellPoint(number string) string {
	if l == Portuguese {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}

// FormatLocal is an instant on the configured clock.
func (l Language) FormatLocal(t time.Time, zone *time.Location) string {
	if l == Portuguese {
		return t.In(zone).Format("02/01/2006 15:04:05")
	}
	return t.In(zone).Format(time.DateTime)
}

// formatAge is how old something is, in its largest unit.
func (l Language) formatAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return l.text("command.less_than_a_minute")
	case d < time.Hour:
		return l.Count(int64(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return l.Count(int64(d/time.Hour), "hour")
	}
	return l.Count(int64(d/(24*time.Hour)), "day")
}

// FormatAhead is how long something is ahead.
func (l Language) FormatAhead(d time.Duration) string {
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

// FormatBytes is a size.
func (l Language) FormatBytes(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	unit, tenths := 0, n*10
	for tenths >= 10240 && unit < len(units)-1 {
		tenths, unit = tenths/1024, unit+1
	}
	if unit == 0 {
		return l.FormatCount(n) + " bytes"
	}
	return l.spellPoint(fmt.Sprintf("%d.%d", tenths/10, tenths%10)) + " " + units[unit]
}

// DescribeExit is an exit code in words.
func (l Language) DescribeExit(code int) string {
	id := "exits.code_" + strconv.Itoa(code)
	if !words.Has(id) {
		id = "exits.internal"
	}
	return l.text(id)
}

// FormatMonth is a month in seven characters.
func (l Language) FormatMonth(d ledger.Date) string {
	month := d.String()[:7]
	if l == Portuguese {
		return month[5:] + "/" + month[:4]
	}
	return month
}

// FormatMade is when a bank made a statement: a day, or a day and a time.
func (l Language) FormatMade(made string) string {
	day, clock, _ := strings.Cut(made, "T")
	return strings.TrimSpace(catalogue.Spell(day, string(l)) + " " + clock)
}

// SpellReais prints an amount in cents as the language does: 1.829,35 in Portuguese, 1,829.35 in English.
func SpellReais(a ledger.Amount, lang string) string {
	return catalogue.Spell(a.Rounded(ledger.HalfAwayFromZero).Fixed(2), lang)
}

// SpellDate prints a day as the language does; empty for none.
func SpellDate(d ledger.Date, lang string) string { return catalogue.Spell(d.String(), lang) }
