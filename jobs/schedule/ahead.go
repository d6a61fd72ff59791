package schedule

import "time"

// Ahead are slots that have no row yet: the latest ones that are due and wait, at most so many, and the next ones. last
// is how far the schedule is accounted for; zero when nobody knows it yet, and then nothing waits.
func (e *Entry) Ahead(last, now time.Time, waiting, next int) []Row {
	var slots []time.Time
	if !last.IsZero() {
		slots = e.waiting(last, now, time.Time{}).slots
	}
	slots = slots[max(0, len(slots)-waiting):]
	for at := e.Spec.Next(now); next > 0 && !at.IsZero(); at = e.Spec.Next(at) {
		slots, next = append(slots, at), next-1
	}
	out := make([]Row, len(slots))
	for i, at := range slots {
		out[i] = Row{Schedule: e.Name(), Slot: at, Job: e.Job, Why: e.Spec.Jumped(at)}
	}
	return out
}
