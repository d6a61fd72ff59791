package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Policy decides about occurrences that came due while no process was watching.
type Policy string

// The policies.
const (
	CatchUp Policy = "catch_up" // every one of the last days is run, oldest first
	Latest  Policy = "latest"   // the last one is run
	Skip    Policy = "skip"     // none is run
)

// Entry is one schedule.
type Entry struct {
	Job         string
	Spec        *Spec
	Missed      Policy
	CatchUpDays int  // for CatchUp, counted back from now
	OnStart     bool // one additional occurrence when the process starts
}

// Name identifies the schedule: changing its times or zone makes another schedule.
func (e *Entry) Name() string { return e.Job + " " + e.Spec.String() }

const (
	// grace is how long before a process began to watch a slot may have been due and not count as missed: a restart
	// takes less.
	grace = time.Minute
	// mostRows bounds the missed occurrences of a schedule that get a row each; those before them share one.
	mostRows = 10_000
)

// step is what becomes of a slot that is due.
type step struct {
	slot   time.Time
	run    bool
	missed bool
	why    string
}

// waits counts slots that are due and have no row yet.
type waits struct {
	slots   []time.Time // the latest ones
	dropped int         // earlier ones, from first to last
	first   time.Time
	last    time.Time
}

// waiting are the slots after last, up to now, and starting when it is one.
func (e *Entry) waiting(last, now, starting time.Time) waits {
	var w waits
	for at := e.Spec.Next(last); !at.IsZero() && !at.After(now); at = e.Spec.Next(at) {
		if len(w.slots) == 2*mostRows {
			if w.dropped == 0 {
				w.first = w.slots[0]
			}
			w.last, w.dropped = w.slots[mostRows-1], w.dropped+mostRows
			w.slots = append([]time.Time{}, w.slots[mostRows:]...)
		}
		w.slots = append(w.slots, at)
	}
	if !starting.IsZero() && !slices.ContainsFunc(w.slots, starting.Equal) {
		w.slots = append(w.slots, starting)
		slices.SortFunc(w.slots, time.Time.Compare)
	}
	return w
}

// decide says what becomes of every slot that waits, in their order. watched is since when somebody watches, starting
// the slot of this process's start, zero when there is none any more.
func (e *Entry) decide(w waits, now, watched, starting time.Time) []step {
	out := make([]step, 0, len(w.slots)+1)
	if w.dropped > 0 {
		out = append(out, step{slot: w.last, missed: true, why: fmt.Sprintf("missed, as were %d before it since %s: nobody watched",
			w.dropped-1, e.Spec.Stamp(w.first))})
	}
	missed := 0
	for missed < len(w.slots) && w.slots[missed].Before(watched.Add(-grace)) && !w.slots[missed].Equal(starting) {
		missed++
	}
	fresh := w.slots[missed:]
	out = append(out, e.missed(w.slots[:missed], now, len(fresh) > 0)...)
	return append(out, e.fresh(fresh, starting)...)
}

// missed applies the policy. fresh says that an occurrence that was not missed is due as well.
func (e *Entry) missed(slots []time.Time, now time.Time, fresh bool) []step {
	const nobody = "missed: nobody watched"
	oldest := now.In(e.Spec.Zone()).AddDate(0, 0, -e.CatchUpDays)
	out := make([]step, 0, len(slots))
	for i, slot := range slots {
		s := step{slot: slot, missed: true, why: nobody}
		switch {
		case e.Missed == CatchUp && slot.Before(oldest):
			s.why = fmt.Sprintf("%s, and it is more than %d days ago", nobody, e.CatchUpDays)
		case e.Missed == CatchUp, e.Missed == Latest && i == len(slots)-1 && !fresh:
			s.run, s.why = true, e.Spec.Jumped(slot)
		case e.Missed == Latest:
			s.why = nobody + ", and a later one is run in its place"
		default:
			s.why = nobody + ", and the policy is to skip"
		}
		out = append(out, s)
	}
	return out
}

// fresh runs the last of the slots that came due while somebody watched. A start adds no occurrence to another one.
func (e *Entry) fresh(slots []time.Time, starting time.Time) []step {
	out := make([]step, 0, len(slots))
	chosen := len(slots) - 1
	if chosen > 0 && slots[chosen].Equal(starting) {
		chosen--
	}
	for i, slot := range slots {
		s := step{slot: slot, run: i == chosen}
		switch {
		case slot.Equal(starting) && s.run:
			s.why = "at start"
		case slot.Equal(starting):
			s.why = "at start, and another one was due"
		case !s.run:
			s.why = "it still waited for another job when the next one came due"
		default:
			s.why = e.Spec.Jumped(slot)
		}
		out = append(out, s)
	}
	return out
}

// note joins what is to be said of an occurrence.
func note(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
