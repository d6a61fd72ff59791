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

// SpellAmount writes the exact text of an amount as Portuguese does; in English it stays exact, for tools that cut columns.
func (l Language) SpellAmount(exact string) string {
	if l == Portuguese {
		return catalogue.Spell(exact, string(l))
	}
	return exact
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

// CountParts are the parts that there are, each with its number.
func (l Language) CountParts(parts ...Part) (out []string) {
	for _, p := range parts {
		if p.N > 0 {
			out = append(out, l.Count(p.N, p.What))
		}
	}
	return out
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

// FormatDays is a period in short: 2026-11-01..2026-11-30 in English.
func (l Language) FormatDays(from, to ledger.Date) string {
	if l != Portuguese {
		return ledger.Period{From: from, To: to}.String()
	}
	return l.FormatPeriod(from, to)
}

// FormatVerdict is a verdict: its id in English, where scripts read it.
func (l Language) FormatVerdict(v ledger.Verdict) string {
	if l != Portuguese || v == "" {
		return string(v)
	}
	return l.text("verdicts." + string(v))
}

// FormatDuration is a time that something took, to a tenth of a second, from a minute on to the second.
func (l Language) FormatDuration(d time.Duration) string {
	if d < time.Minute {
		return l.SpellPoint(d.Round(100 * time.Millisecond).String())
	}
	return d.Round(time.Second).String()
}

// SpellPoint writes the decimal point of a number as the language does.
func (l Language) SpellPoint(number string) string {
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
	return l.SpellPoint(fmt.Sprintf("%d.%d", tenths/10, tenths%10)) + " " + units[unit]
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
