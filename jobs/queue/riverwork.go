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
	// drainTimeout is how long a stopping worker may continue its units. After that they are interrupted, and another
	// worker starts them again.
	drainTimeout = 30 * time.Second
	// fetchPause is the minimum time between two fetches of jobs, fetchPoll the maximum without a notification of new ones.
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
	// River stops gracefully when ctx ends: it interrupts running units only after drainTimeout.
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

// unitWorker does River's jobs, each of which is a unit.
type unitWorker struct {
	river.WorkerDefaults[unitArgs]
	river *River
	work  Work
	fatal chan<- error
}

// Timeout returns how long a unit may take. After that it is interrupted and started again.
func (w *unitWorker) Timeout(job *river.Job[unitArgs]) time.Duration {
	if ledger.UnitKind(job.Args.Unit) == ledger.PullUnit {
		return pullTimeout
	}
	return longTimeout
}

// Work does one unit. A job ends when its unit is done, leased by another worker, or no longer part of a led run: the process
// that leads the run watches the unit, not the job.
func (w *unitWorker) Work(ctx context.Context, job *river.Job[unitArgs]) error {
	key := job.Args.toUnit()
	led, err := w.river.Ledger.HasLeader(ctx, key.Run, key.Account)
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

// handleError returns the error by which River decides what to do with the job of a unit that failed with err.
func (w *unitWorker) handleError(ctx context.Context, u ledger.WorkUnit, err error) error {
	var locked *runs.LockedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &locked), errors.Is(err, runs.ErrNoLease), errors.Is(err, errNoLeader):
		// The run has lost the account or its leader, so no process may do the unit.
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
	// renewInterval is how often the lease is renewed.
	renewInterval = 5 * time.Second
	// maxReason bounds the bytes kept of the error for which a unit was given back.
	maxReason = 300
	// releaseTimeout bounds the release of units and jobs by a process that ends.
	releaseTimeout = 5 * time.Second
)

// ErrLeaseLost is returned by work when another worker has taken its unit over, because this one did not renew its lease. It
// is not an error of the queue: the unit belongs to the other worker.
var ErrLeaseLost = errors.New("another worker has taken the unit over")

// errNoLeader ends the work on a unit because no process leads its run any more.
var errNoLeader = errors.New("no process leads the run any more")

// unitArgs are the arguments of a unit's job. Try is the number of attempts before the offer: so a unit that failed is offered
// again by the same run, and an offered one is not offered twice.
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

// isFinished reports whether a unit is done, or has failed after more than try attempts.
func isFinished(u *ledger.WorkUnit, try int) bool {
	return u.State == ledger.UnitDone || u.State == ledger.UnitFailed && u.Attempts > try
}

// unitSet holds the units that this process is working on, so that it starts none twice: in the ledger all its goroutines are
// one worker.
type unitSet struct {
	mu    sync.Mutex
	names map[string]bool
}

// addUnit adds a unit and returns the function that removes it, or nil if the set contains it already.
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

// attemptUnit does a unit unless another worker has its lease or has done it. It holds the lease while work runs, as the Worker
// of the unit, and gives the unit back if work fails. With led, work is cancelled as soon as no process leads the run.
func (r *River) attemptUnit(ctx context.Context, u ledger.WorkUnit, led bool, work Work) (taken bool, err error) {
	free := r.inProgress.addUnit(&u)
	if free == nil {
		return false, nil
	}
	defer free()
	if taken, err := r.Ledger.ClaimUnit(ctx, u, r.Worker, UnitLife); err != nil || !taken {
		return false, err
	}
	u.Worker = r.Worker
	inner, stop := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { r.keepLease(inner, u, led, stop) })
	err = work(inner, u)
	why := ""
	switch {
	case err != nil && inner.Err() != nil:
		err = context.Cause(inner)
	case err != nil:
		why = r.Worker + ": " + err.Error()
	}
	stop(nil)
	renewing.Wait()
	if err == nil {
		return true, nil
	}
	if errors.Is(err, ErrLeaseLost) {
		return false, nil
	}
	// So the next worker need not wait for the end of the lease. If this fails, it waits.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = r.Ledger.ReleaseUnit(back, u, r.Worker, strings.ToValidUTF8(why[:min(len(why), maxReason)], ""))
	return true, err
}

// keepLease renews the lease of a unit until ctx ends. It calls stop if the unit was taken over, or the run has no leader.
func (r *River) keepLease(ctx context.Context, u ledger.WorkUnit, led bool, stop context.CancelCauseFunc) {
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// An error may be temporary. The work itself checks the lease before it stores a result.
		if mine, err := r.Ledger.ExtendUnitLease(ctx, u, r.Worker, UnitLife); err == nil && !mine && r.isTakenOver(ctx, u) {
			stop(ErrLeaseLost)
			return
		}
		if !led {
			continue
		}
		if there, err := r.Ledger.HasLeader(ctx, u.Run, u.Account); err == nil && !there {
			stop(errNoLeader)
			return
		}
	}
}

// isTakenOver reports whether another worker has the lease of the unit. A unit that is done has none: its work is about to
// return.
func (r *River) isTakenOver(ctx context.Context, u ledger.WorkUnit) bool {
	now, err := r.Ledger.Unit(ctx, u)
	return err == nil && now.State == ledger.UnitLeased && now.Worker != r.Worker
}
