package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/store"

	"github.com/rs/zerolog"
)

// Serve runs the receiver and the schedules, those of them that are configured, until ctx ends.
func Serve(ctx context.Context, proc *wire.Process) error {
	c, err := proc.LoadConfig(wire.WantService)
	if err != nil {
		return err
	}
	logger := progress.NewLog(proc.Stderr, proc.Quiet, c.Log)
	proc.Logger, proc.Meters = &logger, metrics.NewMeters()
	scheduled, err := OpenSchedules(ctx, proc, c, logger)
	if err != nil {
		return err
	}
	defer scheduled.Close()
	var inbox *store.Inbox
	var receiver *notificationServer
	if receivesNotifications(c) {
		if inbox, err = store.OpenInbox(ctx, proc.LedgerAddress(c)); err != nil {
			return err
		}
		inbox.LimitWaiting(maxWaiting)
		// Before a job begins, which would be interrupted by what is wrong here.
		if receiver, err = newReceiving(ctx, proc, c, inbox, logger); err != nil {
			return errors.Join(err, inbox.Close())
		}
	}
	post := newMailLoop(proc)
	scheduled.mailWith(post)
	checks, closeConsole := startConsole(ctx, proc, c, logger)
	unwatch := startWatchListener(proc, c, inbox, post, logger, append(scheduled.readinessChecks(), checks...)...)
	err = scheduled.runWhile(ctx, func(ctx context.Context) error {
		delivering, stop := context.WithCancel(ctx)
		var beside sync.WaitGroup
		beside.Go(func() { deliverPeriodically(delivering, proc, c, logger) })
		beside.Go(func() { post.sendUntil(delivering) })
		defer func() {
			stop()
			beside.Wait()
		}()
		if receiver == nil {
			<-ctx.Done()
			return nil
		}
		return receiver.serveInbox(ctx)
	})
	closeConsole()
	unwatch()
	if inbox != nil {
		err = errors.Join(err, inbox.Close())
	}
	if err == nil {
		logger.Info().Msg("ended")
	}
	return err
}

// deliveryInterval is how often serve copies the published sets that wait to reports.out.
const deliveryInterval = 15 * time.Minute

// deliverPeriodically copies the published sets that wait to their target, until ctx ends. What still waits is logged.
func deliverPeriodically(ctx context.Context, proc *wire.Process, c *config.Config, logger zerolog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(deliveryInterval):
		}
		delivered, err := deliverWaiting(ctx, proc, c)
		if ctx.Err() != nil {
			return
		}
		if delivered > 0 {
			logger.Info().Int("sets", delivered).Msg("sets that waited are delivered")
		}
		if err != nil {
			logger.Warn().Err(err).Msg("published sets still wait for reports.out")
		}
	}
}

// deliverWaiting copies the published sets that wait. The configuration is read anew only if there are any.
func deliverWaiting(ctx context.Context, proc *wire.Process, c *config.Config) (delivered int, err error) {
	l, err := proc.OpenLedger(ctx, c)
	if err != nil {
		return 0, err
	}
	waiting, err := l.WaitingSets(ctx)
	if err := errors.Join(err, l.Close()); err != nil || len(waiting) == 0 {
		return 0, err
	}
	w, closeWorker, err := proc.WireWorker(ctx, wire.WantTarget|wire.WantKept)
	if err != nil {
		return 0, err
	}
	defer closeWorker()
	return w.DeliverWaiting(ctx)
}
