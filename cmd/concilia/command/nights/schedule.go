package nights

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs/schedule"
	"concilia/store"
	"concilia/store/ledger"
)

const (
	// pastDays is how far back occurrences are shown, nextSlots how many of each schedule are shown ahead.
	pastDays  = 14
	nextSlots = 3
	// mostWaiting bounds the slots of a schedule that are shown as waiting.
	mostWaiting = 20
)

// NewSchedule is the command schedule.
func NewSchedule(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "schedule",
		Short: "show past and next occurrences of the schedules",
		Long: `schedule shows the occurrences of the last 14 days with their outcome and its reason, and the next three of each
schedule. It starts nothing: serve does.

  run          serve ran it when it was due
  caught_up    it came due while no serve was running, and was run later
  skipped      it was not run, with the reason
  running      it is running
  interrupted  the serve that ran it is gone: the next one runs it again
  waiting      it is due, and no serve has handled it yet
  due          it is in the future

With --json it prints one object per line:
  {"schedule","job","slot","as_of","state","missed","why","run","exit_code","begun","ended","by","attempts"}
slot is when it is due, begun and ended are in UTC, by is host and process; what does not apply is empty, or null for exit_code.

Exit status: 0 shown; 2 usage; 40 configuration; 50 there is no ledger, or it is unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return showSchedule(cmd.Context(), inv) },
	}
}

func showSchedule(ctx context.Context, inv *command.Invocation) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	now, _, err := inv.BusinessClock(c)
	if err != nil {
		return err
	}
	entries, err := wire.ScheduleEntries(c)
	if err != nil {
		return err
	}
	l, err := inv.OpenKept(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // it only read
	page, err := readSchedule(ctx, c, l, entries, now())
	if err != nil {
		return err
	}
	return command.WriteLines(inv, page.Occurrences, page)
}

// readSchedule reads the occurrences of the last days, and adds what waits and the next, in the order of their slots.
func readSchedule(
	ctx context.Context, c *config.Config, l *store.Ledger, entries []schedule.Entry, now time.Time,
) (*runview.Schedule, error) {
	zone := c.Location()
	specs := map[string]*schedule.Spec{}
	for i := range entries {
		specs[entries[i].Name()] = entries[i].Spec
	}
	shown := func(r *schedule.Row) runview.Occurrence {
		slot := r.Slot.In(zone).Format(time.RFC3339)
		if spec := specs[r.Schedule]; spec != nil {
			slot = spec.FormatSlot(r.Slot)
		}
		of := r.Slot
		if !r.Repeats.IsZero() {
			of = r.Repeats
		}
		return runview.OccurrenceOf(r, slot, ledger.DateOf(of, zone))
	}
	past, err := l.CronOccurrences(ctx, now.AddDate(0, 0, -pastDays))
	if err != nil {
		return nil, err
	}
	out := &runview.Schedule{Now: now}
	for _, t := range past {
		r := schedule.Row(t)
		switch {
		case r.State == schedule.FirstSeen:
			continue
		case r.State == schedule.Running && !r.Alive:
			r.State = runview.OccurrenceInterrupted
		}
		out.Occurrences = append(out.Occurrences, shown(&r))
	}
	var ahead []runview.Occurrence
	for i := range entries {
		e := &entries[i]
		last, _, err := l.ScheduleProgress(ctx, e.Name())
		if err != nil {
			return nil, err
		}
		for _, r := range e.ListAhead((*schedule.Row)(last), now, mostWaiting, nextSlots) {
			r.State = runview.OccurrenceDue
			if !r.Slot.After(now) {
				r.State, r.Why = runview.OccurrenceWaiting, "no serve has come to it"
			}
			ahead = append(ahead, shown(&r))
		}
	}
	slices.SortStableFunc(ahead, func(a, b runview.Occurrence) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Schedule, b.Schedule))
	})
	out.Occurrences = append(out.Occurrences, ahead...)
	return out, nil
}
