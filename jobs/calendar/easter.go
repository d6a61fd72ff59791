package calendar

import (
	"time"

	"concilia/store/ledger"
)

// Easter is Easter Sunday of a Gregorian year, by the anonymous algorithm that Meeus, Jones and Butcher made known.
func Easter(year int) ledger.Date {
	golden := year % 19
	century, ofCentury := year/100, year%100
	leapCenturies, centuryRest := century/4, century%4
	moonShift := (century + 8) / 25
	correction := (century - moonShift + 1) / 3
	epact := (19*golden + century - leapCenturies - correction + 15) % 30
	leaps, yearRest := ofCentury/4, ofCentury%4
	toSunday := (32 + 2*centuryRest + 2*leaps - epact - yearRest) % 7
	late := (golden + 11*epact + 22*toSunday) / 451
	n := epact + toSunday - 7*late + 114
	return ledger.NewDate(year, time.Month(n/31), n%31+1)
}
