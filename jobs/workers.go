package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ListForeignRuns returns the runs in progress whose units this worker does not do, each with the differences.
func (w *Worker) ListForeignRuns(ctx context.Context) (map[string][]string, error) {
	led, err := w.Ledger.LeasedRuns(ctx)
	if err != nil {
		return nil, err
	}
	recorder, out := w.newRunRecorder(), map[string][]string{}
	for _, id := range led {
		run, err := w.Ledger.RunByID(ctx, id)
		if errors.Is(err, sqldb.ErrNotFound) {
			continue // it has its lease but no record yet
		}
		if err != nil {
			return nil, err
		}
		if differs := recorder.listDifferences(run); len(differs) > 0 {
			out[id] = differs
		}
	}
	return out, nil
}

// maxKnownRuns bounds the runs that a worker remembers.
const maxKnownRuns = 64

// NewRemoteWork returns the function that does units of runs led by other processes. It refuses a unit of a run with
// other documents than this worker's, with an error that names the difference.
func (w *Worker) NewRemoteWork() queue.Work {
	var mu sync.Mutex
	known := map[string]queue.Work{}
	return func(ctx context.Context, u ledger.WorkUnit) error {
		mu.Lock()
		work, ok := known[u.Run]
		mu.Unlock()
		if !ok {
			run, err := w.Ledger.RunByID(ctx, u.Run)
			if err != nil {
				return err
			}
			if differs := w.newRunRecorder().listDifferences(run); len(differs) > 0 {
				return fmt.Errorf("%s: run %s has another %v than this worker", u.String(), u.Run, differs)
			}
			mu.Lock()
			if work, ok = known[u.Run]; !ok {
				if len(known) >= maxKnownRuns {
					clear(known)
				}
				work = w.UnitWork(run)
				known[u.Run] = work
			}
			mu.Unlock()
		}
		return work(ctx, u)
	}
}

// UnitWork returns the function that does units of a run that another process leads. Use one value for all units of a
// run, since it remembers that the service is unreachable.
func (w *Worker) UnitWork(run *ledger.Run) queue.Work { return w.workOn(run) }

// workOn returns the function that does the units of a run, of any kind.
func (w *Worker) workOn(run *ledger.Run) queue.Work {
	puller, outcome := w.newPuller(), &pull.Outcome{}
	return func(ctx context.Context, u ledger.WorkUnit) error {
		switch u.Kind {
		case ledger.PullUnit, ledger.RangeUnit:
			return puller.DoUnit(ctx, run, u, outcome)
		case ledger.ReconcileUnit:
			return w.newReconciler(nil).doUnit(ctx, run, u)
		case ledger.RenderUnit:
			return w.newSetPublisher().renderUnit(ctx, run, u, nil)
		}
		return fmt.Errorf("%s: this program knows no such work", u.String())
	}
}
