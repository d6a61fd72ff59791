package schedule

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Options configure a scheduler; all but OnError and OnChange are required.
type Options struct {
	Entries []Entry
	Rows    Rows
	// Do runs the job of an occurrence until it ends or ctx is done. It starts no other occurrence.
	Do func(ctx context.Context, o Occurrence) Outcome
	// Now is the clock of the slots. It may be shifted but must advance like a real clock.
	Now func() time.Time
	// Drain is how long the running job may continue after the scheduler is stopped, before it is interrupted.
	Drain time.Duration
	// OnChange is called for every occurrence, when it begins and with its outcome.
	OnChange func(Row)
	// OnError is called when the rows cannot be read or written; the scheduler retries.
	OnError func(error)
}

// Occurrence is the argument of Options.Do.
type Occurrence struct {
	Job     string    // of the entry, or what is left to be done of it by a repetition
	Slot    time.Time // for a repetition, that of the occurrence that failed
	Trigger string    // of the run: cron, the job and the slot
}

// Outcome is the result of a job.
type Outcome struct {
	Run      string // the id of its run; empty: none was started
	ExitCode int
	Why      string // a remark; for a skipped occurrence the reason
	// Skipped: the job must not run. Busy: another run prevents it from running now.
	Skipped, Busy bool
	// RepeatJob is the job that does what this one failed to do, if the entry repeats what failed; empty: it did not fail, or
	// repeating it would not help.
	RepeatJob string
	// Interrupted: the job stopped because its context ended.
	Interrupted bool
}

const (
	// pollInterval is how often rows are checked while nothing is due: one may belong to a process that died.
	pollInterval = 15 * time.Second
	// sleepGap is how late a check may be before the slots meanwhile count as missed, because the machine slept.
	sleepGap = time.Minute
)

// Scheduler starts jobs by the clock. See New and Run.
type Scheduler struct {
	o            Options
	names        []string
	watchedSince time.Time            // slots from here on are not missed
	checkedAt    time.Time            // the last check
	starting     map[string]time.Time // the slots of this start that have no row yet
	busy         bool
	ended        chan struct{} // the job has ended
	lastCheck    atomic.Int64  // checkedAt for LastChecked, in unix seconds
}

// New returns a scheduler. Two entries of one job at the same times are refused, because their rows would have the same key.
func New(o Options) (*Scheduler, error) {
	s := &Scheduler{o: o, starting: map[string]time.Time{}, ended: make(chan struct{}, 1)}
	seen := map[string]bool{}
	for i := range o.Entries {
		name := o.Entries[i].Name()
		if seen[name] {
			return nil, fmt.Errorf("schedule %s: is there twice", name)
		}
		seen[name] = true
		s.names = append(s.names, name)
	}
	if s.o.OnChange == nil {
		s.o.OnChange = func(Row) {}
	}
	if s.o.OnError == nil {
		s.o.OnError = func(error) {}
	}
	return s, nil
}

// LastChecked is when the scheduler last checked whether something is due; zero before Run. It may be called while Run runs.
func (s *Scheduler) LastChecked() time.Time {
	if at := s.lastCheck.Load(); at != 0 {
		return time.Unix(at, 0).UTC()
	}
	return time.Time{}
}

// Run starts what is due until ctx ends, and returns when the running job has ended.
func (s *Scheduler) Run(ctx context.Context) {
	s.watchedSince = s.currentTime()
	s.checkedAt = s.watchedSince
	for i := range s.o.Entries {
		if s.o.Entries[i].OnStart {
			s.starting[s.names[i]] = s.watchedSince.Truncate(time.Second)
		}
	}
	for ctx.Err() == nil {
		s.checkEntries(ctx)
		timer := time.NewTimer(s.untilNextSlot())
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.ended:
			s.busy = false
		}
		timer.Stop()
	}
	if s.busy {
		<-s.ended
	}
}

// currentTime returns the time without the monotonic clock, which may stop while a machine sleeps.
func (s *Scheduler) currentTime() time.Time { return s.o.Now().Round(0).UTC() }

// untilNextSlot is how long nothing comes due, at most poll.
func (s *Scheduler) untilNextSlot() time.Duration {
	now, least := s.currentTime(), pollInterval
	for i := range s.o.Entries {
		if next := s.o.Entries[i].Spec.Next(now); !next.IsZero() {
			least = min(least, next.Sub(now))
		}
	}
	return least
}

// checkEntries accounts for what is due and starts the first occurrence that can be started.
func (s *Scheduler) checkEntries(ctx context.Context) {
	now := s.currentTime()
	if now.Sub(s.checkedAt) > pollInterval+sleepGap {
		s.watchedSince = now
	}
	s.checkedAt = now
	s.lastCheck.Store(now.Unix())
	for i := range s.o.Entries {
		if err := s.checkEntry(ctx, &s.o.Entries[i], s.names[i], now); err != nil && ctx.Err() == nil {
			s.o.OnError(fmt.Errorf("schedule %s: %w", s.names[i], err))
		}
	}
}

// checkEntry accounts for the due slots of one schedule.
func (s *Scheduler) checkEntry(ctx context.Context, e *Entry, name string, now time.Time) error {
	seen, err := s.o.Rows.ReadProgress(ctx, name)
	if err == nil && seen.Latest == nil {
		if err = s.o.Rows.Register(ctx, Row{Schedule: name, Slot: now.Add(-time.Microsecond), Job: e.Job, State: FirstSeen}, s.names); err == nil {
			seen, err = s.o.Rows.ReadProgress(ctx, name)
		}
	}
	if err != nil {
		return err
	}
	if r := seen.Running; r != nil && !r.Alive {
		return s.restartOccurrence(ctx, e, *r, now)
	}
	starting := s.starting[name]
	due := e.findDueSlots(seen.Latest.Slot, now, starting)
	if again := e.nextRepetition(seen.Latest); again != nil && len(due.slots) == 0 && !again.Slot.After(now) {
		return s.beginRow(ctx, e, *again)
	}
	steps := e.decideSlots(due, now, s.watchedSince, starting)
	return s.applyDecisions(ctx, e, name, seen.Running, steps)
}

