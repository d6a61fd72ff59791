package jobs

import (
	"context"

	"concilia/jobs/reconcile"
	"concilia/store/ledger"
)

// ReconcileIn lets the rules evaluate the worker's first account in a run that the caller began.
func (w *Worker) ReconcileIn(ctx context.Context, run *ledger.Run) (reconcile.Result, error) {
	return w.newTask().newEvaluator().ReconcileAccount(ctx, run, w.Accounts[0].AsPlanned(), nil, ledger.WorkUnit{})
}
