package xlsx

import (
	"math/bits"
	"strconv"
	"time"
)

const (
	secondsPerDay = 86400
	// serialEpoch is the Rata Die number of 1899-12-30, day 0 of a spreadsheet's calendar.
	serialEpoch = 693594
	// firstSerial is 1900-03-01: before it, spreadsheets disagree, some having a 29 February 1900.
	firstSerial = 61
	// lastSerial is 9999-12-31.
	lastSerial = 2958465
)

var pow10 = [...]uint64{1, 10, 100, 1000, 10000, 100000, 1000000}

// appendScaled appends v / 10^places exactly, in its shortest form: no sign for zero, no zeros at the end.
func appendScaled(b []byte, v int64, places int) []byte {
	if v < 0 {
		b = append(b, '-')
	}
	m := absolute(v)
	unit := pow10[places]
	b = strconv.AppendUint(b, m/unit, 10)
	frac := m % unit
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for frac > 0 {
		unit /= 10
		b = append(b, byte('0'+frac/unit))
		frac %= unit
	}
	return b
}

func absolute(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// appendDateTime appends the serial number of the civil time that is t seconds after Rata Die day 0. The part of a day is
// rounded to twelve decimals, a ten-millionth of a second: seconds are told apart, and come back when read.
func appendDateTime(b []byte, t int64) []byte {
	b = strconv.AppendInt(b, t/secondsPerDay-serialEpoch, 10)
	seconds := uint64(t % secondsPerDay)
	if seconds == 0 {
		return b
	}
	const scale = 1_000_000_000_000
	frac := (seconds*scale + secondsPerDay/2) / secondsPerDay
	b = append(b, '.')
	for unit := uint64(scale / 10); frac > 0; unit /= 10 {
		b = append(b, byte('0'+frac/unit))
		frac %= unit
	}
	return b
}

// serialFits says whether spreadsheets agree on the Rata Die day.
func serialFits(rataDie int64) bool {
	s := rataDie - serialEpoch
	return firstSerial <= s && s <= lastSerial
}

// formatISODay spells a day that has no serial number.
func formatISODay(rataDie int64) string {
	return time.Unix((rataDie-serialEpoch-25569)*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

// displayWidth is how many characters the widest number of a column takes: magnitude m, shown with the kind's decimals.
func displayWidth(k Kind, m uint64, negative bool) int {
	n := len(strconv.FormatUint(m/pow10[k.decimals()], 10))
	if k != KindRate4 && k != KindNumber2 {
		n += (n - 1) / 3
	}
	if p := k.shownDecimals(); p > 0 {
		n += 1 + p
	}
	if negative {
		n++
	}
	return n
}

// addExact is a + b and whether it fits.
func addExact(a, b int64) (int64, bool) {
	sum, _ := bits.Add64(uint64(a), uint64(b), 0)
	s := int64(sum)
	return s, (a^s)&(b^s) >= 0
}
