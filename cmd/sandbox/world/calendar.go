package world

import (
	"fmt"
	"time"
)

// Date is a civil day, counted from 1970-01-01; zero means no date.
type Date int

// zone cuts instants into days. Choice: a fixed UTC−3; Brazil has had no daylight saving since 2019.
var zone = time.FixedZone("-03", -3*60*60)

// NewDate is the civil day y-m-d.
func NewDate(y int, m time.Month, d int) Date {
	return Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// ParseDate reads YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date YYYY-MM-DD", s)
	}
	return Date(t.Unix() / 86400), nil
}

// DateOf is the civil day of an instant.
func DateOf(t time.Time) Date {
	y, m, d := t.In(zone).Date()
	return NewDate(y, m, d)
}

// String is YYYY-MM-DD.
func (d Date) String() string { return d.utcMidnight().Format(time.DateOnly) }

// At is the instant of a second of that day.
func (d Date) At(second int) time.Time {
	y, m, day := d.utcMidnight().Date()
	return time.Date(y, m, day, 0, 0, second, 0, zone)
}

func (d Date) utcMidnight() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// The client side computes bank days too, on purpose without sharing a line: two witnesses.

// IsBankDay reports whether banks settle on d: no weekend, no national bank holiday.
func (d Date) IsBankDay() bool {
	t := d.utcMidnight()
	if t.Weekday() == time.Saturday || t.Weekday() == time.Sunday {
		return false
	}
	y, m, day := t.Date()
	switch int(m)*100 + day {
	case 101, 421, 501, 907, 1012, 1102, 1115, 1225:
		return false
	case 1120:
		return y < 2024 // a national holiday by Law 14.759/2023, from 2024 on
	}
	switch d - easterSunday(y) {
	case -48, -47, -2, 60: // Carnival Monday and Tuesday, Good Friday, Corpus Christi
		return false
	}
	return true
}

// IsCounterDay reports whether banks serve the public on d: a bank day that is not the year's last.
func (d Date) IsCounterDay() bool {
	if !d.IsBankDay() {
		return false
	}
	return (d + 1).BankDayOnOrAfter().utcMidnight().Year() == d.utcMidnight().Year()
}

// BankDayOnOrAfter is d if banks settle on it, else the next day they do.
func (d Date) BankDayOnOrAfter() Date {
	for !d.IsBankDay() {
		d++
	}
	return d
}

// CounterDayOnOrAfter is d if banks serve the public on it, else the next day they do.
func (d Date) CounterDayOnOrAfter() Date {
	for !d.IsCounterDay() {
		d++
	}
	return d
}

// AddBankDays is the n-th bank day after d, n at least 1.
func (d Date) AddBankDays(n int) Date {
	for ; n > 0; n-- {
		d = (d + 1).BankDayOnOrAfter()
	}
	return d
}

// lastBankDayBefore is the latest bank day earlier than d.
func (d Date) lastBankDayBefore() Date {
	for d--; !d.IsBankDay(); d-- {
	}
	return d
}

// easterSunday is Easter Sunday by the anonymous Gregorian computus.
func easterSunday(y int) Date {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return NewDate(y, time.Month(n/31), n%31+1)
}
