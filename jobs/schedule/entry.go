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
	// Retry are the waits after which an occurrence that failed is repeated, one after the other, unless the next occurrence comes
	// due before; nil: it is not repeated.
	Retry []time.Duration
}

// Name identifies the schedule: changing its times or zone makes another schedule.
func (e *Entry) Name() string { return e.Job + " " + e.Spec.String() }

// nextRepetition returns the row of the occurrence that repeats the latest one of the schedule, or nil if there is nothing
// to repeat.
func (e *Entry) nextRepetition(latest *Row) *Row {
	if latest.RepeatJob == "" || latest.Ended.IsZero() || latest.Repetition >= len(e.Retry) {
		return nil
	}
	return &Row{
		Schedule: latest.Schedule, Slot: latest.Ended.Add(e.Retry[latest.Repetition]), Job: latest.RepeatJob,
		Missed: latest.Missed, Repeats: latest.originalSlot(), Repetition: latest.Repetition + 1,
		Why: fmt.Sprintf("repeats %s, which ended with %d", e.Spec.FormatSlot(latest.originalSlot()), latest.ExitCode),
	}
}

// originalSlot is the slot of the occurrence itself: for a repetition that of the one that failed first.
func (r *Row) originalSlot() time.Time {
	if r.Repeats.IsZero() {
		return r.Slot
	}
	return r.Repeats
}

const (
	// restartGrace is how long before the start of a process a slot may have come due without counting as missed; it covers
	// a restart.
	restartGrace = time.Minute
	// maxMissedRows bounds the missed occurrences of a schedule that get a row each; earlier ones share one row.
	maxMissedRows = 10_000
)

// slotDecision is whether a due slot is run or skipped, and why.
type slotDecision struct {
	slot   time.Time
	run    bool
	missed bool
	why    string
}

// dueSlots are the slots that are due and have no row yet.
type dueSlots struct {
	slots   []time.Time // the latest ones
	dropped int         // earlier ones, from first to last
	first   time.Time
	last    time.Time
}

// findDueSlots returns the slots after last, up to now, and starting unless it is zero.
func (e *Entry) findDueSlots(last, now, starting time.Time) dueSlots {
	var due dueSlots
	for at := e.Spec.Next(last); !at.IsZero() && !at.After(now); at = e.Spec.Next(at) {
		if len(due.slots) == 2*maxMissedRows {
			if due.dropped == 0 {
				due.first = due.slots[0]
			}
			due.last, due.dropped = due.slots[maxMissedRows-1], due.dropped+maxMissedRows
			due.slots = append([]time.Time{}, due.slots[maxMissedRows:]...)
		}
		due.slots = append(due.slots, at)
	}
	if !starting.IsZero() && !slices.ContainsFunc(due.slots, starting.Equal) {
		due.slots = append(due.slots, starting)
		slices.SortFunc(due.slots, time.Time.Compare)
	}
	return due
}

// decideSlots decides about every due slot, in their order. watched is since when the scheduler has been checking, starting
// the slot of this process's start, zero if it has its row already.
func (e *Entry) decideSlots(due dueSlots, now, watched, starting time.Time) []slotDecision {
	out := make([]slotDecision, 0, len(due.slots)+1)
	if due.dropped > 0 {
		out = append(out, slotDecision{slot: due.last, missed: true, why: fmt.Sprintf("missed, as were %d before it since %s: no process was running",
			due.dropped-1, e.Spec.FormatSlot(due.first))})
	}
	missed := 0
	for missed < len(due.slots) && due.slots[missed].Before(watched.Add(-restartGrace)) && !due.slots[missed].Equal(starting) {
		missed++
	}
	fresh := due.slots[missed:]
	out = append(out, e.decideMissed(due.slots[:missed], now, len(fresh) > 0)...)
	return append(out, e.decideOnTime(fresh, starting)...)
}

// decideMissed applies the policy to missed slots. fresh reports that a slot that was not missed is due as well.
func (e *Entry) decideMissed(slots []time.Time, now time.Time, fresh bool) []slotDecision {
	const missed = "missed: no process was running"
	oldest := now.In(e.Spec.Zone()).AddDate(0, 0, -e.CatchUpDays)
	out := make([]slotDecision, 0, len(slots))
	for i, slot := range slots {
		decision := slotDecision{slot: slot, missed: true, why: missed}
		switch {
		case e.Missed == CatchUp && slot.Before(oldest):
			decision.why = fmt.Sprintf("%s, and it is more than %d days ago", missed, e.CatchUpDays)
		case e.Missed == CatchUp, e.Missed == Latest && i == len(slots)-1 && !fresh:
			decision.run, decision.why = true, e.Spec.SkippedTime(slot)
		case e.Missed == Latest:
			decision.why = missed + ", and a later one is run in its place"
		default:
			decision.why = missed + ", and the policy is to skip"
		}
		out = append(out, decision)
	}
	return out
}

// decideOnTime runs the last of the slots that came due while the scheduler was checking. The slot of a start is skipped if
// another one is due.
func (e *Entry) decideOnTime(slots []time.Time, starting time.Time) []slotDecision {
	out := make([]slotDecision, 0, len(slots))
	chosen := len(slots) - 1
	if chosen > 0 && slots[chosen].Equal(starting) {
		chosen--
	}
	for i, slot := range slots {
		decision := slotDecision{slot: slot, run: i == chosen}
		switch {
		case slot.Equal(starting) && decision.run:
			decision.why = "at start"
		case slot.Equal(starting):
			decision.why = "at start, and another one was due"
		case !decision.run:
			decision.why = "it still waited for another job when the next one came due"
		default:
			decision.why = e.Spec.SkippedTime(slot)
		}
		out = append(out, decision)
	}
	return out
}

// joinNotes joins the reasons of an occurrence that are not empty.
func joinNotes(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// ListAhead returns what has no row yet: at most waiting of the latest slots that are due, a repetition of what failed, and the
// next slots. latest is the latest row of the schedule; if it is nil none is due.
func (e *Entry) ListAhead(latest *Row, now time.Time, waiting, next int) []Row {
	var slots []time.Time
	var again *Row
	if latest != nil {
		slots = e.findDueSlots(latest.Slot, now, time.Time{}).slots
		again = e.nextRepetition(latest)
	}
	slots = slots[max(0, len(slots)-waiting):]
	for at := e.Spec.Next(now); next > 0 && !at.IsZero(); at = e.Spec.Next(at) {
		slots, next = append(slots, at), next-1
	}
	out := make([]Row, 0, len(slots)+1)
	if again != nil && (len(slots) == 0 || again.Slot.Before(slots[0])) {
		out = append(out, *again)
	}
	for _, at := range slots {
		out = append(out, Row{Schedule: e.Name(), Slot: at, Job: e.Job, Why: e.Spec.SkippedTime(at)})
	}
	return out
}
