package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/webhook"
	"concilia/store"
	"concilia/store/ledger"
)

// notificationServer takes notifications into an inbox, at a port that it has.
type notificationServer struct {
	g        *globals
	config   *config.Config
	server   *http.Server
	listener net.Listener
	log      zerolog.Logger
}

// newReceiving checks the configuration of webhook and takes the port; connections wait until serveInbox.
func (g *globals) newReceiving(
	ctx context.Context, c *config.Config, inbox *store.Inbox, logger zerolog.Logger,
) (*notificationServer, error) {
	proxies, err := parseNetworks(c.Webhook.TrustedProxies)
	if err != nil {
		return nil, &inputError{"webhook", err}
	}
	handler, err := newReceiver(c, proxies, inbox, g.wall, logger, g.meters)
	if err != nil {
		return nil, &inputError{"webhook", err}
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: answerTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(complaints{logger}, "", 0),
	}
	if c.Webhook.CertFile != "" {
		keys := &certificate{certFile: c.Webhook.CertFile, keyFile: c.Webhook.KeyFile}
		if _, err := keys.getCertificate(nil); err != nil {
			return nil, &inputError{"webhook.cert_file", err}
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: keys.getCertificate}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Webhook.Listen)
	if err != nil {
		return nil, &inputError{"webhook.listen", err}
	}
	most := limitToDescriptors(maxConnections)
	listener = webhook.LimitConnections(listener, webhook.ConnectionLimits{
		Total: most, PerAddress: max(1, most/4), TrustedProxies: proxies, OnRefused: g.meters.refusedConnection,
	})
	return &notificationServer{g, c, server, listener, logger}, nil
}

// serveInbox serves notifications into the inbox, and watches the subscriptions, until ctx ends and what had begun is answered.
func (r *notificationServer) serveInbox(ctx context.Context) error {
	r.log.Info().Stringer("listen", r.listener.Addr()).Bool("tls", r.server.TLSConfig != nil).
		Int("accounts", len(r.config.Accounts)).Msg("receiving notifications")
	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.g.watchSubscriptions(watch, r.config, r.log)
	}()
	err := serveUntil(ctx, r.server, r.listener)
	stop()
	<-watched
	return err
}

// serveUntil serves until ctx ends, then answers what had begun.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			failed <- server.ServeTLS(listener, "", "")
		} else {
			failed <- server.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("receive notifications: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		// A client that has not sent a whole request by now gets no answer, and sends again.
		_ = server.Close()
	}
	return nil
}

func newReceiver(
	c *config.Config, proxies []netip.Prefix, inbox *store.Inbox, wall func() time.Time, logger zerolog.Logger, m *meters,
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
		Store: keepIn(inbox), Zone: c.Location(), Now: wall, TrustedProxies: proxies, Log: logger, OnEvent: m.countNotification,
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

// descriptorsForJobs are the file descriptors that jobs of the process need in addition to connections: ledgers, targets, calls.
const descriptorsForJobs = 256

// limitToDescriptors is a number of connections, or as many as the process's file descriptors leave, at least 4.
func limitToDescriptors(connections int) int {
	limit, ok := descriptorLimit()
	if !ok {
		return connections
	}
	return max(4, min(connections, limit-descriptorsForJobs))
}

// parseNetworks reads addresses and networks; an address is a network of one.
func parseNetworks(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("trusted_proxies: %w", err)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		out = append(out, p)
	}
	return out, nil
}

// complaints are the server's own: a handshake that failed, a connection that broke.
type complaints struct{ logger zerolog.Logger }

func (c complaints) Write(p []byte) (int, error) {
	c.logger.Warn().Msg(string(p))
	return len(p), nil
}

// certificate is the pair of files of a certificate, read again when they change: certificates are renewed while the
// receiver runs.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	loaded  *tls.Certificate
	changed [2]time.Time // when the files loaded had changed last
}

// getCertificate is the certificate of the files as they are now. A renewal that is under way, or went wrong, leaves the one
// before in force.
func (c *certificate) getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var changed [2]time.Time
	for i, path := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(path); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if c.loaded != nil && changed == c.changed {
		return c.loaded, nil
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	switch {
	case err == nil:
		c.loaded, c.changed = &pair, changed
	case c.loaded == nil:
		return nil, err
	}
	return c.loaded, nil
}

const (
	// subscriptionInterval is how often the subscriptions are asked for, subscriptionRetry how soon after that failed.
	subscriptionInterval = 24 * time.Hour
	subscriptionRetry    = 15 * time.Minute
)

// watchSubscriptions checks at once and then daily that the subscriptions point here, until ctx ends. A failed
// check is logged and tried again: receiving does not depend on it.
func (g *globals) watchSubscriptions(ctx context.Context, c *config.Config, logger zerolog.Logger) {
	if c.Webhook.PublicURL == "" {
		logger.Warn().Msg("webhook.public_url is not configured: nothing checks that the subscriptions point here")
		return
	}
	for {
		wait := subscriptionInterval
		if err := g.checkSubscriptions(ctx, c, logger); err != nil {
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
func (g *globals) checkSubscriptions(ctx context.Context, c *config.Config, logger zerolog.Logger) (err error) {
	client, err := newClient(c, g.wall)
	if err != nil {
		return err
	}
	now, _, err := g.businessClock(c)
	if err != nil {
		return err
	}
	l, err := g.openLedger(ctx, c)
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
