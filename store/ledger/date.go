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

// maxDate is 9999-12-31, the last day of four-digit years.
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
	y, ok1 := parseDigits(s[0:4])
	m, ok2 := parseDigits(s[5:7])
	d, ok3 := parseDigits(s[8:10])
	if !ok1 || !ok2 || !ok3 || y < 1 || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, fmt.Errorf("%.40q: not a date (YYYY-MM-DD)", s)
	}
	date := NewDate(y, time.Month(m), d)
	if date.Day() != d {
		return 0, fmt.Errorf("%.40q: no such day", s)
	}
	return date, nil
}

// ParseDay reads a date, or a date and time at midnight without offset, which is the same day. Any other
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

func parseDigits(s string) (int, bool) {
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

// Year, Month, Day and Weekday are the parts of the date.
func (d Date) Year() int             { return d.Time().Year() }
func (d Date) Month() time.Month     { return d.Time().Month() }
func (d Date) Day() int              { return d.Time().Day() }
func (d Date) Weekday() time.Weekday { return d.Time().Weekday() }

// MonthStart is the first day of the date's month, MonthEnd the last.
func (d Date) MonthStart() Date { return d - Date(d.Day()-1) }
func (d Date) MonthEnd() Date   { return NewDate(d.Year(), d.Month()+1, 1) - 1 }

// String is YYYY-MM-DD, or empty for no date.
func (d Date) String() string { return d.formatAs("2006-01-02") }

// Compact is YYYYMMDD, as in file names, or empty for no date.
func (d Date) Compact() string { return d.formatAs("20060102") }

// Brazilian is dd/mm/yyyy, or empty for no date.
func (d Date) Brazilian() string { return d.formatAs("02/01/2006") }

func (d Date) formatAs(layout string) string {
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

// LocalTime is a local time without a zone, in ticks of 100 ns since 0001-01-01T00:00:00, which is the service's own
// resolution. Zero is no time.
type LocalTime int64

const (
	ticksPerSecond = 10_000_000
	ticksPerDay    = 86_400 * ticksPerSecond
)

// ParseLocalTime reads a date, or a date and time with up to seven decimals of a second. Text without an offset is taken
// as it is; text with one (Z or ±hh:mm) is converted to local time in zone.
func ParseLocalTime(s string, zone *time.Location) (LocalTime, error) {
	if t, err := parseCivil(s); err == nil {
		return t, nil
	}
	t, err := ParseInstant(s)
	if err != nil {
		return 0, fmt.Errorf("%.40q: not a date and time (YYYY-MM-DDTHH:MM:SS)", s)
	}
	return LocalTimeOf(t, zone), nil
}

// ParseInstant reads a date and time with an offset, to UTC: 2023-01-01T14:25:28.913Z.
func ParseInstant(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%.40q: not a date and time with an offset", s)
	}
	return t.UTC(), nil
}

// LocalTimeOf returns the local time of t in zone; fractions below 100 ns are cut.
func LocalTimeOf(t time.Time, zone *time.Location) LocalTime {
	l := t.In(zone)
	sec := l.Hour()*3600 + l.Minute()*60 + l.Second()
	return LocalTime(DateOf(t, zone)-1)*ticksPerDay + LocalTime(sec)*ticksPerSecond + LocalTime(l.Nanosecond()/100)
}

// parseCivil reads YYYY-MM-DD[THH:MM:SS[.f{1,7}]].
func parseCivil(s string) (LocalTime, error) {
	if len(s) < 10 {
		return 0, notCivil(s)
	}
	d, err := ParseDate(s[:10])
	if err != nil {
		return 0, err
	}
	day := LocalTime(d-1) * ticksPerDay
	if len(s) == 10 {
		return day, nil
	}
	if len(s) < 19 || (s[10] != 'T' && s[10] != ' ') || s[13] != ':' || s[16] != ':' {
		return 0, notCivil(s)
	}
	h, ok1 := parseDigits(s[11:13])
	m, ok2 := parseDigits(s[14:16])
	sec, ok3 := parseDigits(s[17:19])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || sec > 59 {
		return 0, notCivil(s)
	}
	t := day + LocalTime(h*3600+m*60+sec)*ticksPerSecond
	if len(s) == 19 {
		return t, nil
	}
	frac := s[20:]
	f, ok := parseDigits(frac)
	if s[19] != '.' || !ok || len(frac) < 1 || len(frac) > 7 {
		return 0, notCivil(s)
	}
	for range 7 - len(frac) {
		f *= 10
	}
	return t + LocalTime(f), nil
}

func notCivil(s string) error { return fmt.Errorf("%.40q: not a local date and time", s) }

// Date is the day of the local time.
func (t LocalTime) Date() Date {
	if t == 0 {
		return 0
	}
	return Date(t/ticksPerDay) + 1
}

// In returns the instant at which the local time in zone is t.
func (t LocalTime) In(zone *time.Location) time.Time {
	days, ticks := t/ticksPerDay, t%ticksPerDay
	return time.Date(1, 1, 1+int(days), 0, 0, int(ticks/ticksPerSecond), int(ticks%ticksPerSecond)*100, zone)
}

// Midnight reports whether the time of day is exactly midnight.
func (t LocalTime) Midnight() bool { return t%ticksPerDay == 0 }

// String is YYYY-MM-DDTHH:MM:SS with as many decimals as are not zero, or empty for no time.
func (t LocalTime) String() string { return t.formatAs("2006-01-02T15:04:05.9999999") }

// Brazilian is dd/mm/yyyy hh:mm:ss, or empty for no time.
func (t LocalTime) Brazilian() string { return t.formatAs("02/01/2006 15:04:05") }

func (t LocalTime) formatAs(layout string) string {
	if t == 0 {
		return ""
	}
	rest := int64(t % ticksPerDay)
	return t.Date().Time().Add(time.Duration(rest) * 100).Format(layout)
}

// StartOf is the first moment of a day.
func StartOf(d Date) LocalTime { return LocalTime(d-1) * ticksPerDay }

// NeighbourDay is the day before or after a time that lies within so many hours of it, 0 if none does.
func (t LocalTime) NeighbourDay(hours int) Date {
	near := LocalTime(hours) * 3600 * ticksPerSecond
	switch at := t % ticksPerDay; {
	case at < near:
		return t.Date() - 1
	case at >= ticksPerDay-near:
		return t.Date() + 1
	}
	return 0
}
