package ledger

import (
	"fmt"
	"time"
)

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

// LocalTimeOf returns the local time of t in zone; what is finer than 100 ns is cut.
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
	h, ok1 := digits(s[11:13])
	m, ok2 := digits(s[14:16])
	sec, ok3 := digits(s[17:19])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || sec > 59 {
		return 0, notCivil(s)
	}
	t := day + LocalTime(h*3600+m*60+sec)*ticksPerSecond
	if len(s) == 19 {
		return t, nil
	}
	frac := s[20:]
	f, ok := digits(frac)
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
func (t LocalTime) String() string { return t.format("2006-01-02T15:04:05.9999999") }

// Brazilian is dd/mm/yyyy hh:mm:ss, or empty for no time.
func (t LocalTime) Brazilian() string { return t.format("02/01/2006 15:04:05") }

func (t LocalTime) format(layout string) string {
	if t == 0 {
		return ""
	}
	rest := int64(t % ticksPerDay)
	return t.Date().Time().Add(time.Duration(rest) * 100).Format(layout)
}
