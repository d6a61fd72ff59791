package schedule

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

const (
	// renewEvery is how often a running row is renewed; it lives three times as long.
	renewEvery = 5 * time.Second
	// RowLifetime is how long a running row is valid without being renewed.
	RowLifetime = 3 * renewEvery
	// busyRetry is how soon after somebody was in the way a job is tried again.
	busyRetry = 10 * time.Second
	// maxBusy bounds for how long it is tried.
	maxBusy = 6 * time.Hour
	// maxAttempts is how many processes may die of an occurrence before it is skipped.
	maxAttempts = 5
	// endTries and endRetry are how often and how soon what became of an occurrence is written again when that fails.
	endTries = 5
	endRetry = 3 * time.Second
)

// Why a job is interrupted; to the job either is a cancellation.
var (
	errDrained   = fmt.Errorf("the scheduler was told to end: %w", context.Canceled)
	errTakenOver = fmt.Errorf("another process has taken the occurrence: %w", context.Canceled)
)

// startJob does the job beside the look-out.
func (s *Scheduler) startJob(ctx context.Context, e *Entry, row Row) {
	s.busy = true
	s.o.OnChange(row)
	go func() {
		defer func() { s.ended <- struct{}{} }()
		s.executeJob(ctx, e, row)
	}()
}

// executeJob does the job and keeps what became of it.
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

// applyOutcome is the row as the job left it.
func (s *Scheduler) applyOutcome(row Row, out Outcome) Row {
	row.Ended, row.Run, row.ExitCode = s.currentTime(), out.Run, out.ExitCode
	if out.Interrupted {
		// It stays what it is, and its attempt does not count: nothing died of it.
		row.Ended, row.ExitCode, row.Attempts = time.Time{}, 0, row.Attempts-1
		return row
	}
	row.Why = joinNotes(row.Why, out.Why)
	switch {
	case out.Skipped, out.Busy:
		row.State = Skipped
	case row.Missed:
		row.State = CaughtUp
	default:
		row.State = Ran
	}
	return row
}

// writeEnd writes what became of an occurrence. When that cannot be done the row is left to run out, and the occurrence is
// taken again.
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

// tryWhileBusy does the job, again and again while somebody else is in the way.
func (s *Scheduler) tryWhileBusy(ctx, job context.Context, e *Entry, row Row) Outcome {
	began := s.currentTime()
	patience := min(e.Spec.Next(row.Slot).Sub(row.Slot)/2, maxBusy)
	for {
		out := s.callJob(job, Occurrence{Entry: e, Slot: row.Slot, Trigger: "cron " + e.Job + " " + e.Spec.FormatSlot(row.Slot)})
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
		case <-ctx.Done(): // it has not begun, so there is nothing to wait for
			timer.Stop()
			return Outcome{Interrupted: true}
		case <-job.Done():
			timer.Stop()
			return Outcome{Interrupted: true}
		}
	}
}

// callJob does the job; that it panics is an outcome of it.
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

// renewRow keeps the row alive until ctx ends. Once it is another process's the job is stopped. That it cannot be kept for a
// while is told when it has run out: a job that writes for long keeps a ledger in one file from being written beside it.
func (s *Scheduler) renewRow(ctx context.Context, row Row, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	kept := s.currentTime()
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
			kept = s.currentTime()
		case ctx.Err() == nil && s.currentTime().Sub(kept) > RowLifetime:
			kept = s.currentTime()
			s.o.OnError(fmt.Errorf("schedule %s: keep an occurrence: %w", row.Schedule, err))
		}
	}
}
