package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// GroupKey identifies the work that this worker would do: its program, clock, documents and also. Processes with the
// same key would do the same work with the same result, so they may work for each other.
func (w *Worker) GroupKey(also ...string) string {
	h := sha256.New()
	for _, s := range append([]string{w.ProgramVersion, w.Commit, w.Clock, w.Zone.String(), fmt.Sprint(w.Plan, w.ListCap)}, also...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	for _, doc := range listDocuments(w, w.Accounts) {
		fmt.Fprintf(h, "%s %s\n", doc.name, doc.contentHash())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// listDifferences returns in what the run differs from the runs that this worker begins; it may do the run's
// units only if there is no difference.
func (r *runRecorder) listDifferences(run *ledger.Run) []string {
	var out []string
	for _, c := range []struct{ name, run, here string }{
		{"program", run.ProgramVersion, r.template.ProgramVersion}, {"business clock", run.Clock, r.template.Clock},
	} {
		if c.run != c.here {
			out = append(out, c.name)
		}
	}
	// The documents of a run include the commit of its program, if that is known.
	here := r.template.Documents
	for name, hash := range run.Documents {
		// The configuration also has settings of a single machine. A calendar that is missing here belongs to an account that
		// is not configured here.
		if name != "config" && here[name] != hash {
			out = append(out, name)
		}
	}
	for _, name := range []string{"register", "orders", "banks"} {
		if here[name] != "" && run.Documents[name] == "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// ListForeignRuns returns the runs in progress whose units this worker does not do, each with the differences.
func (w *Worker) ListForeignRuns(ctx context.Context) (map[string][]string, error) {
	led, err := w.Ledger.LeasedRuns(ctx)
	if err != nil {
		return nil, err
	}
	recorder, out := w.newTask().newRunRecorder(), map[string][]string{}
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
			if differs := w.newTask().newRunRecorder().listDifferences(run); len(differs) > 0 {
				return fmt.Errorf("%s: run %s has another %v than this worker", u.String(), u.Run, differs)
			}
			mu.Lock()
			if work, ok = known[u.Run]; !ok {
				if len(known) >= maxKnownRuns {
					clear(known)
				}
				work = w.newTask().workOn(run)
				known[u.Run] = work
			}
			mu.Unlock()
		}
		return work(ctx, u)
	}
}

// workOn returns the function that does units of a run, of any kind, that another process leads. Use one value for all units of a
// run, since it remembers that the service is unreachable.
func (t *task) workOn(run *ledger.Run) queue.Work {
	puller, outcome := t.newPuller(), &pull.Outcome{}
	return func(ctx context.Context, u ledger.WorkUnit) error {
		switch u.Kind {
		case ledger.PullUnit, ledger.RangeUnit:
			return puller.DoUnit(ctx, run, u, outcome)
		case ledger.ReconcileUnit:
			return t.newReconciler(nil).doUnit(ctx, run, u)
		case ledger.RenderUnit:
			return t.newSetPublisher().RenderUnit(ctx, run, u)
		}
		return fmt.Errorf("%s: this program knows no such work", u.String())
	}
}
