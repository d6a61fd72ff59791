package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// CalendarYear is the days of a year that are not business days, and those that were opened.
type CalendarYear struct {
	ID           string         `json:"id"`
	Version      string         `json:"version"`
	Hash         string         `json:"hash"`
	Account      int64          `json:"account,omitempty"` // whose local days are included; 0: none
	Year         int            `json:"year"`
	BusinessDays map[string]int `json:"business_days"`
	Days         []CalendarDay  `json:"days"`
}

// CalendarDay is a day: Settles and Counter are whether it is a business day there.
type CalendarDay struct {
	Date    ledger.Date `json:"date"`
	Weekday string      `json:"weekday"`
	Settles bool        `json:"settles"`
	Counter bool        `json:"counter"`
	Name    string      `json:"name"`
	Source  string      `json:"source"`
}

// weekend is the source of a Saturday or Sunday that is no holiday.
const weekend = "weekend"

// CalendarYearOf is a year of a calendar, that of an account or, when it is 0, of all.
func CalendarYearOf(c *calendar.Calendar, account int64, year int) *CalendarYear {
	y := &CalendarYear{
		ID: calendar.ID, Version: calendar.Version, Hash: c.Hash(), Account: account, Year: year, Days: []CalendarDay{},
		BusinessDays: map[string]int{calendar.Settles.String(): 0, calendar.Counter.String(): 0},
	}
	named := map[ledger.Date]calendar.Day{}
	for _, d := range c.NamedDays(year) {
		named[d.Date] = d
	}
	for d := ledger.NewDate(year, 1, 1); d.Year() == year; d++ {
		day := CalendarDay{
			Date: d, Weekday: d.Weekday().String(), Settles: c.IsBusinessDay(calendar.Settles, d), Counter: c.IsBusinessDay(calendar.Counter, d),
			Source: weekend,
		}
		if day.Settles {
			y.BusinessDays[calendar.Settles.String()]++
		}
		if day.Counter {
			y.BusinessDays[calendar.Counter.String()]++
		}
		n, isNamed := named[d]
		if isNamed {
			day.Name, day.Source = n.Name, n.Source
		}
		if isNamed || !day.Settles {
			y.Days = append(y.Days, day)
		}
	}
	return y
}

// WriteText writes the days; weekends are only counted.
func (v *CalendarYear) WriteText(w io.Writer, l Language) error {
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("calendar.date", "calendar.weekday", "calendar.settles", "calendar.counter", "calendar.source", "calendar.name"))
	openOrClosed := func(open bool) string {
		if open {
			return l.text("calendar.open")
		}
		return l.text("calendar.closed")
	}
	weekends := 0
	for _, d := range v.Days {
		if d.Source == weekend {
			weekends++
			continue
		}
		t.AppendRow(table.Row{l.FormatDay(d.Date), l.text("weekdays." + d.Weekday), openOrClosed(d.Settles), openOrClosed(d.Counter), l.label("holiday_source", d.Source), d.Name})
	}
	t.Render()
	settles, counter := v.BusinessDays[calendar.Settles.String()], v.BusinessDays[calendar.Counter.String()]
	_, err := fmt.Fprintf(w, "\n%s\n%s\n%s\n", l.text("calendar.weekends", "n", weekends), l.text("calendar.business_days", "year", v.Year, "settles", settles, "counter", counter),
		l.text("calendar.version", "id", v.ID, "version", v.Version, "hash", v.Hash))
	return err
}

// Rule is a rule on one line.
type Rule struct {
	Code      string          `json:"code"`
	Version   int             `json:"version"`
	Severity  ledger.Severity `json:"severity"`
	Subjects  []rules.Subject `json:"subjects"`
	Needs     []rules.Need    `json:"needs"`
	Tier      rules.Tier      `json:"tier"`
	Tolerance string          `json:"tolerance"`
	Fires     string          `json:"sentence"` // when it fires
}

// Rules is the catalogue.
type Rules []Rule

// AllRules is the whole catalogue.
func AllRules() Rules {
	var out Rules
	for _, r := range catalogue.Whole() {
		out = append(out, Rule{
			Code: r.Code, Version: r.Version, Severity: r.Severity, Subjects: r.Subjects(), Needs: r.Needs, Tier: r.Tier,
			Tolerance: r.Default.String(), Fires: catalogue.Voice{}.DescribeTrigger(r.Code),
		})
	}
	return out
}

// WriteText writes a line for each rule.
func (v Rules) WriteText(w io.Writer, l Language) error {
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("rules.code", "rules.severity", "rules.tier", "rules.needs", "rules.fires"))
	for i := range v {
		r := &v[i]
		needs := make([]string, len(r.Needs))
		for i, need := range r.Needs {
			needs[i] = l.label("rule_need", string(need))
		}
		t.AppendRow(table.Row{r.Code, r.Severity, l.label("rule_tier", string(r.Tier)), strings.Join(needs, " "), catalogue.Voice{Language: string(l)}.DescribeTrigger(r.Code)})
	}
	t.Render()
	return nil
}

// RulePage is the catalogue page of a rule.
type RulePage struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// WriteText writes the page.
func (v RulePage) WriteText(w io.Writer, l Language) error {
	text := v.Text
	if l == Portuguese {
		text = describeRule(l, v.Code)
	}
	_, err := fmt.Fprint(w, text)
	return err
}

// describeRule is the page of a rule in the words that people read.
func describeRule(l Language, code string) string {
	r, ok := catalogue.Find(code)
	if !ok {
		return ""
	}
	s := NewScreen(l, 14)
	s.AddText("rules.rule", "rules.rule_version", "code", code, "version", r.Version)
	s.AddLine("rules.title", catalogue.Title(code, string(l)))
	for _, line := range DescribeRule(l, &r, catalogue.Voice{Language: string(l)}) {
		s.AddLine(line.Name, line.Text)
	}
	return s.String()
}

// RuleLine is a line of a rule's page; its name is the id of a text.
type RuleLine struct{ Name, Text string }

// DescribeRule says what a rule looks at, when it fires, what passes, what its cases say and who does what about them. What a rule
// has not is left out.
func DescribeRule(l Language, r *rules.Rule, voice catalogue.Voice) (out []RuleLine) {
	step, _ := voice.PlainWords(r.Code)
	for _, line := range []RuleLine{
		{"rules.severity_name", l.text("severities." + string(r.Severity))},
		{"rules.scope", voice.DescribeScope(r.Code)},
		{"rules.trigger", voice.DescribeTrigger(r.Code)},
		{"rules.tolerance", describeTolerance(l, &r.Default)},
		{"rules.sentence", voice.DescribeSentence(r.Code)},
		{"rules.who", step.Owner},
		{"rules.next", step.Next},
	} {
		if line.Text != "" {
			out = append(out, line)
		}
	}
	return out
}

// describeTolerance is what passes without a case; empty for nothing.
func describeTolerance(l Language, t *rules.Tolerance) string {
	var parts []string
	if t.Abs != 0 {
		parts = append(parts, "R$ "+catalogue.Spell(t.Abs.String(), string(l)))
	}
	if t.Rel != 0 {
		parts = append(parts, l.text("rules.or_percent", "percent", catalogue.SpellRate((t.Rel*100).Fixed(2), string(l))))
	}
	if t.Points != 0 {
		parts = append(parts, l.text("rules.points", "points", catalogue.Spell(t.Points.String(), string(l))))
	}
	if t.Grace != 0 {
		parts = append(parts, l.Count(int64(t.Grace), "grace_day"))
	}
	return strings.Join(parts, ", ")
}
