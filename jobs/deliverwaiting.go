package jobs

import (
	"context"
	"errors"

	"concilia/jobs/setpublish"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// DeliverWaiting copies the published sets that wait to the target, without a run and without the service, and returns how many it
// copied. While a run holds one of the accounts it copies nothing: that run delivers them. The error says why sets still wait.
func (w *Worker) DeliverWaiting(ctx context.Context) (delivered int, err error) {
	waiting, err := w.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return 0, err
	}
	run := w.newTask().newRunRecorder().newRun(ledger.ReportRun, w.Today()) // which is not recorded: its id names the lease
	lease, err := w.Ledger.LeaseAccounts(ctx, run.ID, run.Accounts, leaseLifetime)
	if locked := (*runs.LockedError)(nil); errors.As(err, &locked) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer releaseLease(ctx, lease)
	out := &setpublish.Outcome{}
	if err := w.newTask().newSetPublisher().PublishSets(ctx, run, out, nil, nil); err != nil {
		return 0, err
	}
	left, err := w.Ledger.WaitingSets(ctx)
	return len(waiting) - len(left), errors.Join(append(out.Unpublished, err)...)
}
