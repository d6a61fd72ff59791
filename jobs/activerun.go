package jobs

import (
	"context"
	"fmt"

	"concilia/jobs/reportset"
	"concilia/store/ledger"
)

// activeRun is a task whose run has begun: the run holds the accounts, and the progress of its steps times them in its record.
type activeRun struct {
	*task
	record  *ledger.Run
	release func() // gives the accounts back
}

// beginRun takes the lease of every account, stores the documents and opens the run record. The caller releases the run.
// A nightly run that was killed is continued under its own id, so that what it pulled counts as pulled by this run.
func (t *task) beginRun(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*activeRun, error) {
	if kind == ledger.Nightly {
		return t.beginOrContinue(ctx, kind, asOf, func(*ledger.Run) (bool, error) { return true, nil })
	}
	return t.beginOrContinue(ctx, kind, asOf, nil)
}

// beginOrContinue is beginRun for a run that continues a killed run of its kind, as-of date and documents if like reports
// that both do the same; nil: it continues none.
func (t *task) beginOrContinue(
	ctx context.Context, kind ledger.RunKind, asOf ledger.Date, like func(*ledger.Run) (bool, error),
) (*activeRun, error) {
	record, lease, err := t.newRunRecorder().begin(ctx, kind, asOf, like)
	if err != nil {
		return nil, err
	}
	w := t.worker
	progress := &stepTimer{Progress: t.progress, wall: w.Wall, run: record, keep: w.Ledger.RecordSteps}
	endTimes := progress.storeStepsRegularly(ctx)
	if w.Began != nil {
		w.Began(record)
	}
	return &activeRun{
		task: &task{worker: w, accounts: t.accounts, progress: progress}, record: record,
		release: func() {
			endTimes()
			releaseLease(ctx, lease)
		},
	}, nil
}

// newSummary returns a summary of the run that has nothing yet.
func (r *activeRun) newSummary() *Summary { return &Summary{Run: r.record.ID, AsOf: r.record.AsOf} }

// doSteps does the steps of the run. If the ledger interrupts it, it is begun again from its first step, like a run that was killed
// and continued: what is done is not repeated.
func (r *activeRun) doSteps(ctx context.Context, do func(*Summary) error) (*Summary, error) {
	var s *Summary
	err := retryOnOutage(ctx, r.worker.Ledger, r.worker.Wall, func(err error) {
		r.progress.Step("ledger", 0)
		r.progress.Done(fmt.Sprintf("it was unavailable, the run continues where it was: %v", err))
	}, func() error {
		s = r.newSummary()
		return do(s)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// end writes the record of the run for the last time. v is nil for a run that evaluates nothing.
func (r *activeRun) end(ctx context.Context, s *Summary, v *reportset.Verdicts) error {
	return r.newRunRecorder().end(ctx, r.record, s, v)
}
