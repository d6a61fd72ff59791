package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/listen"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/webhook"
	"concilia/store"
	"concilia/store/ledger"
)

// notificationServer takes notifications into an inbox, at a port that it has.
type notificationServer struct {
	proc     *wire.Process
	config   *config.Config
	server   *http.Server
	listener net.Listener
	log      zerolog.Logger
}

// newReceiving checks the configuration of webhook and takes the port; connections wait until serveInbox.
func newReceiving(
	ctx context.Context, proc *wire.Process, c *config.Config, inbox *store.Inbox, logger zerolog.Logger,
) (*notificationServer, error) {
	proxies, err := listen.ParseNetworks(c.Webhook.TrustedProxies)
	if err != nil {
		return nil, exit.NewInputError("webhook", err)
	}
	handler, err := newReceiver(c, proxies, inbox, proc.Wall, logger, proc.Meters)
	if err != nil {
		return nil, exit.NewInputError("webhook", err)
	}
	server := listen.NewServer(handler, logger)
	if c.Webhook.CertFile != "" {
		if err := listen.UseCertificate(server, c.Webhook.CertFile, c.Webhook.KeyFile); err != nil {
			return nil, exit.NewInputError("webhook.cert_file", err)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Webhook.Listen)
	if err != nil {
		return nil, exit.NewInputError("webhook.listen", err)
	}
	most := limitToDescriptors(maxConnections)
	listener = webhook.LimitConnections(listener, webhook.ConnectionLimits{
		Total: most, PerAddress: max(1, most/4), TrustedProxies: proxies, OnRefused: proc.Meters.CountRefusedConnection,
	})
	if server.TLSConfig == nil {
		listener, server.ConnContext = webhook.WatchLengths(listener), webhook.RememberConnection
	}
	return &notificationServer{proc, c, server, listener, logger}, nil
}

// serveInbox serves notifications into the inbox, and watches the subscriptions, until ctx ends and what had begun is answered.
func (r *notificationServer) serveInbox(ctx context.Context) error {
	r.log.Info().Stringer("listen", r.listener.Addr()).Bool("tls", r.server.TLSConfig != nil).
		Int("accounts", len(r.config.Accounts)).Msg("receiving notifications")
	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watchSubscriptions(watch, r.proc, r.config, r.log)
	}()
	err := listen.ServeUntil(ctx, r.server, r.listener)
	stop()
	<-watched
	return err
}

func newReceiver(
	c *config.Config, proxies []netip.Prefix, inbox *store.Inbox, wall func() time.Time, logger zerolog.Logger, m *metrics.Meters,
) (http.Handler, error) {
	var numbers []ledger.Account
	for _, a := range c.Accounts {
		numbers = append(numbers, ledger.Account(a.Number))
	}
	public, err := url.Parse(c.Webhook.PublicURL)
	if err != nil {
		return nil, err
	}
	return webhook.Handler(webhook.Options{
		Accounts: numbers, Prefix: public.Path,
		AccessKey: c.Webhook.AccessKey.Reveal(),
		BasicUser: c.Webhook.BasicUser, BasicPassword: c.Webhook.BasicPassword.Reveal(),
		Store: keepIn(inbox), Zone: c.Location(), Now: wall, TrustedProxies: proxies, Log: logger, OnEvent: m.CountNotification,
	})
}

// keepIn keeps notifications in the inbox, and reports where it is full.
func keepIn(inbox *store.Inbox) func(context.Context, ledger.Notification) (bool, error) {
	return func(ctx context.Context, n ledger.Notification) (bool, error) {
		repeat, err := inbox.Keep(ctx, n)
		if errors.Is(err, store.ErrInboxFull) {
			err = fmt.Errorf("%w: %w", webhook.ErrNoRoom, err)
		}
		return repeat, err
	}
}

// Limits of the receiver: open connections of all clients together, of which one client may have a quarter, and
// notifications of an account that wait for a run.
const (
	maxConnections = 256
	maxWaiting     = 1_000_000
)

const (
	// subscriptionInterval is how often the subscriptions are asked for, subscriptionRetry how soon after that failed.
	subscriptionInterval = 24 * time.Hour
	subscriptionRetry    = 15 * time.Minute
)

// watchSubscriptions checks at once and then daily that the subscriptions point here, until ctx ends. A failed
// check is logged and tried again: receiving does not depend on it.
func watchSubscriptions(ctx context.Context, proc *wire.Process, c *config.Config, logger zerolog.Logger) {
	if c.Webhook.PublicURL == "" {
		logger.Warn().Msg("webhook.public_url is not configured: nothing checks that the subscriptions point here")
		return
	}
	for {
		wait := subscriptionInterval
		if err := checkSubscriptions(ctx, proc, c, logger); err != nil {
			if ctx.Err() != nil {
				return
			}
			logger.Warn().Err(err).Msg("the subscriptions could not be checked")
			wait = subscriptionRetry
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// checkSubscriptions asks for the subscription of every account and records what it is, for the rules of the next night.
// The ledger is open for that long only.
func checkSubscriptions(ctx context.Context, proc *wire.Process, c *config.Config, logger zerolog.Logger) (err error) {
	client, err := wire.NewClient(c, proc.Wall)
	if err != nil {
		return err
	}
	now, _, err := proc.BusinessClock(c)
	if err != nil {
		return err
	}
	l, err := proc.OpenLedger(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // what was recorded is committed: a failed close loses nothing
	today := ledger.DateOf(now(), c.Location())
	for _, a := range c.Accounts {
		want := c.Webhook.AccountURL(a.Number)
		got, matches, failed := jobs.CheckSubscription(ctx, client, l, ledger.Account(a.Number), want, today)
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
		case matches:
			logger.Info().Int64("account", a.Number).Str("url", got).Msg("the subscription points here")
		default:
			logger.Warn().Int64("account", a.Number).Str("url", got).Str("expected", want).
				Msg("the subscription does not point here: concilia webhook subscribe mends it")
		}
	}
	return err
}

// limitToDescriptors is a number of connections, or as many as the process's file descriptors leave, at least 4.
func limitToDescriptors(connections int) int {
	limit, ok := descriptorLimit()
	if !ok {
		return connections
	}
	return max(4, min(connections, limit-descriptorsForJobs))
}

// descriptorsForJobs are the file descriptors that jobs of the process need in addition to connections: ledgers, targets, calls.
const descriptorsForJobs = 256
