package schedule

import "time"

// Ahead returns slots that have no row yet: at most waiting of the latest that are due, and the next ones. last is the
// slot up to which the schedule is accounted for; if it is zero none is due.
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
