package schedule_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/schedule"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func spec(t testing.TB, text, name string) *schedule.Spec {
	t.Helper()
	s, err := schedule.Parse(text, zone(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestParse: what is no time, or never comes, is refused and not panicked about.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, text, want string }{
		{"five fields get the zone of the configuration", "30  5 * * MON", "CRON_TZ=America/Sao_Paulo 30 5 * * mon"},
		{"a zone of their own stays", "CRON_TZ=UTC 0 2 * * *", "CRON_TZ=UTC 0 2 * * *"},
		{"and has a shorter name", "TZ=UTC 0 2 * * *", "CRON_TZ=UTC 0 2 * * *"},
		{"a name", "@daily", "CRON_TZ=America/Sao_Paulo @daily"},
		{"an interval has no zone", "CRON_TZ=UTC @every 90s", "@every 1m30s"},
		{"29 February comes", "0 5 29 2 *", "CRON_TZ=America/Sao_Paulo 0 5 29 2 *"},
		{"nothing", " ", ""},
		{"a zone alone, at which the library panics", "TZ=0", ""},
		{"the same in words", "CRON_TZ=UTC", ""},
		{"no zone", "CRON_TZ=Mars/Base 0 5 * * *", ""},
		{"the zone of whatever machine", "CRON_TZ=Local 0 5 * * *", ""},
		{"something before a zone", "XTZ=UTC 0 5 * * *", ""},
		{"31 February never comes", "0 5 31 2 *", ""},
		{"six fields", "0 0 5 * * *", ""},
		{"the seventh day", "0 5 * * 7", ""},
		{"the last day", "0 5 L * *", ""},
		{"at boot", "@reboot", ""},
		{"no interval", "@every soon", ""},
	} {
		s, err := schedule.Parse(c.text, zone(t, "America/Sao_Paulo"))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: %q is %s", c.says, c.text, s)
		case c.want != "" && err != nil:
			t.Errorf("%s: %v", c.says, err)
		case c.want != "" && s.String() != c.want:
			t.Errorf("%s: %q is %s", c.says, c.text, s)
		}
	}
}

