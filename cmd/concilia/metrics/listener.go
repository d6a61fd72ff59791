package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"concilia/cmd/concilia/listen"
)

// healthTimeout bounds the answers of /livez and /readyz: monitors give up not much later.
const healthTimeout = 5 * time.Second

// Check is one thing that must hold for this process to do its work.
type Check struct {
	Name string
	// holds is nil, or says what does not.
	Holds func(context.Context) error
}

// Listener is the server that people and machines watch this process by. It is never on the port of the notifications.
type Listener struct {
	Meters *Meters
	Ready  []Check // what has to hold for this process to be given work; that it answers at all is that it lives
	Log    zerolog.Logger
}

// NewHandler answers /metrics, /livez and /readyz.
func (w *Listener) NewHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(w.Meters.registry, promhttp.HandlerOpts{
		ErrorLog: listen.NewErrorLog(w.Log), MaxRequestsInFlight: 4, Timeout: 2 * healthTimeout,
	}))
	mux.Handle("GET /livez", answerChecks(nil))
	mux.Handle("GET /readyz", answerChecks(w.Ready))
	return mux
}

// answerChecks answers ok, or 503 and what is wrong, a line each.
func answerChecks(checks []Check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
		defer cancel()
		var wrong strings.Builder
		for _, c := range checks {
			if err := c.Holds(ctx); err != nil {
				fmt.Fprintf(&wrong, "%s: %v\n", c.Name, err)
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

// Start answers at an address until stop is called. If it cannot listen it logs that and the daemon continues: its work does not
// depend on being watched.
func (w *Listener) Start(address string) (stop func()) {
	if address == "" {
		return func() {}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		w.Log.Warn().AnErr("why", err).Msg("metrics.listen: no metrics, no /livez and no /readyz")
		return func() {}
	}
	server := listen.NewServer(onlyKnownHosts(listener.Addr(), w.NewHandler()), w.Log)
	w.Log.Info().Stringer("metrics", listener.Addr()).Msg("watch at /metrics, /livez and /readyz")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			w.Log.Warn().AnErr("why", err).Msg("metrics are served no more")
		}
	}()
	return func() {
		_ = server.Close() // a scrape that is cut off comes again
		<-ended
	}
}
