package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/alerts"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/store"
	"concilia/store/ledger"
)

// startWatchListener serves metrics and health of a daemon, and looks out for nights that do not come, until unwatch is called. inbox
// is nil where it has none; more are further checks.
func startWatchListener(proc *wire.Process, c *config.Config, inbox *store.Inbox, post *mailLoop, logger zerolog.Logger, more ...metrics.Check) (unwatch func()) {
	open := func(ctx context.Context) (*store.Ledger, error) { return openToWatch(ctx, proc, c) }
	now, _, err := proc.BusinessClock(c)
	if err != nil {
		now = proc.Wall
	}
	measured := &metrics.Ledger{
		Open: open, Inbox: inbox, Now: now, Wall: proc.Wall, Zone: c.Location(), Log: logger,
	}
	for _, a := range c.Accounts {
		measured.Accounts = append(measured.Accounts, ledger.Account(a.Number))
	}
	proc.Meters.RegisterLedger(measured)
	w := &metrics.Listener{Meters: proc.Meters, Log: logger, Ready: append(more, metrics.Check{Name: "ledger", Holds: func(ctx context.Context) error {
		l, err := open(ctx)
		if err != nil {
			if wire.CheckLedgerFile(c.Ledger.Address()) != nil {
				return nil // the first night makes it, and notifications do not wait for that
			}
			return err
		}
		return errors.Join(l.Ping(ctx), l.Close())
	}})}
	if inbox != nil {
		w.Ready = append(w.Ready, metrics.Check{Name: "inbox", Holds: inbox.CheckWritable})
	}
	stop := w.Start(c.Metrics.Listen)
	looking, enough := context.WithCancel(context.Background())
	looked := make(chan struct{})
	sender := alerts.NewSender(c.Alerts, func() *zerolog.Logger { return &logger }, proc.Meters, proc.Wall)
	o := alerts.NewMissingRunWatch(sender, open, now, c.Location())
	o.Raised = post.sendSoon
	go func() {
		defer close(looked)
		o.WatchUntil(looking)
	}()
	return func() {
		enough()
		<-looked
		stop()
	}
}

// lookedMost is how long ago it may have been looked whether a job is due: far more often than that something is.
const lookedMost = 5 * time.Minute

// readinessChecks is what has to hold of a daemon's schedules; nothing where it has none.
func (s *Schedules) readinessChecks() []metrics.Check {
	if s == nil {
		return nil
	}
	return []metrics.Check{{Name: "schedule", Holds: func(context.Context) error {
		if ago := s.now().Sub(s.LastChecked()); ago > lookedMost {
			return fmt.Errorf("no process has looked for %s whether a job is due", ago.Round(time.Second))
		}
		return nil
	}}}
}

// openToWatch opens the ledger to read it. It makes no ledger and migrates none: a daemon that stays up while a newer program
// migrates continues to read, or reports what it cannot read.
func openToWatch(ctx context.Context, proc *wire.Process, c *config.Config) (*store.Ledger, error) {
	dsn := proc.LedgerAddress(c)
	if err := wire.CheckLedgerFile(dsn); err != nil {
		return nil, err
	}
	return store.Open(ctx, dsn)
}
