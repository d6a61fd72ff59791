package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// RunSums remembers what the ledger summed as of a run. That does not change, so the sets of a run, of each account and of
// all together, and what the run says at its end, add up from sums that were computed once. It is for one run, and safe for
// concurrent use. nil remembers nothing.
type RunSums struct {
	mu       sync.Mutex
	known    map[string]*knownSums
	leftOut  map[string]*leftOutRows
	bridges  map[string]*knownBridge
	everyDay bool // differences are asked of all days at once
}

// leftOutRows are how many rows have no date of a basis; whoever comes first counts them, and the others wait.
type leftOutRows struct {
	mu           sync.Mutex
	isKnown      bool
	cards, slips int64
}

// knownBridge is the other side of a bridge; whoever comes first reads it, and the others wait.
type knownBridge struct {
	mu      sync.Mutex
	isKnown bool
	rows    []ledger.BridgeRow
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
	r.mu.Lock()
	k := findOrAdd(&r.known, fmt.Sprintf("%+v %s %v", q, table, unit))
	r.mu.Unlock()
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

// ReadEveryDay has Differences read all days of an account at once, for a run that asks for all of them anyway.
func (r *RunSums) ReadEveryDay() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.everyDay = true
}

// Differences is Ledger.Differences.
func (r *RunSums) Differences(ctx context.Context, l *store.Ledger, a ledger.Account, days ledger.Period) ([]ledger.BridgeRow, error) {
	if r == nil {
		return l.Differences(ctx, a, days)
	}
	read := days
	r.mu.Lock()
	if r.everyDay {
		read = ledger.Period{}
	}
	k := findOrAdd(&r.bridges, fmt.Sprintf("%d %v", a, read))
	r.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isKnown {
		rows, err := l.Differences(ctx, a, read)
		if err != nil {
			return nil, err
		}
		k.rows, k.isKnown = rows, true
	}
	if read == days {
		return k.rows, nil
	}
	return slices.DeleteFunc(slices.Clone(k.rows), func(b ledger.BridgeRow) bool { return !days.Contains(b.Day) }), nil
}

// LeftOut is Ledger.LeftOut. It does not depend on the period of the query.
func (r *RunSums) LeftOut(ctx context.Context, l *store.Ledger, q reports.Query) (cards, slips int64, err error) {
	if r == nil || q.AsOfRun == "" {
		return l.LeftOut(ctx, q)
	}
	q.Period = ledger.Period{}
	r.mu.Lock()
	k := findOrAdd(&r.leftOut, fmt.Sprintf("%+v", q))
	r.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isKnown {
		if k.cards, k.slips, err = l.LeftOut(ctx, q); err != nil {
			return 0, 0, err
		}
		k.isKnown = true
	}
	return k.cards, k.slips, nil
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

// findOrAdd returns what is known under a key, and adds it if nothing is.
func findOrAdd[T any](known *map[string]*T, key string) *T {
	if *known == nil {
		*known = make(map[string]*T)
	}
	if (*known)[key] == nil {
		(*known)[key] = new(T)
	}
	return (*known)[key]
}
