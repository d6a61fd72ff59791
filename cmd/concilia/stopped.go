package main

import (
	"context"
	"time"

	"concilia/jobs"
)

// noteExitTime bounds the note of how a run stopped: what stopped it may be the ledger.
const noteExitTime = 5 * time.Second

// stopped notes with what code a run stopped that did not come to its end: refused, interrupted, told to leave the rest.
// Days later nobody has its mail any more, and it was not killed. Of one that has ended, or never began, it notes nothing.
func (r *runLog) stopped(ctx context.Context, w *jobs.Worker, code int) {
	r.mu.Lock()
	run := r.run
	r.mu.Unlock()
	if run == "" || code == exitOK {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteExitTime)
	defer cancel()
	if err := w.Ledger.RecordExit(ctx, run, code); err != nil {
		r.log().Debug().AnErr("why", err).Msg("it could not be noted how the run stopped")
	}
}

// stopped is runLog.stopped for commands whose runs nobody is told of.
func stopped(ctx context.Context, w *jobs.Worker, err error) {
	if r, ok := w.Progress.(*runLog); ok && err != nil {
		r.stopped(ctx, w, exitCode(err))
	}
}
