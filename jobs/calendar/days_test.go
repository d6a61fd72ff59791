package calendar_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

func TestOverrides(t *testing.T) {
	t.Parallel()
	c, err := calendar.New(calendar.Options{
		Extra:          []ledger.Date{date(t, "2026-12-31"), date(t, "2026-08-10")},
		Removed:        []ledger.Date{date(t, "2026-04-21")},
		CounterExtra:   []ledger.Date{date(t, "2026-01-26"), date(t, "2026-01-25"), date(t, "2026-01-26")},
		CounterRemoved: []ledger.Date{date(t, "2026-11-20"), date(t, "2027-12-31")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		day              string
		settles, counter bool
		because          string
	}{
		{"2026-08-10", false, false, "an extra day closes both calendars"},
		{"2026-04-21", true, true, "a removed holiday is open in both"},
		{"2026-12-31", false, false, "an extra day"},
		{"2026-12-30", true, false, "with the 31st closed, the 30th is the last business day"},
		{"2026-01-26", true, false, "a local holiday closes the counter alone"},
		{"2026-11-20", false, true, "a local exception opens the counter alone"},
		{"2027-12-31", true, true, "a counter that is said to be open on the last day is open"},
	} {
		d := date(t, row.day)
		if c.IsBusinessDay(settles, d) != row.settles || c.IsBusinessDay(counter, d) != row.counter {
			t.Errorf("%s: settles %v, counter %v: %s", d, c.IsBusinessDay(settles, d), c.IsBusinessDay(counter, d), row.because)
		}
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	_, err := calendar.New(calendar.Options{
		Extra:          []ledger.Date{date(t, "2026-04-21"), date(t, "2200-01-01"), 0},
		Removed:        []ledger.Date{date(t, "2026-04-21"), date(t, "2026-04-19"), date(t, "2026-04-22")},
		CounterRemoved: []ledger.Date{date(t, "2026-04-23")},
	})
	if err == nil {
		t.Fatal("accepted")
	}
	want := strings.Join([]string{
		"calendar: 2200-01-01 lies outside the years 1990 to 2100 the calendar knows",
		"calendar: an empty date among the extra or removed days",
		"calendar: 2026-04-21 is both among the extra days and among the removed ones: keep one",
		"calendar: 2026-04-19 is a Sunday: weekends cannot be removed",
		"calendar: 2026-04-22 is no holiday: there is nothing to remove",
		"calendar: 2026-04-23 is no holiday: there is nothing to remove",
	}, "\n")
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestProblemsAreCapped(t *testing.T) {
	t.Parallel()
	_, err := calendar.New(calendar.Options{Extra: make([]ledger.Date, 500)})
	if n := strings.Count(err.Error(), "\n") + 1; n != 20 {
		t.Errorf("%d problems reported", n)
	}
}

func TestDaysOfAYear(t *testing.T) {
	t.Parallel()
	c, err := calendar.New(calendar.Options{
		Extra: []ledger.Date{date(t, "2026-08-10")}, Removed: []ledger.Date{date(t, "2026-04-21")},
		CounterExtra: []ledger.Date{date(t, "2026-01-26")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, year := range []int{2023, 2026} {
		for _, d := range c.NamedDays(year) {
			fmt.Fprintf(&b, "%s %s %v %q %s\n", d.Date, d.Date.Weekday(), d.Kinds, d.Name, d.Source)
		}
	}
	golden(t, "days.txt", b.String())
}

// The closed days of the horizon: a change of any of them has to come with a new Version.
func TestTextOfVersion(t *testing.T) {
	t.Parallel()
	golden(t, "version-"+calendar.Version+".txt", string(standard(t).Text()))
}

func TestHashNamesTheContent(t *testing.T) {
	t.Parallel()
	hash := func(o calendar.Options) string {
		c, err := calendar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash()
	}
	plain := hash(calendar.Options{})
	if plain != hash(calendar.Options{Extra: []ledger.Date{date(t, "2026-12-25")}}) {
		t.Error("closing Christmas again changed the hash")
	}
	one := hash(calendar.Options{Extra: []ledger.Date{date(t, "2026-08-10"), date(t, "2026-08-11")}})
	two := hash(calendar.Options{Extra: []ledger.Date{date(t, "2026-08-11"), date(t, "2026-08-10"), date(t, "2026-08-10")}})
	local := hash(calendar.Options{CounterExtra: []ledger.Date{date(t, "2026-08-11"), date(t, "2026-08-10")}})
	if one != two {
		t.Error("the order of the days changed the hash")
	}
	if one == plain || one == local || local == plain {
		t.Error("different calendars have one hash")
	}
	if len(plain) != 64 || strings.ToLower(plain) != plain {
		t.Errorf("%q is no lower-case SHA-256", plain)
	}
}

// golden compares with testdata/name, or rewrites it under UPDATE_GOLDEN=1.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it):\n%s", path, diff)
	}
}
