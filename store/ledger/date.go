package ledger

import (
	"errors"
	"fmt"
	"time"
)

// Date is a day of the proleptic Gregorian calendar, counted as a Rata Die number: 1 is 0001-01-01. Zero is no
// date. It has no zone and no time of day, and compares with < and ==.
type Date int32

// unixEpoch is 1970-01-01.
const unixEpoch Date = 719163

// maxDate is 9999-12-31, the last day four digits can spell.
const maxDate Date = 3652059

// NewDate returns a date; it normalises as time.Date does.
func NewDate(year int, month time.Month, day int) Date {
	return unixEpoch + Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()/86400)
}

// DateOf returns the date of t in zone.
func DateOf(t time.Time, zone *time.Location) Date {
	y, m, d := t.In(zone).Date()
	return NewDate(y, m, d)
}

// ParseDate reads YYYY-MM-DD and nothing else.
func ParseDate(s string) (Date, error) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return 0, fmt.Errorf("%.40q: not a date (YYYY-MM-DD)", s)
	}
	y, ok1 := digits(s[0:4])
	m, ok2 := digits(s[5:7])
	d, ok3 := digits(s[8:10])
	if !ok1 || !ok2 || !ok3 || y < 1 || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, fmt.Errorf("%.40q: not a date (YYYY-MM-DD)", s)
	}
	date := NewDate(y, time.Month(m), d)
	if date.Day() != d {
		return 0, fmt.Errorf("%.40q: no such day", s)
	}
	return date, nil
}

// ParseDay reads a date, or a date and time at midnight without offset, which are two spellings of one day. Any other
// time of day is an error, since cutting it would lose information.
func ParseDay(s string) (Date, error) {
	if len(s) <= 10 {
		return ParseDate(s)
	}
	t, err := parseCivil(s)
	if err != nil {
		return 0, fmt.Errorf("%.40q: not a date", s)
	}
	if !t.Midnight() {
		return 0, fmt.Errorf("%.40q: a date with a time of day", s)
	}
	return t.Date(), nil
}

func digits(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// Time is midnight UTC of the day, for the arithmetic of package time.
func (d Date) Time() time.Time { return time.Unix(int64(d-unixEpoch)*86400, 0).UTC() }

// In returns the first instant of the day in zone.
func (d Date) In(zone *time.Location) time.Time {
	y, m, day := d.Time().Date()
	return time.Date(y, m, day, 0, 0, 0, 0, zone)
}

// Year, Month, Day and Weekday take the date apart.
func (d Date) Year() int             { return d.Time().Year() }
func (d Date) Month() time.Month     { return d.Time().Month() }
func (d Date) Day() int              { return d.Time().Day() }
func (d Date) Weekday() time.Weekday { return d.Time().Weekday() }

// MonthStart is the first day of the date's month, MonthEnd the last.
func (d Date) MonthStart() Date { return NewDate(d.Year(), d.Month(), 1) }
func (d Date) MonthEnd() Date   { return NewDate(d.Year(), d.Month()+1, 1) - 1 }

// String is YYYY-MM-DD, or empty for no date.
func (d Date) String() string { return d.format("2006-01-02") }

// Compact is YYYYMMDD, as file names spell it, or empty for no date.
func (d Date) Compact() string { return d.format("20060102") }

// Brazilian is dd/mm/yyyy, or empty for no date.
func (d Date) Brazilian() string { return d.format("02/01/2006") }

func (d Date) format(layout string) string {
	if d == 0 {
		return ""
	}
	return d.Time().Format(layout)
}

// MarshalText is String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is ParseDate; empty text is no date.
func (d *Date) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = 0
		return nil
	}
	v, err := ParseDate(string(b))
	if err == nil {
		*d = v
	}
	return err
}

// Period is a range of days, both bounds included.
type Period struct{ From, To Date }

// Contains reports whether d lies in the period; the zero date never does.
func (p Period) Contains(d Date) bool { return d != 0 && p.From <= d && d <= p.To }

// Days is the number of days, 0 when To is before From.
func (p Period) Days() int { return max(0, int(p.To-p.From)+1) }

// String is FROM..TO.
func (p Period) String() string { return p.From.String() + ".." + p.To.String() }

// Valid returns what is wrong with the bounds, or nil.
func (p Period) Valid() error {
	switch {
	case p.From == 0 || p.To == 0:
		return errors.New("a period needs both its days")
	case p.From > maxDate || p.To > maxDate:
		return errors.New("a period ends by 9999-12-31")
	case p.To < p.From:
		return fmt.Errorf("a period cannot end (%s) before it begins (%s)", p.To, p.From)
	}
	return nil
}
