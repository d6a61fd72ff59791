package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/queue"

	"github.com/rs/zerolog"
)

// Work does units until ctx ends.
func Work(ctx context.Context, proc *wire.Process, parallel int) error {
	c, err := config.LoadOffline(proc.ConfigPath, proc.Lookup)
	if err != nil {
		return err
	}
	if !wire.IsPostgres(c) {
		return exit.NewInputError("ledger.dsn", words.NewFault("error.worker_needs_postgres", ""))
	}
	logger := progress.NewLog(proc.Stderr, proc.Quiet, c.Log)
	proc.Logger, proc.Meters = &logger, metrics.NewMeters()
	w, done, err := proc.WireWorker(ctx, wire.WantService|wire.WantTarget, func(w *jobs.Worker) error {
		w.Parallel, w.Progress = parallel, jobs.Silent{}
		return nil
	})
	if err != nil {
		return err
	}
	defer done()
	river, ok := w.Queue.(*queue.River)
	if !ok {
		return errors.New("work for the queue: it was not wired")
	}
	defer startWatchListener(proc, c, nil, nil, logger)()
	logger.Info().Int("parallel", parallel).Int("accounts", len(w.Accounts)).Str("group", river.Group).Msg("working")
	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		nameStrangers(watch, w, logger)
	}()
	err = river.Work(ctx, w.NewRemoteWork())
	stop()
	<-watched
	if err == nil {
		logger.Info().Msg("ended")
	}
	return err
}

// nameStrangers logs, once for each run whose units this worker leaves, why it does.
func nameStrangers(ctx context.Context, w *jobs.Worker, logger zerolog.Logger) {
	named := map[string]bool{}
	tick := time.NewTicker(strangersEvery)
	defer tick.Stop()
	for {
		strangers, err := w.ListForeignRuns(ctx)
		if err != nil && ctx.Err() == nil {
			logger.Warn().Err(err).Msg("could not look for runs by other documents")
		}
		for run, differs := range strangers {
			if !named[run] {
				logger.Warn().Str("run", run).Str("differs", strings.Join(differs, ", ")).
					Msg("its units are left to others: it goes by other documents than this worker")
			}
		}
		// Runs that are over are forgotten.
		clear(named)
		for run := range strangers {
			named[run] = true
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// strangersEvery is how often a worker looks for runs whose units it may not do.
const strangersEvery = 10 * time.Second
