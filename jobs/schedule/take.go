package schedule

import (
	"context"
	"fmt"
	"time"
)

// entry accounts for what is due of one schedule.
func (s *Scheduler) entry(ctx context.Context, e *Entry, name string, now time.Time) error {
	seen, err := s.o.Rows.Seen(ctx, name)
	if err == nil && !seen.Known {
		if err = s.o.Rows.Know(ctx, Row{Schedule: name, Slot: now.Add(-time.Microsecond), Job: e.Job, State: FirstSeen}, s.names); err == nil {
			seen, err = s.o.Rows.Seen(ctx, name)
		}
	}
	if err != nil {
		return err
	}
	if r := seen.Running; r != nil && !r.Alive {
		return s.retake(ctx, e, *r, now)
	}
	starting := s.starting[name]
	steps := e.decide(e.waiting(seen.Last, now, starting), now, s.watched, starting)
	return s.take(ctx, e, name, seen.Running, steps)
}

// take does the steps in their order, as far as they can be done now.
func (s *Scheduler) take(ctx context.Context, e *Entry, name string, running *Row, steps []step) error {
	var skipped []Row
	begun := false
	for _, p := range steps {
		row := Row{Schedule: name, Slot: p.slot, Job: e.Job, State: Skipped, Missed: p.missed, Why: p.why}
		if running != nil && !begun {
			if running.Begun.After(p.slot) {
				break // it was due before: it is not late, it waits
			}
			row.Why = fmt.Sprintf("the occurrence of %s was still running", e.Spec.Stamp(running.Slot))
		} else if p.run {
			if s.busy {
				break
			}
			if err := s.skip(ctx, name, skipped); err != nil {
				return err
			}
			skipped = nil
			row.State, row.Attempts = Running, 1
			row.Begun = s.now()
			won, err := s.o.Rows.Begin(ctx, row)
			if err != nil {
				return err
			}
			s.accounted(name, p.slot) // of two that start in one second the other has it
			if !won {
				return nil
			}
			s.start(ctx, e, row)
			begun = true
			continue
		}
		skipped = append(skipped, row)
	}
	return s.skip(ctx, name, skipped)
}

func (s *Scheduler) skip(ctx context.Context, name string, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	if err := s.o.Rows.Skip(ctx, rows); err != nil {
		return err
	}
	for _, r := range rows {
		s.accounted(name, r.Slot)
		s.o.OnChange(r)
	}
	return nil
}

// accounted forgets the slot of this start once it has its row.
func (s *Scheduler) accounted(name string, slot time.Time) {
	if s.starting[name].Equal(slot) {
		delete(s.starting, name)
	}
}

// retake begins an occurrence again whose process died.
func (s *Scheduler) retake(ctx context.Context, e *Entry, row Row, now time.Time) error {
	if s.busy {
		return nil
	}
	won, err := s.o.Rows.Retake(ctx, row, now)
	if err != nil || !won {
		return err
	}
	row.Attempts, row.Begun = row.Attempts+1, now
	if row.Attempts > mostAttempts {
		row.State, row.Ended = Skipped, now
		row.Why = fmt.Sprintf("its process died %d times before it had ended: run it by hand and see", mostAttempts)
		s.o.OnChange(row)
		return s.o.Rows.End(ctx, row)
	}
	if row.Attempts > 1 {
		row.Why = note(row.Why, "taken again: its process was gone")
	}
	s.start(ctx, e, row)
	return nil
}
