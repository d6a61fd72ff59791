package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"concilia/config"
	"concilia/store"
	"concilia/store/ledger"
)

// healthTimeout bounds the answers of /livez and /readyz: monitors give up not much later.
const healthTimeout = 5 * time.Second

// check is one thing that must hold for this process to do its work.
type check struct {
	name string
	fn   func(context.Context) error
}

// watchListener is the server that people and machines watch this process by. It is never on the port of the notifications.
type watchListener struct {
	meters *meters
	ready  []check // what has to hold for this process to be given work; that it answers at all is that it lives
	log    zerolog.Logger
}

func (w *watchListener) newHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(w.meters.registry, promhttp.HandlerOpts{
		ErrorLog: log.New(complaints{w.log}, "", 0), MaxRequestsInFlight: 4, Timeout: 2 * healthTimeout,
	}))
	mux.Handle("GET /livez", answerChecks(nil))
	mux.Handle("GET /readyz", answerChecks(w.ready))
	return mux
}

// answerChecks answers ok, or 503 and what is wrong, a line each.
func answerChecks(checks []check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
		defer cancel()
		var wrong strings.Builder
		for _, c := range checks {
			if err := c.fn(ctx); err != nil {
				fmt.Fprintf(&wrong, "%s: %v\n", c.name, err)
			}
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if wrong.Len() > 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(wrong.String()))
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
}

// onlyKnownHosts refuses requests for another name than localhost or an address where the server listens on this machine
// alone: a page in a browser may give its own name the address 127.0.0.1 and read what is answered.
func onlyKnownHosts(at net.Addr, next http.Handler) http.Handler {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" {
			http.Error(w, "no such host here: ask for 127.0.0.1 or localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// listenForScrapes answers at an address until stop is called. If it cannot listen it logs that and the daemon continues: its work does not
// depend on being watched.
func (w *watchListener) listenForScrapes(address string) (stop func()) {
	if address == "" {
		return func() {}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		w.log.Warn().AnErr("why", err).Msg("metrics.listen: no metrics, no /livez and no /readyz")
		return func() {}
	}
	server := &http.Server{
		Handler: onlyKnownHosts(listener.Addr(), w.newHandler()), ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: log.New(complaints{w.log}, "", 0),
	}
	w.log.Info().Stringer("metrics", listener.Addr()).Msg("watch at /metrics, /livez and /readyz")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			w.log.Warn().AnErr("why", err).Msg("metrics are served no more")
		}
	}()
	return func() {
		_ = server.Close() // a scrape that is cut off comes again
		<-ended
	}
}

// startWatchListener serves metrics and health of a daemon, and looks out for nights that do not come, until unwatch is called. inbox
// is nil where it has none; more are further checks.
func (g *globals) startWatchListener(c *config.Config, inbox *store.Inbox, logger zerolog.Logger, more ...check) (unwatch func()) {
	open := func(ctx context.Context) (*store.Ledger, error) { return g.openToWatch(ctx, c) }
	now, _, err := g.businessClock(c)
	if err != nil {
		now = g.wall
	}
	told := &ledgerMetrics{
		descs: newDescs(), open: open, inbox: inbox, now: now, wall: g.wall, zone: c.Location(), log: logger,
	}
	for _, a := range c.Accounts {
		told.accounts = append(told.accounts, ledger.Account(a.Number))
	}
	g.meters.registry.MustRegister(told)
	w := &watchListener{meters: g.meters, log: logger, ready: append(more, check{"ledger", func(ctx context.Context) error {
		l, err := open(ctx)
		if err != nil {
			if checkLedgerFile(c.Ledger.DSN.Reveal()) != nil {
				return nil // the first night makes it, and notifications do not wait for that
			}
			return err
		}
		return errors.Join(l.Ping(ctx), l.Close())
	}})}
	if inbox != nil {
		w.ready = append(w.ready, check{"inbox", inbox.CheckWritable})
	}
	stop := w.listenForScrapes(c.Metrics.Listen)
	looking, enough := context.WithCancel(context.Background())
	looked := make(chan struct{})
	o := &missingRunWatch{
		alertSender: &alertSender{configured: c.Alerts, log: func() *zerolog.Logger { return &logger }, meters: g.meters, wall: g.wall},
		open:        open, now: now, zone: c.Location(), checkedOn: map[string]ledger.Date{},
	}
	go func() {
		defer close(looked)
		o.watchUntil(looking)
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
func (s *schedules) readinessChecks() []check {
	if s == nil {
		return nil
	}
	return []check{{"schedule", func(context.Context) error {
		if ago := s.now().Sub(s.LastChecked()); ago > lookedMost {
			return fmt.Errorf("nobody has looked for %s whether a job is due", ago.Round(time.Second))
		}
		return nil
	}}}
}

// openToWatch opens the ledger to read it. It makes no ledger and migrates none: a daemon that stays up while a newer program
// migrates continues to read, or reports what it cannot read.
func (g *globals) openToWatch(ctx context.Context, c *config.Config) (*store.Ledger, error) {
	dsn := c.Ledger.DSN.Reveal()
	if err := checkLedgerFile(dsn); err != nil {
		return nil, err
	}
	return store.Open(ctx, dsn)
}
