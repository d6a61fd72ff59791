package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

const (
	// drainTime is how long a worker that is told to end goes on with what it has begun; then that is broken off, which
	// does no harm but that it is begun anew elsewhere.
	drainTime = 30 * time.Second
	// fetchPause is the least time between two questions for jobs, fetchPoll the longest when nobody says that there are any.
	fetchPause = 10 * time.Millisecond
	fetchPoll  = time.Second
)

// Work does units of runs that other processes lead until ctx ends, and finishes those in progress. It returns nil when
// ctx ends, or the first fatal error.
func (r *River) Work(ctx context.Context, work Work) error {
	fatal := make(chan error, 1)
	workers := river.NewWorkers()
	river.AddWorker(workers, &unitWorker{r: r, work: work, fatal: fatal})
	client, err := river.NewClient(riverpgxv5.New(r.pool), &river.Config{
		Queues: map[string]river.QueueConfig{
			r.queue(ledger.PullUnit):      {MaxWorkers: max(1, r.Parallel())},
			r.queue(ledger.ReconcileUnit): {MaxWorkers: 1},
		},
		FetchCooldown: fetchPause, FetchPollInterval: fetchPoll,
		Workers: workers, Logger: r.Log, MaxAttempts: jobAttempts,
		JobTimeout: pullTime, RescueStuckJobsAfter: rescueAge, SoftStopTimeout: drainTime,
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
	r     *River
	work  Work
	fatal chan<- error
}

// Timeout is how long a unit may take. Whatever lasts longer is broken off and begun again.
func (w *unitWorker) Timeout(job *river.Job[unitArgs]) time.Duration {
	if ledger.UnitKind(job.Args.Unit) == ledger.PullUnit {
		return pullTime
	}
	return longTime
}

// Work does one unit. A job is over when its unit is done, or somebody else's, or nobody's any more: the process that
// leads the run watches over the unit, not over the job.
func (w *unitWorker) Work(ctx context.Context, job *river.Job[unitArgs]) error {
	key := job.Args.key()
	led, err := w.r.Ledger.Led(ctx, key.Run, key.Account)
	if err != nil {
		return err
	}
	if !led {
		return river.JobCancel(errNotLed)
	}
	u, err := w.r.Ledger.Unit(ctx, key)
	switch {
	case errors.Is(err, sqldb.ErrNotFound):
		return river.JobCancel(err)
	case err != nil:
		return err
	case ended(&u, job.Args.Try):
		return nil
	}
	_, err = w.r.attempt(ctx, u, true, w.work)
	return w.after(ctx, u, err)
}

// after says to River what an error of a unit means.
func (w *unitWorker) after(ctx context.Context, u ledger.WorkUnit, err error) error {
	var locked *runs.LockedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &locked), errors.Is(err, runs.ErrNotHeld), errors.Is(err, errNotLed):
		// The run has lost the account, or its leader: the unit is nobody's.
		return river.JobCancel(err)
	case ctx.Err() != nil:
		return err
	}
	w.r.Log.LogAttrs(ctx, slog.LevelWarn, "a unit failed here and was given back", slog.String("run", u.Run),
		slog.String("unit", u.String()), slog.String("error", err.Error()))
	if w.r.Fatal != nil && w.r.Fatal(err) {
		select {
		case w.fatal <- err:
		default: // one is enough
		}
	}
	return err
}
