package source

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"concilia/export/report"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/reportsums"
)

// RunSums remembers what the ledger summed as of a run. That does not change, so the sets of a run, of each account and of
// all together, and what the run says at its end, add up from sums that were computed once. It is for one run, and safe for
// concurrent use. nil remembers nothing.
type RunSums struct {
	mu       sync.Mutex
	tables   map[string]*onceRead[map[string]reports.Sums] // those that are summed together under one key
	leftOut  map[string]*onceRead[leftOutRows]
	bridges  map[string]*onceRead[[]ledger.BridgeRow]
	notDue   map[string]*onceRead[[]reports.NotDue]
	forecast map[string]*onceRead[[]ledger.ForecastSum]
}

// leftOutRows are how many rows have no date of a basis.
type leftOutRows struct{ cards, slips int64 }

// onceRead is what was read from the ledger; the first caller reads it, and the others wait.
type onceRead[T any] struct {
	mu      sync.Mutex
	isKnown bool
	value   T
}

// get returns the value, and reads it unless it is known. What could not be read is read again by the next caller.
func (o *onceRead[T]) get(read func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isKnown {
		return o.value, nil
	}
	value, err := read()
	if err == nil {
		o.value, o.isKnown = value, true
	}
	return value, err
}

// findOrAdd returns what is known under a key, and adds it if nothing is.
func findOrAdd[T any](r *RunSums, known *map[string]*onceRead[T], key string) *onceRead[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *known == nil {
		*known = make(map[string]*onceRead[T])
	}
	if (*known)[key] == nil {
		(*known)[key] = &onceRead[T]{}
	}
	return (*known)[key]
}

// Sum is Ledger.Sums. The sums of a query without a run are computed each time.
func (r *RunSums) Sum(ctx context.Context, l *store.Ledger, q reports.Query, table string, unit ledger.Unit) (reports.Sums, error) {
	if r == nil || q.AsOfRun == "" {
		return l.Sums(ctx, q, table, unit)
	}
	key := fmt.Sprintf("%+v %s %v", q, reportsums.NameSummedTogether(table), unit)
	all, err := findOrAdd(r, &r.tables, key).get(func() (map[string]reports.Sums, error) {
		return l.SumTogether(ctx, q, table, unit)
	})
	sums := all[table]
	return reports.Sums{Rows: sums.Rows, Columns: maps.Clone(sums.Columns)}, err
}

// Differences is Ledger.Differences of every day, or of the slips alone.
func (r *RunSums) Differences(ctx context.Context, l *store.Ledger, a ledger.Account, slipsAlone bool) ([]ledger.BridgeRow, error) {
	read := func() ([]ledger.BridgeRow, error) {
		if slipsAlone {
			return l.SlipDifferences(ctx, a)
		}
		return l.Differences(ctx, a, ledger.Period{})
	}
	if r == nil {
		return read()
	}
	return findOrAdd(r, &r.bridges, fmt.Sprintf("%d %t", a, slipsAlone)).get(read)
}

// LeftOut is Ledger.LeftOut. It does not depend on the period of the query.
func (r *RunSums) LeftOut(ctx context.Context, l *store.Ledger, q reports.Query) (cards, slips int64, err error) {
	if r == nil || q.AsOfRun == "" {
		return l.LeftOut(ctx, q)
	}
	q.Period = ledger.Period{}
	rows, err := findOrAdd(r, &r.leftOut, fmt.Sprintf("%+v", q)).get(func() (rows leftOutRows, err error) {
		rows.cards, rows.slips, err = l.LeftOut(ctx, q)
		return rows, err
	})
	return rows.cards, rows.slips, err
}

// NotDue is Ledger.StateNotDue. It does not depend on the state set before.
func (r *RunSums) NotDue(ctx context.Context, l *store.Ledger, q reports.StateQuery) ([]reports.NotDue, error) {
	if r == nil {
		return l.StateNotDue(ctx, q)
	}
	q.Since = ""
	return findOrAdd(r, &r.notDue, fmt.Sprintf("%+v", q)).get(func() ([]reports.NotDue, error) { return l.StateNotDue(ctx, q) })
}

// Forecast is Ledger.ForecastSums, with the calendar of the query's account.
func (r *RunSums) Forecast(
	ctx context.Context, l *store.Ledger, q reports.Query, netOfSplits bool, adjust func(ledger.Date) ledger.Date,
) ([]ledger.ForecastSum, error) {
	read := func() ([]ledger.ForecastSum, error) { return l.ForecastSums(ctx, q, netOfSplits, adjust) }
	if r == nil {
		return read()
	}
	return findOrAdd(r, &r.forecast, fmt.Sprintf("%+v %t", q, netOfSplits)).get(read)
}

// SumAhead sums the tables in the background, for a set that will most likely ask for them: rows and sums are then read at the
// same time. stop ends it and returns when it has ended. An error is returned to the next caller. Without Known it does nothing.
// It is called before anything is asked of the source.
func (f *ReportSource) SumAhead(ctx context.Context, tables []string) (stop func()) {
	if f.Known == nil || f.Query.AsOfRun == "" {
		return func() {}
	}
	f.ahead = make(map[string]*onceRead[report.Sums], len(tables))
	for _, t := range tables {
		f.ahead[t] = &onceRead[report.Sums]{}
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
