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
		Short: "do units of the runs of other processes, until it is told to end",
		Long: `worker does its share of the runs that other processes lead on the same ledger: it asks for windows, lets the
rules judge accounts, and renders, proves and publishes an account's sets, as run, backfill and serve hand them out. Any
number of workers, on any number of machines, share one PostgreSQL, and the pace of the service's credential with it. A
worker does units of runs by the same program, the same service, accounts, contract, mapping, profile, rules, calendars
and settings of reports as its own; runs by others it names once in its log, and leaves.

What it renders it publishes itself, to its own reports.out, which must be the same share, wherever it is mounted: while a
run publishes, there is a directory of a random name in its folder, and a worker that does not find it leaves the files of
that run to others; so does one whose bucket or server has another address. Its log and runs show say so.

Told to end, it takes no more, ends what it has begun, for 30 seconds at most, and ends. What it does not end, and what a
worker had in hand that died, is done by others.

Exit status: 0 it was told to end; 40 configuration, refused credentials, or a ledger on SQLite, which one process alone
works on; 50 the ledger is unreachable; 2 usage.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if parallel < 1 || parallel > maxParallel {
				return usage(fmt.Sprintf("give 1 to %d", maxParallel), "--parallel %d", parallel)
			}
			return g.work(cmd.Context(), parallel)
		},
	}
	cmd.Flags().IntVar(&parallel, "parallel", parallel, "windows asked for at once, `N`")
	return cmd
}

// maxParallel bounds the windows a process asks for at once: beyond it the pace of the service decides.
const maxParallel = 64

// work does units until ctx ends.
func (g *globals) work(ctx context.Context, parallel int) error {
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		return err
	}
	if !isPostgres(c) {
		return &inputError{"ledger.dsn", errors.New("workers share a ledger on PostgreSQL (postgres://…); on SQLite one process alone works, with units of its own")}
	}
	logger := newLog(g.stderr, g.quiet, c.Log)
	g.daemon, g.meters = &logger, newMeters()
	w, done, err := g.wire(ctx, wantService|wantTarget, func(w *jobs.Worker) error {
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
	defer g.watch(c, nil, logger)()
	logger.Info().Int("parallel", parallel).Int("accounts", len(w.Accounts)).Str("group", river.Group).Msg("working")
	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		nameStrangers(watch, w, logger)
	}()
	err = river.Work(ctx, w.RemoteWork())
	stop()
	<-watched
	if err == nil {
		logger.Info().Msg("ended")
	}
	return err
}

// nameStrangers says once of each run whose units this worker leaves why it does.
func nameStrangers(ctx context.Context, w *jobs.Worker, logger zerolog.Logger) {
	said := map[string]bool{}
	tick := time.NewTicker(strangersEvery)
	defer tick.Stop()
	for {
		strangers, err := w.Strangers(ctx)
		if err != nil && ctx.Err() == nil {
			logger.Warn().Err(err).Msg("could not look for runs by other documents")
		}
		for run, differs := range strangers {
			if !said[run] {
				logger.Warn().Str("run", run).Str("differs", strings.Join(differs, ", ")).
					Msg("its units are left to others: it goes by other documents than this worker")
			}
		}
		// Runs that are over are forgotten.
		clear(said)
		for run := range strangers {
			said[run] = true
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
