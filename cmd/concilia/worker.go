package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/queue"
)

// strangersEvery is how often a worker looks for runs whose units it may not do.
const strangersEvery = 10 * time.Second

func newWorker(g *globals) *cobra.Command {
	parallel := parallelWindows
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "take work from the runs of other processes until stopped",
		Long: `worker takes units of work from runs that run, backfill and serve lead on the same ledger: it pulls windows, judges
accounts, and renders, proves and publishes the sets of an account. Any number of workers, on any number of machines,
share one PostgreSQL and, through it, the rate limit of the service's credential. A worker takes units only from runs of
the same program version with the same service, accounts, contract, mapping, profile, rules, calendars and report settings
as its own; other runs it ignores, with one line in its log.

A worker publishes what it renders to its own reports.out, which must be the same share as everywhere else, mounted
anywhere. While a run publishes, its folder contains a directory with a random name; a worker that does not find it leaves
the files of that run to others, as does one whose bucket or server has another address. Its log and runs show say so.

When it is told to stop, it takes no more units, gives those it has begun up to 30 seconds to finish, and ends. Unfinished
units, and those of a worker that died, go to others.

Exit status: 0 stopped by a signal; 40 configuration, refused credentials, or a ledger on SQLite, which cannot be shared;
50 the ledger is unreachable; 2 usage.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if parallel < 1 || parallel > maxParallel {
				return usageErrorf(fmt.Sprintf("give 1 to %d", maxParallel), "--parallel %d", parallel)
			}
			return g.serveUnits(cmd.Context(), parallel)
		},
	}
	cmd.Flags().IntVar(&parallel, "parallel", parallel, "windows asked for at once, `N`")
	return cmd
}

// maxParallel bounds the windows a process asks for at once: beyond it the pace of the service decides.
const maxParallel = 64

// serveUnits does units until ctx ends.
func (g *globals) serveUnits(ctx context.Context, parallel int) error {
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		return err
	}
	if !isPostgres(c) {
		return &inputError{"ledger.dsn", errors.New("workers share a ledger on PostgreSQL (postgres://…); on SQLite one process alone works, with units of its own")}
	}
	logger := newLog(g.stderr, g.quiet, c.Log)
	g.daemon, g.meters = &logger, newMeters()
	w, done, err := g.wireWorker(ctx, wantService|wantTarget, func(w *jobs.Worker) error {
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
	defer g.startWatchListener(c, nil, logger)()
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
