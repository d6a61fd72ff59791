package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

const (
	// drainTimeout is how long a worker that is told to end goes on with what it has begun; then that is broken off, which
	// does no harm but that it is begun anew elsewhere.
	drainTimeout = 30 * time.Second
	// fetchPause is the least time between two questions for jobs, fetchPoll the longest when nobody says that there are any.
	fetchPause = 10 * time.Millisecond
	fetchPoll  = time.Second
)

// Work does units of runs that other processes lead until ctx ends, and finishes those in progress. It returns nil when
// ctx ends, or the first fatal error.
func (r *River) Work(ctx context.Context, work Work) error {
	fatal := make(chan error, 1)
	workers := river.NewWorkers()
	river.AddWorker(workers, &unitWorker{river: r, work: work, fatal: fatal})
	client, err := river.NewClient(riverpgxv5.New(r.pool), &river.Config{
		Queues: map[string]river.QueueConfig{
			r.queueName(ledger.PullUnit):      {MaxWorkers: max(1, r.Parallel())},
			r.queueName(ledger.ReconcileUnit): {MaxWorkers: 1},
		},
		FetchCooldown: fetchPause, FetchPollInterval: fetchPoll,
		Workers: workers, Logger: r.Log, MaxAttempts: jobAttempts,
		JobTimeout: pullTimeout, RescueStuckJobsAfter: rescueAge, SoftStopTimeout: drainTimeout,
	})
	if err != nil {
		return fmt.Errorf("work for the queue: %w", err)
	}
	// The end of ctx is a wish, not an order: River breaks off what runs only after the time to drain.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("work for the queue: %w", err)
	}
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-fatal:
	}
	if err := client.Stop(context.WithoutCancel(ctx)); err != nil && failed == nil {
		return fmt.Errorf("end the work for the queue: %w", err)
	}
	return failed
}

// unitWorker does the jobs of River that are units.
type unitWorker struct {
	river.WorkerDefaults[unitArgs]
	river *River
	work  Work
	fatal chan<- error
}

// Timeout is how long a unit may take. Whatever lasts longer is broken off and begun again.
func (w *unitWorker) Timeout(job *river.Job[unitArgs]) time.Duration {
	if ledger.UnitKind(job.Args.Unit) == ledger.PullUnit {
		return pullTimeout
	}
	return longTimeout
}

// Work does one unit. A job is over when its unit is done, or somebody else's, or nobody's any more: the process that
// leads the run watches over the unit, not over the job.
func (w *unitWorker) Work(ctx context.Context, job *river.Job[unitArgs]) error {
	key := job.Args.toUnit()
	led, err := w.river.Ledger.Led(ctx, key.Run, key.Account)
	if err != nil {
		return err
	}
	if !led {
		return river.JobCancel(errNoLeader)
	}
	u, err := w.river.Ledger.Unit(ctx, key)
	switch {
	case errors.Is(err, sqldb.ErrNotFound):
		return river.JobCancel(err)
	case err != nil:
		return err
	case isFinished(&u, job.Args.Try):
		return nil
	}
	_, err = w.river.attemptUnit(ctx, u, true, w.work)
	return w.handleError(ctx, u, err)
}

// handleError says to River what an error of a unit means.
func (w *unitWorker) handleError(ctx context.Context, u ledger.WorkUnit, err error) error {
	var locked *runs.LockedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &locked), errors.Is(err, runs.ErrNotHeld), errors.Is(err, errNoLeader):
		// The run has lost the account, or its leader: the unit is nobody's.
		return river.JobCancel(err)
	case ctx.Err() != nil:
		return err
	}
	w.river.Log.LogAttrs(ctx, slog.LevelWarn, "a unit failed here and was given back", slog.String("run", u.Run),
		slog.String("unit", u.String()), slog.String("error", err.Error()))
	if w.river.Fatal != nil && w.river.Fatal(err) {
		select {
		case w.fatal <- err:
		default: // one is enough
		}
	}
	return err
}

// UnitLife is how long the lease of a unit lasts unless its worker renews it.
const UnitLife = 15 * time.Second

const (
	// renewInterval is how often that word is given.
	renewInterval = 5 * time.Second
	// maxReason bounds what is kept of an error for which a unit was given back.
	maxReason = 300
	// releaseTimeout bounds the giving back of a unit by a process that ends.
	releaseTimeout = 5 * time.Second
)

// ErrLeaseLost is returned by work when another worker has taken its unit over, because this one did not renew its lease. It
// is not an error of the queue: the unit belongs to the other worker.
var ErrLeaseLost = errors.New("another worker has taken the unit over")

// errNoLeader ends the work on a unit of a run that no process leads any more.
var errNoLeader = errors.New("no process leads the run any more")

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

func (a unitArgs) toUnit() ledger.WorkUnit {
	return ledger.WorkUnit{Account: ledger.Account(a.Account), Run: a.Run, Kind: ledger.UnitKind(a.Unit), What: a.What}
}

// isFinished says whether a unit was worked on to an end since it had been tried so often.
func isFinished(u *ledger.WorkUnit, try int) bool {
	return u.State == ledger.UnitDone || u.State == ledger.UnitFailed && u.Attempts > try
}

// unitSet are the units this process is at, so that it begins none twice: to the ledger all its goroutines are one worker.
type unitSet struct {
	mu    sync.Mutex
	names map[string]bool
}

// addUnit takes a unit in hand, and is nil when it is there already; what it gives lets it go.
func (h *unitSet) addUnit(u *ledger.WorkUnit) (free func()) {
	name := unitName(u)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return nil
	}
	h.names[name] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.names, name)
	}
}

func (h *unitSet) hasUnit(u *ledger.WorkUnit) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[unitName(u)]
}

func unitName(u *ledger.WorkUnit) string { return u.Run + " " + u.String() }

// attemptUnit does a unit unless somebody else is at it, or has done it. It is leased while work is under way, in the name that
// work finds in the unit, and given back when work gives up. With led, work ends as soon as no process leads the run.
func (r *River) attemptUnit(ctx context.Context, u ledger.WorkUnit, led bool, work Work) (taken bool, err error) {
	free := r.inProgress.addUnit(&u)
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
	keeper.Go(func() { r.keepLease(inner, u, led, stop) })
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
	if errors.Is(err, ErrLeaseLost) {
		return false, nil
	}
	// Whoever comes next need not wait until the lease is over. If this fails, he waits.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = r.Ledger.GiveBack(back, u, r.Worker, strings.ToValidUTF8(why[:min(len(why), maxReason)], ""))
	return true, err
}

// keepLease keeps the lease of a unit alive until ctx ends.
func (r *River) keepLease(ctx context.Context, u ledger.WorkUnit, led bool, stop context.CancelCauseFunc) {
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// An error here may pass; what the unit does checks for itself whether it may still be kept.
		if mine, err := r.Ledger.Prolong(ctx, u, r.Worker, UnitLife); err == nil && !mine && r.isTakenOver(ctx, u) {
			stop(ErrLeaseLost)
			return
		}
		if !led {
			continue
		}
		if there, err := r.Ledger.Led(ctx, u.Run, u.Account); err == nil && !there {
			stop(errNoLeader)
			return
		}
	}
}

// isTakenOver says whether another worker is at the unit. One that is done is nobody's: its work is about to return.
func (r *River) isTakenOver(ctx context.Context, u ledger.WorkUnit) bool {
	now, err := r.Ledger.Unit(ctx, u)
	return err == nil && now.State == ledger.UnitLeased && now.Worker != r.Worker
}
