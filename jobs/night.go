package jobs

import (
	"context"
	"fmt"

	"concilia/store/ledger"
)

// Night runs one night as of a morning: it takes over notifications, pulls, confirms, reconciles and publishes. If it is
// killed at any point and run again, ledger and files end the same.
func (w *Worker) Night(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, release, err := w.begin(ctx, ledger.Nightly, asOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.steadily(ctx, run, func(s *Summary) error { return w.night(ctx, run, s) })
}

// night are the steps of a night whose run has begun.
func (w *Worker) night(ctx context.Context, run *ledger.Run, s *Summary) error {
	if err := w.linkStep(ctx, run, nil); err != nil {
		return err
	}
	units, err := w.planNight(ctx, run)
	if err != nil {
		return err
	}
	asked, err := w.pull(ctx, run, units)
	if err != nil {
		return err
	}
	if asked.nothing() {
		// Nothing new is known: what was said and published last stands, and what waits for the target is brought to it.
		if err := w.nothingNew(ctx, run, s, asked); err != nil {
			return err
		}
		return w.conclude(ctx, run, s, nil)
	}
	confirmed, err := w.confirm(ctx, run, asked)
	if err != nil {
		return err
	}
	if err := w.linkStep(ctx, run, asked); err != nil {
		return err
	}
	if err := w.took(ctx, run, s, asked); err != nil {
		return err
	}
	judged, err := w.reconcile(ctx, run, confirmed, s)
	if err != nil {
		return err
	}
	if err := w.publishNight(ctx, run, s, judged); err != nil {
		return err
	}
	return w.conclude(ctx, run, s, judged)
}

// Reconcile applies the rules to what the ledger holds, as of a morning, without calling the service. With Terms.Full it
// judges everything and recomputes every sum.
func (w *Worker) Reconcile(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, release, err := w.begin(ctx, ledger.ReconcileRun, asOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.steadily(ctx, run, func(s *Summary) error {
		judged, err := w.reconcile(ctx, run, nil, s)
		if err != nil {
			return err
		}
		return w.conclude(ctx, run, s, judged)
	})
}

// conclude settles the verdict, the totals and the run record.
func (w *Worker) conclude(ctx context.Context, run *ledger.Run, s *Summary, j *judged) error {
	if j != nil {
		if len(s.FailedWindows) > 0 || len(s.Unpublished) > 0 {
			s.Verdict = ledger.Incomplete
		}
		if err := w.tell(ctx, run, s, j); err != nil {
			return fmt.Errorf("conclude run %s: %w", run.ID, err)
		}
	}
	if err := w.expireBodies(ctx); err != nil {
		return fmt.Errorf("conclude run %s: %w", run.ID, err)
	}
	return w.end(ctx, run, s, j)
}
