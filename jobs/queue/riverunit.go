package queue

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"concilia/store/ledger"
)

// UnitLife is how long the lease of a unit lasts unless its worker renews it.
const UnitLife = 15 * time.Second

const (
	// unitWord is how often that word is given.
	unitWord = 5 * time.Second
	// mostWhy bounds what is kept of an error for which a unit was given back.
	mostWhy = 300
	// releaseTime bounds the giving back of a unit by a process that ends.
	releaseTime = 5 * time.Second
)

// ErrLost is returned by work when another worker has taken its unit over, because this one did not renew its lease. It
// is not an error of the queue: the unit belongs to the other worker.
var ErrLost = errors.New("another worker has taken the unit over")

// errNotLed ends the work on a unit of a run that no process leads any more.
var errNotLed = errors.New("no process leads the run any more")

// unitArgs is a unit as River keeps it. Try is the number of attempts there had been when it was offered: what failed
// then is offered anew by the same run, and what was offered is not offered twice.
type unitArgs struct {
	Account int64  `json:"account"`
	Run     string `json:"run"`
	Unit    string `json:"unit"`
	What    string `json:"what"`
	Try     int    `json:"try"`
}

// Kind is the name of the jobs at River.
func (unitArgs) Kind() string { return "unit" }

func argsOf(u *ledger.WorkUnit) unitArgs {
	return unitArgs{int64(u.Account), u.Run, string(u.Kind), u.What, u.Attempts}
}

func (a unitArgs) key() ledger.WorkUnit {
	return ledger.WorkUnit{Account: ledger.Account(a.Account), Run: a.Run, Kind: ledger.UnitKind(a.Unit), What: a.What}
}

// ended says whether a unit was worked on to an end since it had been tried so often.
func ended(u *ledger.WorkUnit, try int) bool {
	return u.State == ledger.UnitDone || u.State == ledger.UnitFailed && u.Attempts > try
}

// hands are the units this process is at, so that it begins none twice: to the ledger all its goroutines are one worker.
type hands struct {
	mu   sync.Mutex
	held map[string]bool
}

// take takes a unit in hand, and is nil when it is there already; what it gives lets it go.
func (h *hands) take(u *ledger.WorkUnit) (free func()) {
	name := handed(u)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[name] {
		return nil
	}
	h.held[name] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.held, name)
	}
}

func (h *hands) has(u *ledger.WorkUnit) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held[handed(u)]
}

func handed(u *ledger.WorkUnit) string { return u.Run + " " + u.String() }

// attempt does a unit unless somebody else is at it, or has done it. It is leased while work is under way, in the name that
// work finds in the unit, and given back when work gives up. With led, work ends as soon as no process leads the run.
func (r *River) attempt(ctx context.Context, u ledger.WorkUnit, led bool, work Work) (taken bool, err error) {
	free := r.hands.take(&u)
	if free == nil {
		return false, nil
	}
	defer free()
	if taken, err := r.Ledger.Claim(ctx, u, r.Worker, UnitLife); err != nil || !taken {
		return false, err
	}
	u.Worker = r.Worker
	inner, stop := context.WithCancelCause(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() { r.keep(inner, u, led, stop) })
	err = work(inner, u)
	why := ""
	switch {
	case err != nil && inner.Err() != nil:
		err = context.Cause(inner)
	case err != nil:
		why = r.Worker + ": " + err.Error()
	}
	stop(nil)
	keeper.Wait()
	if err == nil {
		return true, nil
	}
	if errors.Is(err, ErrLost) {
		return false, nil
	}
	// Whoever comes next need not wait until the lease is over. If this fails, he waits.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	_ = r.Ledger.GiveBack(back, u, r.Worker, strings.ToValidUTF8(why[:min(len(why), mostWhy)], ""))
	return true, err
}

// keep keeps the lease of a unit alive until ctx ends.
func (r *River) keep(ctx context.Context, u ledger.WorkUnit, led bool, stop context.CancelCauseFunc) {
	tick := time.NewTicker(unitWord)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// An error here may pass; what the unit does checks for itself whether it may still be kept.
		if mine, err := r.Ledger.Prolong(ctx, u, r.Worker, UnitLife); err == nil && !mine && r.lost(ctx, u) {
			stop(ErrLost)
			return
		}
		if !led {
			continue
		}
		if there, err := r.Ledger.Led(ctx, u.Run, u.Account); err == nil && !there {
			stop(errNotLed)
			return
		}
	}
}

// lost says whether another worker is at the unit. One that is done is nobody's: its work is about to return.
func (r *River) lost(ctx context.Context, u ledger.WorkUnit) bool {
	now, err := r.Ledger.Unit(ctx, u)
	return err == nil && now.State == ledger.UnitLeased && now.Worker != r.Worker
}
