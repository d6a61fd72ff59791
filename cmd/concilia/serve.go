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
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"concilia/config"
	"concilia/jobs/webhook"
	"concilia/store"
	"concilia/store/ledger"
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
		Short: "start jobs by the clock and receive notifications until it is told to end",
		Long: `serve starts the jobs of schedule, each at its times in its zone, one at a time. Every occurrence is accounted for, and
concilia schedule shows what became of it. What came due while no serve watched is run or skipped as schedule[].missed
says; what was begun by one that died is taken again. Any number of them may share a ledger on Postgres: each occurrence is
run once. A job reads the configuration and its files anew, as its command would, and that it fails ends nothing.

It takes the service's notifications at webhook.listen, one address an account: webhook.public_url +
/notifications/ACCOUNT. Each is on disk before it is answered, and the next night links it to its installment. At its
start and once a day it asks the service whether the subscriptions still point here. With a schedule and nothing of
webhook configured it only starts jobs.

At metrics.listen, another address, it answers /metrics for Prometheus, /livez, and /readyz: ok, or what is wrong with
ledger, inbox or schedules. It tells alerts on no_run, and again, for a day, what nobody took.

Told to end (SIGTERM, SIGINT or SIGHUP), it takes no more, answers what it has begun, and ends; a job that runs gets
30 seconds to end by itself, and is then interrupted and taken up again by the next serve. The schedule and the receiver's
configuration are read once: restart serve after a change. The TLS certificate is read again by itself when its files
change.

Exit status: 0 it was told to end; 40 configuration; 50 the ledger is unreachable; 2 usage.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.serve(cmd.Context()) },
	}
}

// serve runs the receiver and the schedules, those of them that are configured, until ctx ends.
func (g *globals) serve(ctx context.Context) error {
	c, err := g.load(wantService)
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
	if receives(c) {
		if inbox, err = store.OpenInbox(ctx, c.Ledger.DSN.Reveal()); err != nil {
			return err
		}
	}
	unwatch := g.watch(c, inbox, logger, scheduled.ready()...)
	err = scheduled.beside(ctx, func(ctx context.Context) error {
		if inbox == nil {
			<-ctx.Done()
			return nil
		}
		return g.receive(ctx, c, inbox, logger)
	})
	unwatch()
	if inbox != nil {
		err = errors.Join(err, inbox.Close())
	}
	if err == nil {
		logger.Info().Msg("ended")
	}
	return err
}

// receive serves notifications into the inbox, and watches the subscriptions, until ctx ends and what had begun is
// answered.
func (g *globals) receive(ctx context.Context, c *config.Config, inbox *store.Inbox, logger zerolog.Logger) error {
	handler, err := newReceiver(c, inbox, g.wall, logger, g.meters)
	if err != nil {
		return &inputError{"webhook", err}
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: answerTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(complaints{logger}, "", 0),
	}
	if c.Webhook.CertFile != "" {
		keys := &certificate{certFile: c.Webhook.CertFile, keyFile: c.Webhook.KeyFile}
		if _, err := keys.get(nil); err != nil {
			return &inputError{"webhook.cert_file", err}
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: keys.get}
	}
	listener, err := net.Listen("tcp", c.Webhook.Listen)
	if err != nil {
		return &inputError{"webhook.listen", err}
	}
	logger.Info().Stringer("listen", listener.Addr()).Bool("tls", server.TLSConfig != nil).
		Int("accounts", len(c.Accounts)).Msg("receiving notifications")

	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.watchSubscriptions(watch, c, logger)
	}()
	err = serveUntil(ctx, server, listener)
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
		// Who has not sent a whole request by now gets no answer, and sends again.
		_ = server.Close()
	}
	return nil
}

func newReceiver(
	c *config.Config, inbox *store.Inbox, wall func() time.Time, logger zerolog.Logger, m *meters,
) (http.Handler, error) {
	var numbers []ledger.Account
	for _, a := range c.Accounts {
		numbers = append(numbers, ledger.Account(a.Number))
	}
	proxies, err := networks(c.Webhook.TrustedProxies)
	if err != nil {
		return nil, err
	}
	public, err := url.Parse(c.Webhook.PublicURL)
	if err != nil {
		return nil, err
	}
	return webhook.Handler(webhook.Options{
		Accounts: numbers, Prefix: public.Path,
		AccessKey: c.Webhook.AccessKey.Reveal(),
		BasicUser: c.Webhook.BasicUser, BasicPassword: c.Webhook.BasicPassword.Reveal(),
		Keep: inbox.Keep, Zone: c.Location(), Now: wall, TrustedProxies: proxies, Log: logger, OnEvent: m.notified,
	})
}

// networks reads addresses and networks; an address is a network of one.
func networks(texts []string) ([]netip.Prefix, error) {
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
