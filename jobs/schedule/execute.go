package schedule

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

const (
	// renewEvery is how often a running row is renewed; it stays valid three times as long.
	renewEvery = 5 * time.Second
	// RowLifetime is how long a running row is valid without being renewed.
	RowLifetime = 3 * renewEvery
	// busyRetry is how soon a busy job is tried again.
	busyRetry = 10 * time.Second
	// maxBusy bounds how long a busy job is retried.
	maxBusy = 6 * time.Hour
	// maxAttempts is how many processes may die during an occurrence before it is skipped.
	maxAttempts = 5
	// endTries and endRetry are how often, and after what pause, writing the outcome of an occurrence is tried.
	endTries = 5
	endRetry = 3 * time.Second
)

// The causes of an interrupted job; both are cancellations to the job.
var (
	errDrained   = fmt.Errorf("the scheduler was stopped: %w", context.Canceled)
	errTakenOver = fmt.Errorf("another process has taken the occurrence: %w", context.Canceled)
)

// startJob runs the job in the background.
func (s *Scheduler) startJob(ctx context.Context, e *Entry, row Row) {
	s.busy = true
	s.o.OnChange(row)
	go func() {
		defer func() { s.ended <- struct{}{} }()
		s.executeJob(ctx, e, row)
	}()
}

// executeJob runs the job, renews its row meanwhile, and writes its outcome.
func (s *Scheduler) executeJob(ctx context.Context, e *Entry, row Row) {
	job, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(s.o.Drain):
			cancel(errDrained)
		case <-job.Done():
		}
	})
	defer stop()
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		s.renewRow(job, row, cancel)
	}()
	out := s.tryWhileBusy(ctx, job, e, row)
	taken := errors.Is(context.Cause(job), errTakenOver)
	cancel(nil)
	<-renewed
	if taken {
		s.o.OnError(fmt.Errorf("schedule %s, occurrence %s: %w", row.Schedule, e.Spec.FormatSlot(row.Slot), errTakenOver))
		return
	}
	s.writeEnd(context.WithoutCancel(ctx), e, s.applyOutcome(row, out))
}

// applyOutcome returns the row with the outcome of its job.
func (s *Scheduler) applyOutcome(row Row, out Outcome) Row {
	row.Ended, row.Run, row.ExitCode = s.currentTime(), out.Run, out.ExitCode
	if out.Interrupted {
		// It stays running, and the attempt does not count, because no process died.
		row.Ended, row.ExitCode, row.Attempts = time.Time{}, 0, row.Attempts-1
		return row
	}
	row.Why, row.RepeatJob = joinNotes(row.Why, out.Why), out.RepeatJob
	switch {
	case out.Skipped, out.Busy:
		row.State, row.RepeatJob = Skipped, ""
	case row.Missed:
		row.State = CaughtUp
	default:
		row.State = Ran
	}
	return row
}

// writeEnd writes the outcome of an occurrence. If that fails the row expires and the occurrence is run again.
func (s *Scheduler) writeEnd(ctx context.Context, e *Entry, row Row) {
	s.o.OnChange(row)
	var err error
	for range endTries {
		if err = s.o.Rows.End(ctx, row); err == nil {
			return
		}
		time.Sleep(endRetry)
	}
	s.o.OnError(fmt.Errorf("schedule %s: what became of %s could not be kept: %w", row.Schedule, e.Spec.FormatSlot(row.Slot), err))
}

// tryWhileBusy runs the job and retries it while it is busy.
func (s *Scheduler) tryWhileBusy(ctx, job context.Context, e *Entry, row Row) Outcome {
	began := s.currentTime()
	patience := min(e.Spec.Next(row.Slot).Sub(row.Slot)/2, maxBusy)
	for {
		out := s.callJob(job, Occurrence{Job: row.Job, Slot: row.originalSlot(), Trigger: "cron " + row.Job + " " + e.Spec.FormatSlot(row.originalSlot())})
		out.Interrupted = out.Interrupted && job.Err() != nil
		if !out.Busy || out.Interrupted {
			return out
		}
		if s.currentTime().Add(busyRetry).Sub(began) > patience {
			return out
		}
		timer := time.NewTimer(busyRetry)
		select {
		case <-timer.C:
		case <-ctx.Done(): // the job has not begun, so there is nothing to wait for
			timer.Stop()
			return Outcome{Interrupted: true}
		case <-job.Done():
			timer.Stop()
			return Outcome{Interrupted: true}
		}
	}
}

// callJob runs the job and turns a panic into an outcome.
func (s *Scheduler) callJob(ctx context.Context, o Occurrence) (out Outcome) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case runtime.Error:
			out = Outcome{ExitCode: exitPanic, Why: "internal error: " + v.Error()}
		default:
			out = Outcome{ExitCode: exitPanic, Why: fmt.Sprintf("internal error: a panic of type %T", v)}
		}
	}()
	return s.o.Do(ctx, o)
}

// exitPanic is the exit code of an internal error.
const exitPanic = 1

// renewRow renews the row until ctx ends. It cancels the job if the row belongs to another process. A failing renewal is
// reported only after the row has expired: a job with a long write transaction blocks other writers of a SQLite ledger.
func (s *Scheduler) renewRow(ctx context.Context, row Row, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	renewed := s.currentTime()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		still, err := s.o.Rows.Renew(ctx, row)
		switch {
		case err == nil && !still:
			cancel(errTakenOver)
			return
		case err == nil:
			renewed = s.currentTime()
		case ctx.Err() == nil && s.currentTime().Sub(renewed) > RowLifetime:
			renewed = s.currentTime()
			s.o.OnError(fmt.Errorf("schedule %s: keep an occurrence: %w", row.Schedule, err))
		}
	}
}