// applyDecisions applies the decisions in their order, as far as they can be applied now.
func (s *Scheduler) applyDecisions(ctx context.Context, e *Entry, name string, running *Row, steps []slotDecision) error {
	var skipped []Row
	begun := false
	for _, decision := range steps {
		row := Row{Schedule: name, Slot: decision.slot, Job: e.Job, State: Skipped, Missed: decision.missed, Why: decision.why}
		if running != nil && !begun {
			if running.Begun.After(decision.slot) {
				break // it came due before the running one began, so it still waits
			}
			row.Why = fmt.Sprintf("the occurrence of %s was still running", e.Spec.FormatSlot(running.Slot))
		} else if decision.run {
			if s.busy {
				break
			}
			if err := s.skipRows(ctx, name, skipped); err != nil {
				return err
			}
			skipped = nil
			if err := s.beginRow(ctx, e, row); err != nil || !s.busy {
				return err
			}
			begun = true
			continue
		}
		skipped = append(skipped, row)
	}
	return s.skipRows(ctx, name, skipped)
}

// beginRow begins an occurrence that has no row yet, unless a job runs or another process has begun it.
func (s *Scheduler) beginRow(ctx context.Context, e *Entry, row Row) error {
	if s.busy {
		return nil
	}
	row.State, row.Attempts, row.Begun = Running, 1, s.currentTime()
	won, err := s.o.Rows.Begin(ctx, row)
	if err != nil {
		return err
	}
	s.forgetStart(row.Schedule, row.Slot) // if not won, another process that started in the same second has it
	if won {
		s.startJob(ctx, e, row)
	}
	return nil
}

func (s *Scheduler) skipRows(ctx context.Context, name string, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	if err := s.o.Rows.Skip(ctx, rows); err != nil {
		return err
	}
	for _, r := range rows {
		s.forgetStart(name, r.Slot)
		s.o.OnChange(r)
	}
	return nil
}

// forgetStart forgets the slot of this process's start after it has its row.
func (s *Scheduler) forgetStart(name string, slot time.Time) {
	if s.starting[name].Equal(slot) {
		delete(s.starting, name)
	}
}

// restartOccurrence takes over an occurrence whose process died and runs it again.
func (s *Scheduler) restartOccurrence(ctx context.Context, e *Entry, row Row, now time.Time) error {
	if s.busy {
		return nil
	}
	won, err := s.o.Rows.TakeOver(ctx, row, now)
	if err != nil || !won {
		return err
	}
	row.Attempts, row.Begun = row.Attempts+1, now
	if row.Attempts > maxAttempts {
		row.State, row.Ended = Skipped, now
		row.Why = fmt.Sprintf("its process died %d times before it had ended: run it by hand and see", maxAttempts)
		s.o.OnChange(row)
		return s.o.Rows.End(ctx, row)
	}
	if row.Attempts > 1 {
		row.Why = joinNotes(row.Why, "run again: its process had ended")
	}
	s.startJob(ctx, e, row)
	return nil
}

// The states of an occurrence.
const (
	Running  = "running"
	Ran      = "run"
	CaughtUp = "caught_up"
	Skipped  = "skipped"
	// FirstSeen marks no occurrence but the instant from which the occurrences of a schedule are accounted for.
	FirstSeen = "first_seen"
)

// Row is an occurrence of a schedule and its outcome.
type Row struct {
	Schedule string // the job, its times and their zone
	Slot     time.Time
	Job      string
	State    string
	Missed   bool // it came due while no process was watching
	Why      string
	Run      string // the id of the run; empty: none was started
	ExitCode int
	Begun    time.Time
	Ended    time.Time // zero while it runs, and after it was put back
	Host     string
	Process  int
	Attempts int  // number of processes that began it
	Alive    bool // of a running occurrence: its process is alive; otherwise another may take it over

	Repeats    time.Time // slot of the occurrence that it repeats because that failed; zero: it repeats none
	Repetition int       // the how manieth repetition of that one; 0: none
	RepeatJob  string    // the job that would repeat it; empty: it did not fail
}

// Progress is how far a schedule is accounted for.
type Progress struct {
	Latest  *Row // with the latest slot; nil: the schedule is not registered
	Running *Row // at most one
}

// Rows stores the occurrences, for all processes that share them.
type Rows interface {
	// ReadProgress returns how far a schedule is accounted for.
	ReadProgress(ctx context.Context, schedule string) (Progress, error)
	// Register starts to account for a schedule at row.Slot unless it is registered. If an earlier schedule of the same job is no
	// longer among configured, because its times were changed, it starts where that one ended.
	Register(ctx context.Context, row Row, configured []string) error
	// Skip inserts the rows that do not exist yet.
	Skip(ctx context.Context, rows []Row) error
	// Begin inserts a running row for this process. It returns false if the occurrence has a row, or another occurrence
	// of the schedule is running.
	Begin(ctx context.Context, row Row) (bool, error)
	// TakeOver gives this process a running row whose process is gone, for another attempt that begins at begun. It
	// returns false if another process was faster.
	TakeOver(ctx context.Context, row Row, begun time.Time) (bool, error)
	// Renew extends a running row. It returns false if the row no longer belongs to this process.
	Renew(ctx context.Context, row Row) (bool, error)
	// End writes the outcome of a running row of this process. A row that stays running is put back and belongs to no
	// process.
	End(ctx context.Context, row Row) error
}
