package jobs

import (
	"context"
	"fmt"

	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/store/ledger"
)

// UnitWork does units of a run that another process leads. Use one value for all units of a run, since it remembers that
// the service is unreachable.
func (w *Worker) UnitWork(run *ledger.Run) queue.Work { return w.workOn(run) }

// workOn does the units of a run, of any kind.
func (w *Worker) workOn(run *ledger.Run) queue.Work {
	puller, outcome := w.newPuller(), &pull.Outcome{}
	return func(ctx context.Context, u ledger.WorkUnit) error {
		switch u.Kind {
		case ledger.PullUnit, ledger.RangeUnit:
			return puller.DoUnit(ctx, run, u, outcome)
		case ledger.ReconcileUnit:
			return w.retryOnOutage(ctx, nil, func() error { return w.doReconcileUnit(ctx, run, u) })
		case ledger.RenderUnit:
			return w.renderUnit(ctx, run, u, nil)
		}
		return fmt.Errorf("%s: this program knows no such work", u.String())
	}
}
