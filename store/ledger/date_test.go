package ledger_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

func saoPaulo(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestParseDate(t *testing.T) {
	for _, tt := range []struct {
		why  string
		text string
		want string
	}{
		{"a day", "2026-11-18", "2026-11-18"},
		{"a leap day", "2024-02-29", "2024-02-29"},
		{"no leap day in 2100", "2100-02-29", ""},
		{"no 31 November", "2026-11-31", ""},
		{"no month 13", "2026-13-01", ""},
		{"no year zero", "0000-01-01", ""},
		{"no other order", "18/11/2026", ""},
		{"no short month", "2026-1-018", ""},
		{"no blank", "", ""},
	} {
		d, err := ledger.ParseDate(tt.text)
		if (err == nil) != (tt.want != "") || d.String() != tt.want {
			t.Errorf("%s: ParseDate(%q) = %q, %v; want %q", tt.why, tt.text, d, err, tt.want)
		}
	}
}

func TestParseDay(t *testing.T) {
	for _, tt := range []struct {
		why  string
		text string
		want string
	}{
		{"a date alone", "2023-01-01", "2023-01-01"},
		{"the same date at midnight is the same day", "2023-01-01T00:00:00", "2023-01-01"},
		{"midnight with decimals", "2023-01-01T00:00:00.0000000", "2023-01-01"},
		{"a time of day would be lost", "2023-01-01T10:00:00", ""},
	} {
		d, err := ledger.ParseDay(tt.text)
		if (err == nil) != (tt.want != "") || d.String() != tt.want {
			t.Errorf("%s: ParseDay(%q) = %q, %v; want %q", tt.why, tt.text, d, err, tt.want)
		}
	}
}

// Every spelling the service's samples show must be read.
func TestParseTimes(t *testing.T) {
	zone := saoPaulo(t)
	for _, tt := range []struct {
		why  string
		text string
		want string
	}{
		{"three decimals and Z, on a São Paulo clock", "2023-01-01T14:25:28.913Z", "2023-01-01T11:25:28.913"},
		{"no decimals, no offset", "2024-09-24T16:19:29", "2024-09-24T16:19:29"},
		{"two decimals, no offset", "2024-07-08T12:06:57.07", "2024-07-08T12:06:57.07"},
		{"seven decimals, offset -03:00", "2019-09-24T13:43:12.1952799-03:00", "2019-09-24T13:43:12.1952799"},
		{"seven decimals of the last year", "2026-03-20T11:09:57.2758708-03:00", "2026-03-20T11:09:57.2758708"},
		{"no decimals, offset +00:00", "2020-09-23T16:53:34+00:00", "2020-09-23T13:53:34"},
		{"no decimals and Z", "2025-09-11T14:30:25Z", "2025-09-11T11:30:25"},
		{"a date alone is its midnight", "2024-11-12", "2024-11-12T00:00:00"},
		{"eight decimals are finer than the service's clock", "2024-11-12T00:00:00.12345678", ""},
		{"hour 24 is no hour", "2024-11-12T24:00:00", ""},
		{"text is no time", "datetime", ""},
	} {
		got, err := ledger.ParseLocalTime(tt.text, zone)
		if (err == nil) != (tt.want != "") || got.String() != tt.want {
			t.Errorf("%s: ParseLocalTime(%q) = %q, %v; want %q", tt.why, tt.text, got, err, tt.want)
		}
	}
}

func TestDatesAgreeWithPackageTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := ledger.Date(rapid.Int32Range(1, 3652059).Draw(t, "day"))
		y, m, day := d.Time().Date()
		if ledger.NewDate(y, m, day) != d || ledger.DateOf(d.Time(), time.UTC) != d {
			t.Fatalf("%s does not come back", d)
		}
		if back, err := ledger.ParseDate(d.String()); err != nil || back != d {
			t.Fatalf("ParseDate(%q) = %v, %v", d.String(), back, err)
		}
		if d > 1 && (d-1).Weekday() == d.Weekday() {
			t.Fatalf("%s and the day before share a weekday", d)
		}
	})
}

func TestLocalTimeDate(t *testing.T) {
	zone := saoPaulo(t)
	last, err := ledger.ParseLocalTime("2026-11-18T23:59:59.9999999", zone)
	if err != nil || last.Date().String() != "2026-11-18" {
		t.Errorf("the last tick of a day lies on %s, %v", last.Date(), err)
	}
	if got := ledger.LocalTimeOf(time.Date(2026, 11, 19, 2, 0, 0, 0, time.UTC), zone).Date().String(); got != "2026-11-18" {
		t.Errorf("two in the morning UTC is still the day before in São Paulo, not %s", got)
	}
}

// A clock's face and the instant it shows it at are one and the same.
func TestLocalTimeIn(t *testing.T) {
	zone := saoPaulo(t)
	for _, text := range []string{"2026-11-18T23:59:59.9999999", "2026-11-18T00:00:00", "2016-02-29T12:00:00.5"} {
		l, err := ledger.ParseLocalTime(text, zone)
		if err != nil || ledger.LocalTimeOf(l.In(zone), zone) != l {
			t.Errorf("%s is shown at %s: %v", text, l.In(zone), err)
		}
	}
}

func TestPeriod(t *testing.T) {
	nov := ledger.Period{From: ledger.NewDate(2026, 11, 1), To: ledger.NewDate(2026, 11, 30)}
	if nov.Days() != 30 || !nov.Contains(nov.To) || nov.Contains(nov.To+1) || nov.Contains(0) {
		t.Errorf("November has %d days", nov.Days())
	}
	if err := (ledger.Period{From: nov.To, To: nov.From}).Valid(); err == nil {
		t.Error("a period that ends before it begins is accepted")
	}
	if nov.To.MonthStart() != nov.From || nov.From.MonthEnd() != nov.To {
		t.Error("a month's bounds are wrong")
	}
}
