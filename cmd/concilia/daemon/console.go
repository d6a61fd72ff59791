package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/listen"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/wire"
	"concilia/config"
)

// Console is the console at a port that it has.
type Console struct {
	server   *http.Server
	listener net.Listener
	desk     *console.Console
	source   *desk.Source
	people   *people.Register // nil: no sign-in is asked for
	scheme   string
	prefix   string
	log      zerolog.Logger
}

// OpenConsole makes the console and takes its port.
func OpenConsole(ctx context.Context, proc *wire.Process, c *config.Config, logger zerolog.Logger) (*Console, error) {
	d := &Console{source: desk.NewSource(proc, c), scheme: "http", log: logger}
	o := console.Options{
		Source: d.source, Language: c.Reports.Language, Zone: c.Location(), PageRows: c.Console.PageRows, QueryTime: c.Console.QueryTime,
		ActTime: 5 * time.Second, MonthWait: listen.AnswerTimeout - 5*time.Second,
		Log: logger, Wall: proc.Wall, Observe: proc.Meters.ObservePage, HasBanks: len(c.Banks) > 0, HasStores: len(c.Stores) > 0,
	}
	if public, err := url.Parse(c.Console.PublicURL); err == nil && public.Host != "" {
		d.prefix = strings.TrimRight(public.Path, "/")
		o.Prefix, o.Hosts, o.Origin = d.prefix, []string{strings.ToLower(public.Hostname())}, public.Scheme+"://"+public.Host
	}
	if host, _, err := net.SplitHostPort(c.Console.Listen); err == nil && host != "" {
		o.Hosts = append(o.Hosts, strings.ToLower(host))
	}
	if err := askWho(proc, c, logger, &o); err != nil {
		return nil, err
	}
	var err error
	if d.desk, err = console.New(o); err != nil {
		return nil, err
	}
	handler, err := d.desk.Handler()
	if err != nil {
		return nil, exit.NewInputError("console", err)
	}
	d.server = listen.NewServer(handler, logger)
	if c.Console.CertFile != "" {
		if err := listen.UseCertificate(d.server, c.Console.CertFile, c.Console.KeyFile); err != nil {
			return nil, exit.NewInputError("console.cert_file", err)
		}
		d.scheme = "https"
	}
	d.people = o.People
	if d.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", c.Console.Listen); err != nil {
		return nil, exit.WithCode(fmt.Errorf("console.listen: %w", err), exit.Unreachable)
	}
	return d, nil
}

// askWho sets how the console finds out who asks.
func askWho(proc *wire.Process, c *config.Config, logger zerolog.Logger, o *console.Options) (err error) {
	o.Idle, o.Absolute, o.OnSignIn = c.Console.Idle, c.Console.Absolute, proc.Meters.CountSignIn
	o.IdentityHeader, o.IdentityRole = c.Console.IdentityHeader, people.Role(c.Console.IdentityRole)
	o.ReadOnly = c.Console.ReadOnly
	o.Secure = c.Console.CertFile != "" || strings.HasPrefix(o.Origin, "https:")
	if o.TrustedProxies, err = listen.ParseNetworks(c.Console.TrustedProxies); err != nil {
		return exit.NewInputError("console", err)
	}
	if c.Console.UsersFile == "" {
		return nil
	}
	o.People, err = people.OpenRegister(c.Console.UsersFile, proc.Wall, func(err error) {
		logger.Warn().AnErr("why", err).Msg("console.users_file cannot be read: who was in it before stays")
	})
	if err != nil {
		return exit.NewInputError("console.users_file", err)
	}
	return nil
}

// Address is where people find it.
func (d *Console) Address() string {
	return fmt.Sprintf("%s://%s%s/", d.scheme, d.listener.Addr(), d.prefix)
}

// Serve answers until ctx ends and what had begun is answered.
func (d *Console) Serve(ctx context.Context) error {
	d.log.Info().Stringer("listen", d.listener.Addr()).Msg("the console is open")
	err := listen.ServeUntil(ctx, d.server, d.listener)
	d.desk.Close()
	d.source.Close()
	return err
}

// startConsole serves the console while the jobs of a daemon run, until stop is called. One that cannot listen is a warning, and check says
// so: nights and notifications never notice.
func startConsole(ctx context.Context, proc *wire.Process, c *config.Config, logger zerolog.Logger) (checks []metrics.Check, stop func()) {
	if c.Console.Listen == "" {
		return nil, func() {}
	}
	d, err := OpenConsole(ctx, proc, c, logger)
	if err != nil {
		logger.Warn().AnErr("why", err).Msg("there is no console")
		return []metrics.Check{{Name: "console", Holds: func(context.Context) error { return err }}}, func() {}
	}
	serving, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		if failed = d.Serve(serving); failed != nil {
			logger.Warn().AnErr("why", failed).Msg("the console is served no more")
		}
	}()
	check := metrics.Check{Name: "console", Holds: func(context.Context) error {
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
