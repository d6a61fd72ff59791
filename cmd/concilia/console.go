package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/console"
	"concilia/config"
)

// defaultConsoleListen is where concilia console listens when neither --listen nor console.listen says so.
const defaultConsoleListen = "127.0.0.1:8480"

func newConsole(g *globals) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "console",
		Short: "serve the desk in the browser until stopped",
		Long: `console serves pages for people, in Portuguese and in English: what the last night came to, the cases with everything
known about each, the published files, the runs, what is complete, the catalogue of rules, the calendar and the handbook.
They show what the commands print, to the cent. Every address can be shared: filters stand in it.

serve serves the same at console.listen. Neither a night nor a notification waits for a page.

Without people (console.users_file or console.identity_header) it listens on this machine only, and shows without changing
anything. Beyond this machine it also needs TLS or a trusted proxy.

Exit status: 0 stopped by a signal; 40 configuration; 50 the address cannot be listened on; 2 usage.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.serveConsole(cmd.Context(), listen) },
	}
	cmd.AddCommand(newConsoleUser(g))
	cmd.Flags().StringVar(&listen, "listen", "", "host:port (default console.listen, else "+defaultConsoleListen+")")
	return cmd
}

// serveConsole serves the console alone until ctx ends.
func (g *globals) serveConsole(ctx context.Context, listen string) error {
	c, err := g.loadConfig(0)
	if err != nil {
		return err
	}
	switch {
	case listen != "":
		if err := c.Console.CheckListen(listen); err != nil {
			return usageErrorf("such as "+defaultConsoleListen, "--listen %s: %v", listen, err)
		}
		c.Console.Listen = listen
	case c.Console.Listen == "":
		c.Console.Listen = defaultConsoleListen
	}
	logger := newLog(g.stderr, g.quiet, c.Log)
	d, err := g.newDesk(ctx, c, logger)
	if err != nil {
		return err
	}
	scheme := "http"
	if d.server.TLSConfig != nil {
		scheme = "https"
	}
	fmt.Fprintf(g.stdout, "%s://%s%s/\n", scheme, d.listener.Addr(), d.prefix)
	return d.serve(ctx)
}

// desk is the console at a port that it has.
type desk struct {
	server   *http.Server
	listener net.Listener
	source   *deskSource
	people   *console.People // nil: nobody is asked
	prefix   string
	log      zerolog.Logger
}

// newDesk makes the console and takes its port.
func (g *globals) newDesk(ctx context.Context, c *config.Config, logger zerolog.Logger) (*desk, error) {
	d := &desk{source: newDeskSource(g, c), log: logger}
	o := console.Options{
		Source: d.source, Language: c.Reports.Language, Zone: c.Location(), PageRows: c.Console.PageRows, QueryTime: c.Console.QueryTime,
		Log: logger, Wall: g.wall, Observe: g.meters.observePage,
	}
	if public, err := url.Parse(c.Console.PublicURL); err == nil && public.Host != "" {
		d.prefix = strings.TrimRight(public.Path, "/")
		o.Prefix, o.Hosts, o.Origin = d.prefix, []string{strings.ToLower(public.Hostname())}, public.Scheme+"://"+public.Host
	}
	if host, _, err := net.SplitHostPort(c.Console.Listen); err == nil && host != "" {
		o.Hosts = append(o.Hosts, strings.ToLower(host))
	}
	if err := g.askWho(c, logger, &o); err != nil {
		return nil, err
	}
	desk, err := console.New(o)
	if err != nil {
		return nil, err
	}
	handler, err := desk.Handler()
	if err != nil {
		return nil, &inputError{"console", err}
	}
	d.server = &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: answerTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: log.New(complaints{logger}, "", 0),
	}
	if c.Console.CertFile != "" {
		keys := &certificate{certFile: c.Console.CertFile, keyFile: c.Console.KeyFile}
		if _, err := keys.getCertificate(nil); err != nil {
			return nil, &inputError{"console.cert_file", err}
		}
		d.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: keys.getCertificate}
	}
	d.people = o.People
	if d.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", c.Console.Listen); err != nil {
		return nil, &withCode{fmt.Errorf("console.listen: %w", err), exitUnreachable}
	}
	return d, nil
}

// askWho sets how the console finds out who asks.
func (g *globals) askWho(c *config.Config, logger zerolog.Logger, o *console.Options) (err error) {
	o.Idle, o.Absolute, o.OnSignIn = c.Console.Idle, c.Console.Absolute, g.meters.countSignIn
	o.IdentityHeader, o.IdentityRole = c.Console.IdentityHeader, console.Role(c.Console.IdentityRole)
	o.ReadOnly = c.Console.ReadOnly
	o.Secure = c.Console.CertFile != "" || strings.HasPrefix(o.Origin, "https:")
	if o.TrustedProxies, err = parseNetworks(c.Console.TrustedProxies); err != nil {
		return &inputError{"console", err}
	}
	if c.Console.UsersFile == "" {
		return nil
	}
	o.People, err = console.OpenPeople(c.Console.UsersFile, g.wall, func(err error) {
		logger.Warn().AnErr("why", err).Msg("console.users_file cannot be read: who was in it before stays")
	})
	if err != nil {
		return &inputError{"console.users_file", err}
	}
	return nil
}

// serve answers until ctx ends and what had begun is answered.
func (d *desk) serve(ctx context.Context) error {
	d.log.Info().Stringer("listen", d.listener.Addr()).Msg("the console is open")
	err := serveUntil(ctx, d.server, d.listener)
	d.source.close()
	return err
}

// startDesk serves the console beside the jobs of a daemon until stop is called. One that cannot listen is a warning, and check says
// so: nights and notifications never notice.
func (g *globals) startDesk(ctx context.Context, c *config.Config, logger zerolog.Logger) (checks []check, stop func()) {
	if c.Console.Listen == "" {
		return nil, func() {}
	}
	d, err := g.newDesk(ctx, c, logger)
	if err != nil {
		logger.Warn().AnErr("why", err).Msg("there is no console")
		return []check{{"console", func(context.Context) error { return err }}}, func() {}
	}
	serving, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		if failed = d.serve(serving); failed != nil {
			logger.Warn().AnErr("why", failed).Msg("the console is served no more")
		}
	}()
	check := check{"console", func(context.Context) error {
		select {
		case <-ended:
			return errors.Join(errors.New("it is served no more"), failed)
		default:
		}
		if d.people != nil {
			return d.people.Check()
		}
		return nil
	}}
	return append(checks, check), func() {
		end()
		<-ended
	}
}
