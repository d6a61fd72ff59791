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
	// Drain is how long the running job may continue after the scheduler is told to stop, before it is interrupted.
	Drain time.Duration
	// OnChange is called for every occurrence, when it begins and with its outcome.
	OnChange func(Row)
	// OnError is called when the rows cannot be read or written; the scheduler retries.
	OnError func(error)
}

// Occurrence is the argument of Options.Do.
type Occurrence struct {
	Entry   *Entry
	Slot    time.Time
	Trigger string // of the run: cron, the job and the slot
}

// Outcome is the result of a job.
type Outcome struct {
	Run      string // the id of its run, empty if none was begun
	ExitCode int
	Why      string // a remark; for a skipped occurrence the reason
	// Skipped: the job must not run. Busy: somebody else prevents it from running now.
	Skipped, Busy bool
	// Interrupted: the job stopped because its context ended.
	Interrupted bool
}

const (
	// poll is how often others' rows are looked at while nothing is due: one may belong to a process that died.
	poll = 15 * time.Second
	// asleep is how long after its time a look may come before nobody is said to have watched: the machine slept.
	asleep = time.Minute
)

// Scheduler starts jobs by the clock. See New and Run.
type Scheduler struct {
	o        Options
	names    []string
	watched  time.Time            // since when slots are not missed
	looked   time.Time            // last
	starting map[string]time.Time // the slots of this start that have no row yet
	busy     bool
	ended    chan struct{} // the job has ended
	beat     atomic.Int64  // looked, for others: unix seconds
}

// New makes a scheduler. Two entries of one job at the same times are refused: their rows could not be told apart.
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

// Looked is when the scheduler last checked whether something is due; zero before Run. It may be called while Run runs.
func (s *Scheduler) Looked() time.Time {
	if at := s.beat.Load(); at != 0 {
		return time.Unix(at, 0).UTC()
	}
	return time.Time{}
}

// Run starts what is due until ctx ends, and returns when the running job has ended.
func (s *Scheduler) Run(ctx context.Context) {
	s.watched = s.now()
	s.looked = s.watched
	for i := range s.o.Entries {
		if s.o.Entries[i].OnStart {
			s.starting[s.names[i]] = s.watched.Truncate(time.Second)
		}
	}
	for ctx.Err() == nil {
		s.look(ctx)
		timer := time.NewTimer(s.pause())
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

// now is the clock without the reading that stands still while a machine sleeps.
func (s *Scheduler) now() time.Time { return s.o.Now().Round(0).UTC() }

// pause is how long nothing comes due, at most poll.
func (s *Scheduler) pause() time.Duration {
	now, least := s.now(), poll
	for i := range s.o.Entries {
		if next := s.o.Entries[i].Spec.Next(now); !next.IsZero() {
			least = min(least, next.Sub(now))
		}
	}
	return least
}

// look accounts for what is due and starts the first of it that can be started.
func (s *Scheduler) look(ctx context.Context) {
	now := s.now()
	if now.Sub(s.looked) > poll+asleep {
		s.watched = now
	}
	s.looked = now
	s.beat.Store(now.Unix())
	for i := range s.o.Entries {
		if err := s.entry(ctx, &s.o.Entries[i], s.names[i], now); err != nil && ctx.Err() == nil {
			s.o.OnError(fmt.Errorf("schedule %s: %w", s.names[i], err))
		}
	}
}
