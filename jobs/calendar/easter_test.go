package calendar_test

import (
	"testing"
	"time"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

func TestEasterPublishedDates(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"1818-03-22", "1943-04-25", // the earliest and the latest there can be
		"1990-04-15", "1991-03-31", "1992-04-19", "1993-04-11", "1994-04-03", "1995-04-16", "1996-04-07",
		"1997-03-30", "1998-04-12", "1999-04-04", "2000-04-23", "2001-04-15", "2002-03-31", "2003-04-20",
		"2004-04-11", "2005-03-27", "2006-04-16", "2007-04-08", "2008-03-23", "2009-04-12", "2010-04-04",
		"2011-04-24", "2012-04-08", "2013-03-31", "2014-04-20", "2015-04-05", "2016-03-27", "2017-04-16",
		"2018-04-01", "2019-04-21", "2020-04-12", "2021-04-04", "2022-04-17", "2023-04-09", "2024-03-31",
		"2025-04-20", "2026-04-05", "2027-03-28", "2028-04-16", "2029-04-01", "2030-04-21", "2038-04-25",
		"2049-04-18", "2076-04-19", "2100-03-28",
	} {
		same(t, "Easter", calendar.Easter(date(t, want).Year()), want)
	}
}

// Another published way to the same day, by the golden number and the days to the Sunday after the moon.
func TestEasterAgreesWithAnotherMethod(t *testing.T) {
	t.Parallel()
	for y := 1583; y <= 4099; y++ {
		g, c := y%19, y/100
		h := (c - c/4 - (8*c+13)/25 + 19*g + 15) % 30
		i := h - (h/28)*(1-(29/(h+1))*((21-g)/11))
		l := i - (y+y/4+i+2-c+c/4)%7
		m := 3 + (l+40)/44
		want := ledger.NewDate(y, time.Month(m), l+28-31*(m/4))
		if got := calendar.Easter(y); got != want || got.Weekday() != time.Sunday {
			t.Fatalf("Easter %d is %s (%s), want %s", y, got, got.Weekday(), want)
		}
	}
}
