package calendar

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Kind is which of the two calendars a question is about.
type Kind uint8

// The two calendars: see the package comment.
const (
	Settles Kind = iota // payments settle between banks
	Counter             // the branches are open too
	kindCount
)

// String is the kind's name in messages and in Text.
func (k Kind) String() string {
	switch k {
	case Settles:
		return "settles"
	case Counter:
		return "counter"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// The horizon: the years that a calendar covers, both included.
const (
	FirstYear = 1990
	LastYear  = 2100
)

var (
	horizonStart = ledger.NewDate(FirstYear, 1, 1)
	horizonEnd   = ledger.NewDate(LastYear, 12, 31)
)

// Calendar answers questions about business days. It does not change after New and may be shared.
type Calendar struct {
	tables [kindCount]dayTable
	named  map[ledger.Date]Day // holidays, overrides and last business days, for Days
	text   []byte
	hash   string
}

// IsBusinessDay reports whether d is a business day. No date and days outside the horizon are not.
func (c *Calendar) IsBusinessDay(k Kind, d ledger.Date) bool {
	t, i := c.tableOf(k), dayIndex(d)
	return i > 0 && t.upTo[i] != t.upTo[i-1]
}

// NextBusinessDay returns d if it is a business day, else the next one after it: bd⁺(d).
func (c *Calendar) NextBusinessDay(k Kind, d ledger.Date) ledger.Date {
	i := dayIndex(d)
	if i == 0 {
		return 0
	}
	t := c.tableOf(k)
	return t.dayAt(int(t.upTo[i-1]))
}

// AddBusinessDays returns the j-th business day after d, bd(d,j), or the -j-th before d if j is negative. For 0 it returns d,
// business day or not.
func (c *Calendar) AddBusinessDays(k Kind, d ledger.Date, j int) ledger.Date {
	i := dayIndex(d)
	t := c.tableOf(k)
	switch {
	case i == 0:
		return 0
	case j == 0:
		return d
	case j > len(t.days) || j < -len(t.days):
		return 0
	case j > 0:
		return t.dayAt(int(t.upTo[i]) + j - 1)
	}
	return t.dayAt(int(t.upTo[i-1]) + j)
}

// CountBusinessDays returns the number of business days in (a, b]: nbd(a,b). It is 0 when b is not after a, and when either lies
// outside the horizon.
func (c *Calendar) CountBusinessDays(k Kind, a, b ledger.Date) int {
	i, j := dayIndex(a), dayIndex(b)
	if i == 0 || j <= i {
		return 0
	}
	t := c.tableOf(k)
	return int(t.upTo[j]) - int(t.upTo[i])
}

// CheckDate returns an error if no calendar covers d: it is no date, or it lies outside the horizon.
func CheckDate(d ledger.Date) error {
	switch {
	case d == 0:
		return words.NewFault("calendar_fault.no_date", "", "calendar", ID)
	case dayIndex(d) == 0:
		return words.NewFault("calendar_fault.years", "", "calendar", ID, "first", FirstYear, "last", LastYear, "day", d)
	}
	return nil
}

// tableOf returns the table of a kind. An invalid kind counts as Settles, the calendar for everything that is not Counter.
func (c *Calendar) tableOf(k Kind) *dayTable {
	if k >= kindCount {
		k = Settles
	}
	return &c.tables[k]
}

// dayIndex returns the position of d in the tables, from 1, or 0 outside the horizon.
func dayIndex(d ledger.Date) int {
	if d < horizonStart || d > horizonEnd {
		return 0
	}
	return int(d-horizonStart) + 1
}

// dayTable holds the business days of one calendar twice, as running counts and as a list, so that every method is a
// subtraction or a lookup.
type dayTable struct {
	upTo []uint16 // business days from the start of the horizon up to and including day i; upTo[0] is 0
	days []uint16 // the i-th business day, as days after horizonStart
}

// newDayTable lists the business days: the days of the horizon that are neither closed nor of a weekend.
func newDayTable(closed dayFlags) dayTable {
	n := len(closed)
	t := dayTable{upTo: make([]uint16, n+1), days: make([]uint16, 0, n)}
	for i := range n {
		if !closed[i] && !isWeekend(horizonStart+ledger.Date(i)) {
			t.days = append(t.days, uint16(i))
		}
		t.upTo[i+1] = uint16(len(t.days))
	}
	return t
}

// dayAt returns the i-th business day of the horizon, from 0, or no date beyond its ends.
func (t *dayTable) dayAt(i int) ledger.Date {
	if i < 0 || i >= len(t.days) {
		return 0
	}
	return horizonStart + ledger.Date(t.days[i])
}

// ID and Version name the computed part of every calendar: the version grows when a computed day changes.
const (
	ID      = "br-bank"
	Version = "1"
)

// The Sources of days that no law closes: the configuration closed or opened them for every account, or for the one
// account whose calendar it is.
const (
	SourceConfiguration = "configuration"
	SourceAccount       = "account"
)

// Day is a day with a name or a reason: a holiday, even on a weekend, a day of the configuration, or the last business day
// of the year.
type Day struct {
	Date   ledger.Date
	Name   string // in Portuguese, as the law names it; empty for an extra day of the configuration
	Source string // the law or resolution, SourceConfiguration or SourceAccount, whichever applied last
	Kinds  []Kind // the calendars it is closed in; none: a holiday that the configuration opened
}

// NamedDays lists the named days of a year in order. Outside the horizon there are none.
func (c *Calendar) NamedDays(year int) []Day {
	var days []Day
	for d, day := range c.named {
		if d.Year() == year {
			day.Kinds = slices.Clone(day.Kinds)
			days = append(days, day)
		}
	}
	slices.SortFunc(days, func(a, b Day) int { return cmp.Compare(a.Date, b.Date) })
	return days
}

// Text is the whole content in a canonical form: for each year the weekdays on which a calendar is closed. A run keeps it.
func (c *Calendar) Text() []byte { return bytes.Clone(c.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (c *Calendar) Hash() string { return c.hash }

// String is the calendar's name and version, with the beginning of its hash.
func (c *Calendar) String() string { return ID + " " + Version + " " + c.hash[:12] }

func (c *Calendar) renderText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "calendar %s version %s years %d-%d\n", ID, Version, FirstYear, LastYear)
	for k := range kindCount {
		year := 0
		for d := horizonStart; d <= horizonEnd; d++ {
			if isWeekend(d) || c.IsBusinessDay(k, d) {
				continue
			}
			text := d.Compact()
			if y := d.Year(); y != year {
				if year != 0 {
					b.WriteByte('\n')
				}
				year = y
				fmt.Fprintf(&b, "%s %s", k, text[:4])
			}
			b.WriteString(" " + text[4:])
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// IsHoliday reports whether payments do not settle on d for another reason than the weekend: it is a holiday, whatever the
// weekday, or a day that the configuration closed.
func (c *Calendar) IsHoliday(d ledger.Date) bool {
	day, named := c.named[d]
	return named && len(day.Kinds) > 0 && day.Kinds[0] == Settles
}
