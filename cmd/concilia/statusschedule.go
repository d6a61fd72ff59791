package main

import (
	"context"
	"time"

	"concilia/config"
	"concilia/jobs"
)

// ticksShown is how many past and how many coming occurrences status tells.
const ticksShown = 3

// ticksOf are the last occurrences of the schedules and the next; nil when none is configured, nor was of late.
func ticksOf(ctx context.Context, c *config.Config, w *jobs.Worker, now time.Time) (*statusTicks, error) {
	entries, err := entriesOf(c)
	if err != nil {
		return nil, err
	}
	all, err := occurrences(ctx, c, w.Ledger, entries, now)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	t := &statusTicks{Last: []statusTick{}, Next: []statusTick{}}
	for i := range all {
		o := &all[i]
		tick := statusTick{Slot: o.stamp, Job: o.Job, State: o.State, Why: o.Why, Run: o.Run, in: o.Slot.Sub(now)}
		if o.State != shownDue {
			t.Last = append(t.Last, tick)
			continue
		}
		if tick.State = ""; len(t.Next) < ticksShown {
			t.Next = append(t.Next, tick)
		}
	}
	t.Last = t.Last[max(0, len(t.Last)-ticksShown):]
	return t, nil
}
