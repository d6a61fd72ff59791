package main

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"concilia/config"
	"concilia/store"
)

const (
	// headerTimeout and idleTimeout bound what a sender may do without sending; a body has webhook.BodyTimeout.
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	// answerTimeout bounds a whole request. The service waits 30 s (interface document, Events).
	answerTimeout = 30 * time.Second
	// maxHeader is far above what a notification carries.
	maxHeader = 16 << 10
)

func newServe(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "start jobs on schedule and receive notifications until stopped",
		Long: `serve starts the jobs of schedule, each at its times in its zone, one at a time. Every occurrence is accounted for, and
concilia schedule shows its outcome. An occurrence that came due while no serve was running is run or skipped as
schedule[].missed says; one whose serve died is run again. Any number of serve processes may share a ledger on Postgres:
each occurrence is run once. A job reads the configuration and its files anew, as its command would; a job that fails does
not stop serve. Published sets that wait for reports.out are copied every 15 minutes.

It receives the service's notifications at webhook.listen, one path per account: webhook.public_url +
/notifications/ACCOUNT. Each is on disk before it is answered, and the next night links it to its installment. When it
starts, and once a day, it asks the service whether the subscriptions still point here. With a schedule and no webhook
configured it only starts jobs.

At console.listen it serves the desk in the browser, as concilia console does.

At metrics.listen, a separate address, it answers /metrics for Prometheus, /livez, and /readyz: ok, or what is wrong with
ledger, inbox or schedules. It sends alerts on no_run, and for a day retries alerts that could not be delivered.

On SIGTERM, SIGINT or SIGHUP it accepts nothing more, finishes the requests it has begun, and ends. A running job gets 30
seconds to finish; then it is interrupted, and the next serve runs it again. The schedule and the receiver's configuration
are read once: restart serve after a change. The TLS certificate is reloaded when its files change.

Exit status: 0 stopped by a signal; 40 configuration; 50 the ledger is unreachable; 2 usage.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.serveDaemon(cmd.Context()) },
	}
}

// serveDaemon runs the receiver and the schedules, those of them that are configured, until ctx ends.
func (g *globals) serveDaemon(ctx context.Context) error {
	c, err := g.loadConfig(wantService)
	if err != nil {
		return err
	}
	logger := newLog(g.stderr, g.quiet, c.Log)
	g.daemon, g.meters = &logger, newMeters()
	scheduled, err := g.newSchedules(ctx, c, logger)
	if err != nil {
		return err
	}
	defer scheduled.close()
	var inbox *store.Inbox
	var receiver *notificationServer
	if receivesNotifications(c) {
		if inbox, err = store.OpenInbox(ctx, c.Ledger.DSN.Reveal()); err != nil {
			return err
		}
		inbox.LimitWaiting(maxWaiting)
		// Before a job begins, which would be interrupted by what is wrong here.
		if receiver, err = g.newReceiving(ctx, c, inbox, logger); err != nil {
			return errors.Join(err, inbox.Close())
		}
	}
	checks, closeDesk := g.startDesk(ctx, c, logger)
	unwatch := g.startWatchListener(c, inbox, logger, append(scheduled.readinessChecks(), checks...)...)
	err = scheduled.runWhile(ctx, func(ctx context.Context) error {
		delivering, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			g.deliverPeriodically(delivering, c, logger)
		}()
		defer func() {
			stop()
			<-ended
		}()
		if receiver == nil {
			<-ctx.Done()
			return nil
		}
		return receiver.serveInbox(ctx)
	})
	closeDesk()
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
func (g *globals) deliverPeriodically(ctx context.Context, c *config.Config, logger zerolog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(deliveryInterval):
		}
		delivered, err := g.deliverWaiting(ctx, c)
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
func (g *globals) deliverWaiting(ctx context.Context, c *config.Config) (delivered int, err error) {
	l, err := g.openLedger(ctx, c)
	if err != nil {
		return 0, err
	}
	waiting, err := l.WaitingSets(ctx)
	if err := errors.Join(err, l.Close()); err != nil || len(waiting) == 0 {
		return 0, err
	}
	w, closeWorker, err := g.wireWorker(ctx, wantTarget|wantKept)
	if err != nil {
		return 0, err
	}
	defer closeWorker()
	return w.DeliverWaiting(ctx)
}
