package ofx

import (
	"errors"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// errDate means that a text holds no day from 2000 to 2100.
var errDate = errors.New("no date from 2000 to 2100")

// ofxDate is the day of a date as OFX writes it, YYYYMMDD with anything behind, whose offset of a time zone is not applied.
// An empty text, and zeros, are no day and no error.
func ofxDate(s string) (ledger.Date, error) {
	s = strings.TrimSpace(s)
	if len(s) < 8 {
		if strings.Trim(s, "0") == "" {
			return 0, nil
		}
		return 0, errDate
	}
	if strings.Trim(s[:8], "0") == "" {
		return 0, nil
	}
	d, err := ledger.ParseDate(s[:4] + "-" + s[4:6] + "-" + s[6:8])
	if err != nil || d.Year() < 2000 || d.Year() > 2100 {
		return 0, errDate
	}
	return d, nil
}

// ofxTime is a date with its time of day, if it has one; 0 when there is no day in the text.
func ofxTime(s string) ledger.LocalTime {
	day, err := ofxDate(s)
	if err != nil || day == 0 {
		return 0
	}
	s = strings.TrimSpace(s)
	clock := "00:00:00"
	if len(s) >= 14 {
		if _, err := strconv.ParseUint(s[8:14], 10, 32); err == nil {
			clock = s[8:10] + ":" + s[10:12] + ":" + s[12:14]
		}
	}
	at, err := ledger.ParseLocalTime(day.String()+"T"+clock, nil)
	if err != nil {
		return midnight(day)
	}
	return at
}

// midnight is the beginning of a day; 0 of none.
func midnight(d ledger.Date) ledger.LocalTime {
	if d == 0 {
		return 0
	}
	at, err := ledger.ParseLocalTime(d.String()+"T00:00:00", nil)
	if err != nil {
		return 0
	}
	return at
}
