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

// lookAgain is how often the process that leads a run looks what the workers have done, when it has nothing else to do.
const lookAgain = 200 * time.Millisecond

// Do offers the units to the workers, works on them itself, and returns when each is done or failed, whoever did it. The
// units must be of one run and planned in the ledger. The first error of this process's own work ends it; on an error of
// a worker the unit is given back and delivered again.
func (r *River) Do(ctx context.Context, units []ledger.WorkUnit, work Work) error {
	if len(units) == 0 {
		return context.Cause(ctx)
	}
	d := newDoing(r, units)
	if err := d.look(ctx); err != nil {
		return err
	}
	jobs, err := r.offer(ctx, d.open)
	defer func() { r.withdraw(ctx, jobs) }()
	if err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	for range r.atOnce(units) {
		group.Go(func() error { return d.work(inner, work) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// atOnce is how many of the units this process does at a time.
func (r *River) atOnce(units []ledger.WorkUnit) int {
	if slices.ContainsFunc(units, func(u ledger.WorkUnit) bool { return heavy(u.Kind) }) {
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

// doing is one call of Do.
type doing struct {
	r      *River
	run    string
	filter runs.UnitFilter
	place  map[unitKey]int // in the order in which they were handed in
	try    map[unitKey]int // attempts before

	mu     sync.Mutex        // guards what follows
	open   []ledger.WorkUnit // not worked on to an end when last looked, in order
	looked time.Time
	stale  bool // somebody else has got on since
	mine   map[unitKey]bool
}

func newDoing(r *River, units []ledger.WorkUnit) *doing {
	d := &doing{
		r: r, run: units[0].Run, place: map[unitKey]int{}, try: map[unitKey]int{}, mine: map[unitKey]bool{},
	}
	for i := range units {
		d.place[keyOf(&units[i])] = i
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

// look reads which units are not worked on to an end. The first look tells how often each had been tried.
func (d *doing) look(ctx context.Context) error {
	first := len(d.try) == 0
	if !first {
		// What is done stays done, and is not read again.
		d.filter.States = []ledger.UnitState{ledger.UnitPlanned, ledger.UnitLeased, ledger.UnitFailed}
	}
	units, err := d.r.Ledger.Units(ctx, d.run, d.filter)
	if err != nil {
		return err
	}
	was := d.open
	d.open = nil
	for i := range units {
		u := &units[i]
		k := keyOf(u)
		if _, ok := d.place[k]; !ok {
			continue
		}
		if first {
			d.try[k] = u.Attempts
		}
		if !ended(u, d.try[k]) {
			d.open = append(d.open, *u)
		}
	}
	slices.SortFunc(d.open, func(a, b ledger.WorkUnit) int { return cmp.Compare(d.place[keyOf(&a)], d.place[keyOf(&b)]) })
	d.looked, d.stale = d.r.Now(), false
	d.tell(was)
	return nil
}

// tell says which units others have worked on to an end since the last look.
func (d *doing) tell(was []ledger.WorkUnit) {
	if d.r.Elsewhere == nil {
		return
	}
	still := map[unitKey]bool{}
	for i := range d.open {
		still[keyOf(&d.open[i])] = true
	}
	for i := range was {
		if k := keyOf(&was[i]); !still[k] && !d.mine[k] {
			d.r.Elsewhere(was[i])
		}
	}
}

// work does units until none is left to do.
func (d *doing) work(ctx context.Context, work Work) error {
	for {
		u, ok, err := d.next(ctx)
		if err != nil || !ok {
			return err
		}
		taken, err := d.r.attempt(ctx, u, false, work)
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

// next gives the first unit that is free, waiting for one; ok is false when every unit was worked on to an end.
func (d *doing) next(ctx context.Context) (u ledger.WorkUnit, ok bool, err error) {
	for {
		u, ok, left, err := d.pick(ctx)
		if err != nil || ok || !left {
			return u, ok, err
		}
		select {
		case <-ctx.Done():
			return u, false, context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}

// pick takes the first free unit off the list, after a look where the list is old; left says whether any is not worked on
// to an end.
func (d *doing) pick(ctx context.Context) (u ledger.WorkUnit, ok, left bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stale || !d.free() && d.r.Now().Sub(d.looked) >= lookAgain {
		if err := d.look(ctx); err != nil {
			return u, false, false, err
		}
	}
	for i := range d.open {
		if !d.may(&d.open[i]) {
			continue
		}
		u = d.open[i]
		// Until the next look it is nobody else's to pick.
		d.open[i].State, d.open[i].Until = ledger.UnitLeased, d.r.Now().Add(UnitLife)
		return u, true, true, nil
	}
	return u, false, len(d.open) > 0, nil
}

// free says whether the list has a unit that may be picked.
func (d *doing) free() bool {
	return slices.ContainsFunc(d.open, func(u ledger.WorkUnit) bool { return d.may(&u) })
}

// may says whether a unit may be picked: nobody is at it, as far as the list knows, or the one who was gave no word of it
// for too long.
func (d *doing) may(u *ledger.WorkUnit) bool {
	if d.r.hands.has(u) {
		return false
	}
	return u.State != ledger.UnitLeased || d.r.Now().After(u.Until)
}
