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

// pollInterval is how often the process that leads a run looks what the workers have done, when it has nothing else to do.
const pollInterval = 200 * time.Millisecond

// Do offers the units to the workers, works on them itself, and returns when each is done or failed, whoever did it. The
// units must be of one run and planned in the ledger. The first error of this process's own work ends it; on an error of
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

// parallelUnits is how many of the units this process does at a time.
func (r *River) parallelUnits(units []ledger.WorkUnit) int {
	if slices.ContainsFunc(units, func(u ledger.WorkUnit) bool { return isHeavy(u.Kind) }) {
		return 1
	}
	return max(1, r.Parallel())
}

// unitKey is what tells the units of one run apart.
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
	position map[unitKey]int // in the order in which they were handed in
	attempts map[unitKey]int // attempts before

	mu         sync.Mutex        // guards what follows
	unfinished []ledger.WorkUnit // not worked on to an end when last looked, in order
	readAt     time.Time
	stale      bool // somebody else has got on since
	mine       map[unitKey]bool
}

func newDoCall(r *River, units []ledger.WorkUnit) *doCall {
	d := &doCall{
		river: r, run: units[0].Run, position: map[unitKey]int{}, attempts: map[unitKey]int{}, mine: map[unitKey]bool{},
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

// readUnits reads which units are not worked on to an end. The first look tells how often each had been tried.
func (d *doCall) readUnits(ctx context.Context) error {
	first := len(d.attempts) == 0
	if !first {
		// What is done stays done, and is not read again.
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

// reportFinished says which units others have worked on to an end since the last look.
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

// workThrough does units until none is left to do.
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
		} else {
			d.stale = true
		}
		d.mu.Unlock()
	}
}

// nextUnit gives the first unit that is free, waiting for one; ok is false when every unit was worked on to an end.
func (d *doCall) nextUnit(ctx context.Context) (u ledger.WorkUnit, ok bool, err error) {
	for {
		u, ok, left, err := d.pickUnit(ctx)
		if err != nil || ok || !left {
			return u, ok, err
		}
		select {
		case <-ctx.Done():
			return u, false, context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}

// pickUnit takes the first free unit off the list, after a look where the list is old; left says whether any is not worked on
// to an end.
func (d *doCall) pickUnit(ctx context.Context) (u ledger.WorkUnit, ok, left bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stale || !d.hasFreeUnit() && d.river.Now().Sub(d.readAt) >= pollInterval {
		if err := d.readUnits(ctx); err != nil {
			return u, false, false, err
		}
	}
	for i := range d.unfinished {
		if !d.isFree(&d.unfinished[i]) {
			continue
		}
		u = d.unfinished[i]
		// Until the next look it is nobody else's to pick.
		d.unfinished[i].State, d.unfinished[i].Until = ledger.UnitLeased, d.river.Now().Add(UnitLife)
		return u, true, true, nil
	}
	return u, false, len(d.unfinished) > 0, nil
}

// hasFreeUnit says whether the list has a unit that may be picked.
func (d *doCall) hasFreeUnit() bool {
	return slices.ContainsFunc(d.unfinished, func(u ledger.WorkUnit) bool { return d.isFree(&u) })
}

// isFree says whether a unit may be picked: nobody is at it, as far as the list knows, or the one who was gave no word of it
// for too long.
func (d *doCall) isFree(u *ledger.WorkUnit) bool {
	if d.river.inProgress.hasUnit(u) {
		return false
	}
	return u.State != ledger.UnitLeased || d.river.Now().After(u.Until)
}
