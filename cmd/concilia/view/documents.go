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
func (v *CalendarYear) WriteText(w io.Writer) error {
	t := newTable(w)
	t.AppendHeader(table.Row{"date", "weekday", "settles", "counter", "source", "name"})
	openOrClosed := func(open bool) string {
		if open {
			return "open"
		}
		return "closed"
	}
	weekends := 0
	for _, d := range v.Days {
		if d.Source == weekend {
			weekends++
			continue
		}
		t.AppendRow(table.Row{d.Date.String(), d.Weekday, openOrClosed(d.Settles), openOrClosed(d.Counter), d.Source, d.Name})
	}
	t.Render()
	_, err := fmt.Fprintf(w, "\nand %d more Saturdays and Sundays, closed in both\nbusiness days of %d: settles %d, counter %d\ncalendar %s version %s, SHA-256 %s\n",
		weekends, v.Year, v.BusinessDays[calendar.Settles.String()], v.BusinessDays[calendar.Counter.String()], v.ID, v.Version, v.Hash)
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
			Tolerance: r.Default.String(), Fires: catalogue.DescribeTrigger(r.Code),
		})
	}
	return out
}

// WriteText writes a line for each rule.
func (v Rules) WriteText(w io.Writer) error {
	t := newTable(w)
	t.AppendHeader(table.Row{"code", "sev", "tier", "needs", "fires when"})
	for i := range v {
		r := &v[i]
		t.AppendRow(table.Row{r.Code, r.Severity, r.Tier, strings.Trim(fmt.Sprint(r.Needs), "[]"), r.Fires})
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
func (v RulePage) WriteText(w io.Writer) error {
	_, err := fmt.Fprint(w, v.Text)
	return err
}
