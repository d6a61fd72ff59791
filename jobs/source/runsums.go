package source

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// RunSums remembers what the ledger summed as of a run. That does not change, so the sets of a run, of each account and of
// all together, and what the run says at its end, add up from sums that were computed once. It is for one run, and safe for
// concurrent use. nil remembers nothing.
type RunSums struct {
	mu    sync.Mutex
	known map[string]*knownSums
}

// knownSums are the sums of one table; whoever comes first computes them, and the others wait.
type knownSums struct {
	mu   sync.Mutex
	sums *reports.Sums
}

// Sum is Ledger.Sums. The sums of a query without a run are computed each time.
func (r *RunSums) Sum(ctx context.Context, l *store.Ledger, q reports.Query, table string, unit ledger.Unit) (reports.Sums, error) {
	if r == nil || q.AsOfRun == "" {
		return l.Sums(ctx, q, table, unit)
	}
	k := r.findOrAdd(fmt.Sprintf("%+v %s %v", q, table, unit))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sums == nil {
		sums, err := l.Sums(ctx, q, table, unit)
		if err != nil {
			return sums, err
		}
		k.sums = &sums
	}
	return reports.Sums{Rows: k.sums.Rows, Columns: maps.Clone(k.sums.Columns)}, nil
}

// SumAhead sums the tables in the background, for a set that will most likely ask for them: rows and sums are then read at the
// same time. stop ends it and returns when it has ended. An error is left to whoever asks again. Without Known it does nothing.
func (f *ReportSource) SumAhead(ctx context.Context, tables []string) (stop func()) {
	if f.Known == nil || f.Query.AsOfRun == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, t := range tables {
			if _, err := f.Sums(ctx, t); err != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (r *RunSums) findOrAdd(key string) *knownSums {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = make(map[string]*knownSums)
	}
	if r.known[key] == nil {
		r.known[key] = &knownSums{}
	}
	return r.known[key]
}
