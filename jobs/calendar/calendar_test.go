package calendar_test

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

const (
	settles = calendar.Settles
	counter = calendar.Counter
)

func date(t testing.TB, s string) ledger.Date {
	t.Helper()
	d, err := ledger.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func standard(t testing.TB) *calendar.Calendar {
	t.Helper()
	c, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func same(t *testing.T, what string, got ledger.Date, want string) {
	t.Helper()
	if got.String() != want {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// An unpaid card receipt: waited for until the business day after its own, then open, then aged.
func TestDatesOfAnOverdueReceipt(t *testing.T) {
	t.Parallel()
	c := standard(t)
	for _, row := range []struct{ forecast, due, limit, open, aged string }{
		{"2024-11-19", "2024-11-19", "2024-11-21", "2024-11-22", "2024-11-28"},
		{"2024-11-20", "2024-11-21", "2024-11-22", "2024-11-23", "2024-11-29"},
		{"2024-11-21", "2024-11-21", "2024-11-22", "2024-11-23", "2024-11-29"},
		{"2024-11-22", "2024-11-22", "2024-11-25", "2024-11-26", "2024-11-30"},
		{"2024-11-23", "2024-11-25", "2024-11-26", "2024-11-27", "2024-12-03"},
		{"2024-11-24", "2024-11-25", "2024-11-26", "2024-11-27", "2024-12-03"},
		{"2024-11-25", "2024-11-25", "2024-11-26", "2024-11-27", "2024-12-03"},
		{"2025-02-28", "2025-02-28", "2025-03-05", "2025-03-06", "2025-03-12"},
		{"2025-03-03", "2025-03-05", "2025-03-06", "2025-03-07", "2025-03-13"},
		{"2025-03-05", "2025-03-05", "2025-03-06", "2025-03-07", "2025-03-13"},
		{"2024-12-31", "2024-12-31", "2025-01-02", "2025-01-03", "2025-01-09"},
	} {
		due := c.NextBusinessDay(settles, date(t, row.forecast))
		limit := c.AddBusinessDays(settles, due, 1)
		same(t, row.forecast+" is due", due, row.due)
		same(t, row.forecast+" waits until", limit, row.limit)
		same(t, row.forecast+" opens", limit+1, row.open)
		same(t, row.forecast+" ages", c.AddBusinessDays(settles, due, 5)+1, row.aged)
	}
}

// A slip may be paid without charge on the first day with counter service from its due date.
func TestDaysASlipIsOnTime(t *testing.T) {
	t.Parallel()
	c := standard(t)
	for _, row := range []struct{ due, until string }{
		{"2024-11-16", "2024-11-18"}, // Saturday
		{"2024-11-20", "2024-11-21"}, // holiday
		{"2024-12-30", "2024-12-30"}, // a plain Monday
		{"2024-12-31", "2025-01-02"}, // no counter
		{"2025-03-03", "2025-03-05"}, // Carnival
	} {
		same(t, "due "+row.due, c.NextBusinessDay(counter, date(t, row.due)), row.until)
	}
}

// A paid slip is credited one business day later, in question one day after that, an error after three.
func TestDatesOfASlipCredit(t *testing.T) {
	t.Parallel()
	c := standard(t)
	for _, row := range []struct{ paid, due, warn, fail string }{
		{"2024-11-14", "2024-11-18", "2024-11-19", "2024-11-22"},
		{"2024-11-15", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-11-16", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-11-18", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-12-31", "2025-01-02", "2025-01-03", "2025-01-07"},
	} {
		due := c.AddBusinessDays(settles, c.NextBusinessDay(settles, date(t, row.paid)), 1)
		same(t, "paid "+row.paid+": due", due, row.due)
		same(t, "paid "+row.paid+": warning after", c.AddBusinessDays(settles, due, 1), row.warn)
		same(t, "paid "+row.paid+": error after", c.AddBusinessDays(settles, due, 3), row.fail)
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	c := standard(t)
	for _, row := range []struct {
		day              string
		settles, counter bool
		because          string
	}{
		{"2023-11-20", true, true, "20 November was a plain Monday in 2023"},
		{"2024-11-20", false, false, "20 November is a holiday from 2024"},
		{"2025-03-03", false, false, "Carnival Monday 2025"},
		{"2025-03-04", false, false, "Carnival Tuesday 2025"},
		{"2025-03-05", true, true, "Ash Wednesday is a business day"},
		{"2026-02-16", false, false, "Carnival Monday 2026"},
		{"2026-02-17", false, false, "Carnival Tuesday 2026"},
		{"2026-02-18", true, true, "Ash Wednesday 2026"},
		{"2026-04-03", false, false, "Good Friday 2026"},
		{"2026-06-04", false, false, "Corpus Christi 2026"},
		{"2024-12-31", true, false, "31 December settles and has no counter"},
		{"2022-12-30", true, false, "31 December 2022 was a Saturday: the Friday is the last business day"},
		{"2022-12-31", false, false, "a Saturday"},
		{"2024-12-30", true, true, "the day before the last is a plain day"},
		{"2025-01-01", false, false, "New Year"},
		{"2024-12-24", true, true, "Christmas Eve is a business day"},
		{"2024-07-09", true, true, "a state holiday stops no settlement"},
		{"2024-11-17", false, false, "a Sunday"},
	} {
		d := date(t, row.day)
		if got := c.IsBusinessDay(settles, d); got != row.settles {
			t.Errorf("settles %s is %v: %s", d, got, row.because)
		}
		if got := c.IsBusinessDay(counter, d); got != row.counter {
			t.Errorf("counter %s is %v: %s", d, got, row.because)
		}
	}
}

// The tables agree with counting day by day.
func TestAgreesWithCounting(t *testing.T) {
	t.Parallel()
	c := standard(t)
	first, last := date(t, "1991-01-01"), date(t, "2099-12-31")
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.SampledFrom([]calendar.Kind{settles, counter}).Draw(rt, "kind")
		a := ledger.Date(rapid.Int32Range(int32(first), int32(last)).Draw(rt, "a"))
		j := rapid.IntRange(-60, 60).Draw(rt, "j")

		next := a
		for !c.IsBusinessDay(k, next) {
			next++
		}
		if got := c.NextBusinessDay(k, a); got != next {
			rt.Errorf("Next(%s, %s) = %s, want %s", k, a, got, next)
		}
		step, b := ledger.Date(1), a
		if j < 0 {
			step = -1
		}
		for left := max(j, -j); left > 0; {
			b += step
			if c.IsBusinessDay(k, b) {
				left--
			}
		}
		if got := c.AddBusinessDays(k, a, j); got != b {
			rt.Errorf("Add(%s, %s, %d) = %s, want %s", k, a, j, got, b)
		}
		if j >= 0 && c.CountBusinessDays(k, a, b) != j {
			rt.Errorf("Between(%s, %s, %s) = %d, want %d", k, a, b, c.CountBusinessDays(k, a, b), j)
		}
		if j < 0 && c.CountBusinessDays(k, a, b) != 0 {
			rt.Errorf("Between(%s, %s, %s) is not 0 though it runs backwards", k, a, b)
		}
	})
}

func TestOutsideTheHorizonNothingPanics(t *testing.T) {
	t.Parallel()
	c := standard(t)
	inside := date(t, "2024-11-19")
	for _, d := range []ledger.Date{0, -5, date(t, "1989-12-31"), date(t, "2101-01-01"), 1<<31 - 1, -1 << 31} {
		if calendar.CheckDate(d) == nil {
			t.Errorf("Check(%d) finds nothing wrong", d)
		}
		if c.IsBusinessDay(settles, d) || c.NextBusinessDay(settles, d) != 0 || c.AddBusinessDays(counter, d, 1) != 0 || c.AddBusinessDays(counter, d, 0) != 0 {
			t.Errorf("day %d has an answer", d)
		}
		if c.CountBusinessDays(settles, d, inside) != 0 || c.CountBusinessDays(settles, inside, d) != 0 {
			t.Errorf("day %d is counted from or to", d)
		}
	}
	last := date(t, "2100-12-31")
	if err := calendar.CheckDate(last); err != nil {
		t.Errorf("the last day of the horizon: %v", err)
	}
	same(t, "the day after the last", c.AddBusinessDays(settles, last, 1), "")
	same(t, "no counter day follows the last", c.NextBusinessDay(counter, last), "")
	same(t, "far beyond", c.AddBusinessDays(settles, inside, 1<<40), "")
	same(t, "far before", c.AddBusinessDays(settles, inside, -1<<40), "")
	if c.NamedDays(1989) != nil || c.NamedDays(2101) != nil {
		t.Error("there are named days outside the horizon")
	}
}

func TestAQuestionAllocatesNothing(t *testing.T) {
	c := standard(t)
	d := date(t, "2024-11-20")
	if n := testing.AllocsPerRun(100, func() {
		d2 := c.AddBusinessDays(counter, c.NextBusinessDay(settles, d), 3)
		if c.CountBusinessDays(settles, d, d2) == 0 {
			t.Error("no business day between")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