// TestNext walks slots over the days on which clocks are turned, and over others. A * marks a slot whose time clocks
// jumped over.
func TestNext(t *testing.T) {
	t.Parallel()
	const york, paulo = "America/New_York", "America/Sao_Paulo"
	for _, c := range []struct {
		says, text, zone, after string
		want                    []string
	}{
		{
			"a night as it is configured", "30 5 * * *", paulo, "2026-11-17T05:30:00-03:00",
			[]string{"2026-11-18T05:30-03:00", "2026-11-19T05:30-03:00"},
		},
		{
			"a time that is jumped over is due at the jump, once that day", "30 2 * * *", york, "2026-03-07T00:00:00-05:00",
			[]string{"2026-03-07T02:30-05:00", "2026-03-08T03:00-04:00*", "2026-03-09T02:30-04:00"},
		},
		{
			"so is midnight", "0 0 * * *", paulo, "2018-11-03T12:00:00-03:00",
			[]string{"2018-11-04T01:00-02:00*", "2018-11-05T00:00-02:00"},
		},
		{
			"and a Sunday whose midnight is jumped over stays a Sunday", "15 0 * * 0", paulo, "2018-11-01T12:00:00-03:00",
			[]string{"2018-11-04T01:00-02:00*", "2018-11-11T00:15-02:00"},
		},
		{
			"several times that are jumped over are one slot, with the one that is due then anyway", "*/30 2,3 * * *", york,
			"2026-03-08T00:00:00-05:00",
			[]string{"2026-03-08T03:00-04:00*", "2026-03-08T03:30-04:00", "2026-03-09T02:00-04:00"},
		},
		{
			"a time that is shown twice is due the first time", "30 1 * * *", york, "2026-10-31T12:00:00-04:00",
			[]string{"2026-11-01T01:30-04:00", "2026-11-02T01:30-05:00"},
		},
		{
			"also when asked between the two", "30 1 * * *", york, "2026-11-01T01:10:00-05:00",
			[]string{"2026-11-02T01:30-05:00"},
		},
		{
			"23:30 of the day that São Paulo showed an hour of twice", "30 23 * * *", paulo, "2018-02-17T12:00:00-02:00",
			[]string{"2018-02-17T23:30-02:00", "2018-02-18T23:30-03:00"},
		},
		{
			"every hour follows what has passed in autumn", "30 * * * *", york, "2026-11-01T00:00:00-04:00",
			[]string{"2026-11-01T00:30-04:00", "2026-11-01T01:30-04:00", "2026-11-01T01:30-05:00", "2026-11-01T02:30-05:00"},
		},
		{
			"and in spring", "*/30 * * * *", york, "2026-03-08T01:15:00-05:00",
			[]string{"2026-03-08T01:30-05:00", "2026-03-08T03:00-04:00", "2026-03-08T03:30-04:00"},
		},
		{
			"also on a Sunday whose midnight is jumped over", "0 * * * 0", paulo, "2018-11-03T22:30:00-03:00",
			[]string{"2018-11-04T01:00-02:00", "2018-11-04T02:00-02:00"},
		},
		{
			"an interval has nothing to do with clocks", "@every 45m", york, "2026-11-01T00:50:00-04:00",
			[]string{"2026-11-01T01:15-04:00", "2026-11-01T01:00-05:00", "2026-11-01T01:45-05:00"},
		},
		{
			"either of both kinds of days is enough", "0 5 20 * 1", paulo, "2026-11-17T00:00:00-03:00",
			[]string{"2026-11-20T05:00-03:00", "2026-11-23T05:00-03:00"},
		},
		{
			"another zone than that of the configuration", "CRON_TZ=UTC 0 2 * * *", paulo, "2026-11-17T12:00:00-03:00",
			[]string{"2026-11-18T02:00Z", "2026-11-19T02:00Z"},
		},
	} {
		s, at := spec(t, c.text, c.zone), instant(t, c.after)
		var got []string
		for range c.want {
			at = s.Next(at)
			mark := ""
			if s.SkippedTime(at) != "" {
				mark = "*"
			}
			got = append(got, s.FormatSlot(at)+mark)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.says, d)
		}
	}
	if says := spec(t, "30 2 * * *", york).SkippedTime(instant(t, "2026-03-08T03:00:00-04:00")); !strings.Contains(says, "no 02:30 that day in America/New_York: clocks jump from 02:00 to 03:00") {
		t.Errorf("a jump is told as %q", says)
	}
}

// TestNextSteps holds the walk against looking at every minute of a year, in zones that turn their clocks in their own ways.
func TestNextSteps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo"} {
		for _, text := range []string{"*/20 * * * *", "17 * * * 0", "40 1,2,23 * * *"} {
			s := spec(t, text, name)
			from := instant(t, "2018-01-01T00:00:00Z")
			seen := map[time.Time]bool{}
			for at := s.Next(from); at.Before(from.AddDate(1, 0, 0)); {
				next := s.Next(at)
				if !next.After(at) {
					t.Fatalf("%s in %s: after %s comes %s", text, name, at, next)
				}
				// Nothing lies between, wherever one asks from.
				for _, between := range []time.Duration{1, next.Sub(at) / 3, next.Sub(at) - 1} {
					if again := s.Next(at.Add(between)); !again.Equal(next) {
						t.Fatalf("%s in %s: after %s comes %s, but %s after that %s", text, name, at, next, between, again)
					}
				}
				seen[at], at = true, next
			}
			matches := 0
			for at := from.Add(time.Minute); at.Before(from.AddDate(1, 0, 0)); at = at.Add(time.Minute) {
				if !shows(text, at.In(s.Zone())) {
					continue
				}
				matches++
				if !seen[at.UTC()] && (strings.HasPrefix(text, "*/20") || strings.HasPrefix(text, "17")) {
					t.Errorf("%s in %s: %s is no slot", text, name, at.In(s.Zone()))
				}
			}
			if matches < 50 {
				t.Fatalf("%s: %d minutes match", text, matches)
			}
		}
	}
}

// shows reports whether a clock shows a time of the spec.
func shows(text string, at time.Time) bool {
	switch text[0] {
	case '*':
		return at.Minute()%20 == 0
	case '1':
		return at.Minute() == 17 && at.Weekday() == time.Sunday
	}
	return at.Minute() == 40 && (at.Hour() == 1 || at.Hour() == 2 || at.Hour() == 23)
}
