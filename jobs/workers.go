package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"concilia/jobs/queue"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// GroupKey identifies the work this worker would do, by its program, clock, documents and also. Processes of one group
// would do the same work with the same result, and may work for each other.
func (w *Worker) GroupKey(also ...string) string {
	h := sha256.New()
	for _, s := range append([]string{w.Engine, w.Commit, w.Clock, w.Zone.String(), fmt.Sprint(w.Plan, w.ListCap)}, also...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	for _, doc := range w.listDocuments() {
		fmt.Fprintf(h, "%s %s\n", doc.name, doc.contentHash())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// listDifferences says how the run differs from what this worker would have made of it, empty when it may do the run's units.
func (w *Worker) listDifferences(run *ledger.Run) []string {
	var out []string
	for _, c := range []struct{ name, run, here string }{
		{"program", run.ProgramVersion, w.Engine}, {"business clock", run.Clock, w.Clock},
	} {
		if c.run != c.here {
			out = append(out, c.name)
		}
	}
	// A run names the commit of its program among its documents, where that is known.
	here := map[string]string{"engine": w.Commit}
	for _, doc := range w.listDocuments() {
		here[doc.name] = doc.contentHash()
	}
	for name, hash := range run.Documents {
		// The configuration as a whole also names what belongs to a machine; a calendar that is not here is an account that
		// is not configured here.
		if name != "config" && here[name] != hash {
			out = append(out, name)
		}
	}
	for _, name := range []string{"register", "orders"} {
		if here[name] != "" && run.Documents[name] == "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// ListForeignRuns returns the runs in progress whose units this worker does not do, each with what differs.
func (w *Worker) ListForeignRuns(ctx context.Context) (map[string][]string, error) {
	led, err := w.Ledger.LeasedRuns(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, id := range led {
		run, err := w.Ledger.RunByID(ctx, id)
		if errors.Is(err, sqldb.ErrNotFound) {
			continue // it has its lease and not its record yet
		}
		if err != nil {
			return nil, err
		}
		if differs := w.listDifferences(run); len(differs) > 0 {
			out[id] = differs
		}
	}
	return out, nil
}

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
