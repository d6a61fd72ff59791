package queue

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"concilia/store/ledger"
	"concilia/store/runs"
)

// pollInterval is how often the process that leads a run checks the units of the workers while it has nothing else to do.
const pollInterval = 200 * time.Millisecond

// Do offers the units to the workers, works on them itself, and returns when each is done or failed, in this process or
// another. The units must be of one run and planned in the ledger. The first error of this process's own work ends it; on an error of
// a worker the unit is given back and delivered again.
func (r *River) Do(ctx context.Context, units []ledger.WorkUnit, work Work) error {
	if len(units) == 0 {
		return context.Cause(ctx)
	}
	d := newDoCall(r, units)
	if err := d.readUnits(ctx); err != nil {
		return err
	}
	jobs, err := r.offerUnits(ctx, d.unfinished)
	defer func() { r.withdrawJobs(ctx, jobs) }()
	if err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	for range r.parallelUnits(units) {
		group.Go(func() error { return d.workThrough(inner, work) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// parallelUnits returns how many of the units this process does at a time.
func (r *River) parallelUnits(units []ledger.WorkUnit) int {
	if slices.ContainsFunc(units, func(u ledger.WorkUnit) bool { return isHeavy(u.Kind) }) {
		return 1
	}
	return max(1, r.Parallel())
}

// unitKey identifies a unit within its run.
type unitKey struct {
	account ledger.Account
	kind    ledger.UnitKind
	what    string
}

func keyOf(u *ledger.WorkUnit) unitKey { return unitKey{u.Account, u.Kind, u.What} }

// doCall is one call of Do.
type doCall struct {
	river    *River
	run      string
	filter   runs.UnitFilter
	position map[unitKey]int // position in the argument of Do
	attempts map[unitKey]int // attempts before this call

	mu         sync.Mutex        // guards the fields below
	unfinished []ledger.WorkUnit // units not finished when last read, in order
	readAt     time.Time
	stale      bool             // another worker has finished a unit since
	mine       map[unitKey]bool // units that this process has finished
	ended      chan struct{}    // closed when this process finishes the next unit
}

func newDoCall(r *River, units []ledger.WorkUnit) *doCall {
	d := &doCall{
		river: r, run: units[0].Run, position: map[unitKey]int{}, attempts: map[unitKey]int{}, mine: map[unitKey]bool{},
		ended: make(chan struct{}),
	}
	for i := range units {
		d.position[keyOf(&units[i])] = i
		if a := units[i].Account; !slices.Contains(d.filter.Accounts, a) {
			d.filter.Accounts = append(d.filter.Accounts, a)
		}
	}
	d.filter.Kind = units[0].Kind
	if slices.ContainsFunc(units, func(u ledger.WorkUnit) bool { return u.Kind != units[0].Kind }) {
		d.filter.Kind = ""
	}
	return d
}

// readUnits reads which units are not finished. The first call also records how often each had been attempted.
func (d *doCall) readUnits(ctx context.Context) error {
	first := len(d.attempts) == 0
	if !first {
		// Units that are done stay done and are not read again.
		d.filter.States = []ledger.UnitState{ledger.UnitPlanned, ledger.UnitLeased, ledger.UnitFailed}
	}
	units, err := d.river.Ledger.Units(ctx, d.run, d.filter)
	if err != nil {
		return err
	}
	was := d.unfinished
	d.unfinished = nil
	for i := range units {
		u := &units[i]
		k := keyOf(u)
		if _, ok := d.position[k]; !ok {
			continue
		}
		if first {
			d.attempts[k] = u.Attempts
		}
		if !isFinished(u, d.attempts[k]) {
			d.unfinished = append(d.unfinished, *u)
		}
	}
	slices.SortFunc(d.unfinished, func(a, b ledger.WorkUnit) int { return cmp.Compare(d.position[keyOf(&a)], d.position[keyOf(&b)]) })
	d.readAt, d.stale = d.river.Now(), false
	d.reportFinished(was)
	return nil
}

// reportFinished calls OnFinishedElsewhere for the units that other processes have finished since the last reading; was is
// the list of then.
func (d *doCall) reportFinished(was []ledger.WorkUnit) {
	if d.river.OnFinishedElsewhere == nil {
		return
	}
	still := map[unitKey]bool{}
	for i := range d.unfinished {
		still[keyOf(&d.unfinished[i])] = true
	}
	for i := range was {
		if k := keyOf(&was[i]); !still[k] && !d.mine[k] {
			d.river.OnFinishedElsewhere(was[i])
		}
	}
}

// workThrough does units until none is left.
func (d *doCall) workThrough(ctx context.Context, work Work) error {
	for {
		u, ok, err := d.nextUnit(ctx)
		if err != nil || !ok {
			return err
		}
		taken, err := d.river.attemptUnit(ctx, u, false, work)
		if err != nil {
			return err
		}
		d.mu.Lock()
		if k := keyOf(&u); taken {
			d.mine[k] = true
			close(d.ended)
			d.ended = make(chan struct{})
		} else {
			d.stale = true
		}
		d.mu.Unlock()
	}
}

// nextUnit returns the first free unit and waits for one if necessary; ok is false if every unit is finished.
func (d *doCall) nextUnit(ctx context.Context) (u ledger.WorkUnit, ok bool, err error) {
	for {
		u, ok, ended, err := d.pickUnit(ctx)
		if err != nil || ok || ended == nil {
			return u, ok, err
		}
		select {
		case <-ctx.Done():
			return u, false, context.Cause(ctx)
		case <-ended:
		case <-time.After(pollInterval):
		}
	}
}

// pickUnit picks the first free unit of the list, after reading the list again if it is old. If there is none, ended is closed when
// this process finishes the next one; it is nil if every unit is finished.
func (d *doCall) pickUnit(ctx context.Context) (u ledger.WorkUnit, ok bool, ended <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stale || !d.hasFreeUnit() && (d.hasOnlyMine() || d.river.Now().Sub(d.readAt) >= pollInterval) {
		if err := d.readUnits(ctx); err != nil {
			return u, false, nil, err
		}
	}
	for i := range d.unfinished {
		if !d.isFree(&d.unfinished[i]) {
			continue
		}
		u = d.unfinished[i]
		// Other goroutines must not pick it before the list is read again.
		d.unfinished[i].State, d.unfinished[i].Until = ledger.UnitLeased, d.river.Now().Add(UnitLife)
		return u, true, nil, nil
	}
	if len(d.unfinished) == 0 {
		return u, false, nil, nil
	}
	return u, false, d.ended, nil
}

// hasOnlyMine reports whether the list has units, all of which this process has finished.
func (d *doCall) hasOnlyMine() bool {
	return len(d.unfinished) > 0 && !slices.ContainsFunc(d.unfinished, func(u ledger.WorkUnit) bool { return !d.mine[keyOf(&u)] })
}

// hasFreeUnit reports whether the list has a free unit.
func (d *doCall) hasFreeUnit() bool {
	return slices.ContainsFunc(d.unfinished, func(u ledger.WorkUnit) bool { return d.isFree(&u) })
}

// isFree reports whether a unit may be picked: as far as the list shows, no worker has a lease of it, or the lease has expired.
func (d *doCall) isFree(u *ledger.WorkUnit) bool {
	if d.river.inProgress.hasUnit(u) {
		return false
	}
	return u.State != ledger.UnitLeased || d.river.Now().After(u.Until)
}
