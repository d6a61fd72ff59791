package jobs

import (
	"context"
	"fmt"
	"sync"

	"concilia/jobs/queue"
	"concilia/store/ledger"
)

// maxKnownRuns bounds the runs a worker remembers.
const maxKnownRuns = 64

// NewRemoteWork does units of runs that other processes lead. A unit of a run with other documents than this worker's is
// refused with an error that names the difference.
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
			if differs := w.listDifferences(run); len(differs) > 0 {
				return fmt.Errorf("%s: run %s goes by another %v than this worker", u.String(), u.Run, differs)
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
