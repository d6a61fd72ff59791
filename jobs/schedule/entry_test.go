package schedule

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestManyMissed: a schedule that was missed for very long gets so many rows and not more, and the first tells of the rest.
func TestManyMissed(t *testing.T) {
	t.Parallel()
	spec, err := Parse("@every 1m", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	e := Entry{Job: "pull", Spec: spec, Missed: Skip}
	now := time.Date(2026, time.November, 18, 0, 0, 0, 0, time.UTC)
	const missed = 45_678
	steps := e.decideSlots(e.findDueSlots(now.Add(-missed*time.Minute), now, time.Time{}), now, now.Add(time.Hour), time.Time{})
	if len(steps) < maxMissedRows || len(steps) > 2*maxMissedRows+1 {
		t.Fatalf("%d rows", len(steps))
	}
	if first := steps[0]; !strings.Contains(first.why, "missed, as were 29999 before it since 2026-10-17T06:43Z") {
		t.Errorf("the first is of %s: %s", first.slot, first.why)
	}
	last := time.Time{}
	for _, decision := range steps {
		if decision.run || !decision.missed || !decision.slot.After(last) {
			t.Fatalf("%+v", decision)
		}
		last = decision.slot
	}
	if rest := int(steps[1].slot.Sub(now.Add(-missed*time.Minute))/time.Minute) - 1; !last.Equal(now) || rest != 30_000 {
		t.Errorf("the last is of %s, and the first stands for %d", last, rest)
	}
}

// TestTwice: two schedules of one job at the same times are refused, however they are spelled.
func TestTwice(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for _, text := range []string{"30 5 * * MON", "30  5 * * mon"} {
		spec, err := Parse(text, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, Entry{Job: "nightly", Spec: spec})
	}
	if _, err := New(Options{Entries: entries}); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Error(err)
	}
	if s, err := New(Options{Entries: entries[:1]}); err != nil || !s.LastChecked().IsZero() {
		t.Error(err)
	}
}

// TestDecide: what becomes of slots that wait, by policy, when somebody began to watch between them.
func TestDecide(t *testing.T) {
	t.Parallel()
	spec, err := Parse("0 * * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	at := func(hour, minute int) time.Time {
		return time.Date(2026, time.November, 18, hour, minute, 0, 0, time.UTC)
	}
	for _, c := range []struct {
		says             string
		missed           Policy
		last, watch, now time.Time
		starting         time.Time
		want             string // by hour: run, caught up (c), skipped (-)
	}{
		{"nothing is due", CatchUp, at(5, 0), at(5, 10), at(5, 59), time.Time{}, ""},
		{"one that came due a moment before is not missed", Skip, at(4, 0), at(5, 0).Add(30 * time.Second), at(5, 1), time.Time{}, "5r"},
		{"one that came due long before is", Skip, at(4, 0), at(5, 2), at(5, 3), time.Time{}, "5-"},
		{"catching up runs all, and then what is due", CatchUp, at(2, 0), at(5, 30), at(6, 0), time.Time{}, "3c 4c 5c 6r"},
		{"the latest is not run before one that is due", Latest, at(2, 0), at(5, 30), at(6, 0), time.Time{}, "3- 4- 5- 6r"},
		{"the latest alone", Latest, at(2, 0), at(5, 30), at(5, 40), time.Time{}, "3- 4- 5c"},
		{"none", Skip, at(2, 0), at(5, 30), at(6, 0), time.Time{}, "3- 4- 5- 6r"},
		{"of those that waited for another job the last", CatchUp, at(2, 0), at(1, 0), at(6, 0), time.Time{}, "3- 4- 5- 6r"},
		{"a start is one more", Skip, at(5, 0), at(5, 30), at(5, 30), at(5, 30), "5r"},
		{"behind what was missed", CatchUp, at(3, 0), at(5, 30), at(5, 30), at(5, 30), "4c 5c 5r"},
		{"also when the latest is run in its place", Latest, at(3, 0), at(5, 30), at(5, 30), at(5, 30), "4- 5- 5r"},
		{"but not beside one that is due", Skip, at(4, 0), at(5, 0).Add(20 * time.Second), at(5, 1), at(5, 0).Add(20 * time.Second), "5r 5-"},
	} {
		e := Entry{Job: "pull", Spec: spec, Missed: c.missed, CatchUpDays: 1}
		var got []string
		for _, decision := range e.decideSlots(e.findDueSlots(c.last, c.now, c.starting), c.now, c.watch, c.starting) {
			mark := "-"
			switch {
			case decision.run && decision.missed:
				mark = "c"
			case decision.run:
				mark = "r"
			case decision.why == "":
				t.Errorf("%s: %s is skipped without a reason", c.says, decision.slot)
			}
			got = append(got, strconv.Itoa(decision.slot.Hour())+mark)
		}
		if d := strings.Join(got, " "); d != c.want {
			t.Errorf("%s: %s, not %s", c.says, d, c.want)
		}
	}
}
