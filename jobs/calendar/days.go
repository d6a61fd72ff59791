package calendar

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

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

// Day is a day that has something to be said about it: a holiday, even on a weekend, a day of the configuration, or
// the last business day of the year.
type Day struct {
	Date   ledger.Date
	Name   string // in Portuguese, as the law names it; empty for an extra day of the configuration
	Source string // the law or resolution, SourceConfiguration or SourceAccount: what decided last
	Kinds  []Kind // the calendars it is closed in; none: a holiday that the configuration opened
}

// Days lists the named days of a year in order. Outside the horizon there are none.
func (c *Calendar) Days(year int) []Day {
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

// Text is the whole content in a canonical form: for each year the weekdays on which a calendar is closed. It is
// what a run keeps of its calendar.
func (c *Calendar) Text() []byte { return bytes.Clone(c.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (c *Calendar) Hash() string { return c.hash }

// String is the calendar's name and version, with the beginning of its hash.
func (c *Calendar) String() string { return ID + " " + Version + " " + c.hash[:12] }

func (c *Calendar) render() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "calendar %s version %s years %d-%d\n", ID, Version, FirstYear, LastYear)
	for k := range kinds {
		year := 0
		for d := horizonStart; d <= horizonEnd; d++ {
			if weekend(d) || c.Is(k, d) {
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
