package metrics

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"concilia/cmd/concilia/view"
	"concilia/jobs/api"
	"concilia/jobs/webhook"
)

// Meters count what this process does. A command without metrics has none: every method of nil does nothing.
//
// Labels hold words of ours, codes, and account numbers of the configuration; never anything that grows with the data.
type Meters struct {
	registry      *prometheus.Registry
	notifications *prometheus.CounterVec
	connections   prometheus.Counter
	requests      *prometheus.CounterVec
	durations     *prometheus.HistogramVec
	deliveries    *prometheus.CounterVec
	pages         *prometheus.CounterVec
	pageSeconds   *prometheus.HistogramVec
	signIns       *prometheus.CounterVec
	mails         *prometheus.CounterVec
}

// NewMeters makes the meters of a process, with those of Go and of the operating system.
func NewMeters() *Meters {
	m := &Meters{
		registry: prometheus.NewRegistry(),
		notifications: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "concilia_webhook_requests_total",
			Help: "Requests to the receiver, by what became of them: accepted, repeated, invalid, refused, stray, no_room or failed.",
		}, []string{"account", "outcome"}),
		connections: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "concilia_webhook_connections_refused_total",
			Help: "Connections to the receiver that were closed at once, because as many were open as may be.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "concilia_service_requests_total",
			Help: "Requests to the payment service by endpoint and outcome: ok, a class of status, broken (an answer that was not accepted) or none (no answer).",
		}, []string{"endpoint", "outcome"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "concilia_service_request_duration_seconds",
			Help:    "How long requests to the payment service took, to the last byte of the answer.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"endpoint"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "concilia_deliveries_total",
			Help: "Pings and alerts sent, by kind, what they say, and outcome: ok or failed.",
		}, []string{"kind", "says", "outcome"}),
	}
	m.pages = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "concilia_console_requests_total",
		Help: "Requests to the console, by page and status.",
	}, []string{"page", "code"})
	m.signIns = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "concilia_console_signins_total",
		Help: "Sign-ins to the console by result: ok, refused or throttled.",
	}, []string{"result"})
	m.mails = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "concilia_mail_total",
		Help: "Mails by kind, digest or alert, and result of the try: sent, refused (and not tried again) or failed.",
	}, []string{"kind", "result"})
	m.pageSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "concilia_console_seconds",
		Help:    "How long pages of the console took.",
		Buckets: []float64{.01, .025, .05, .1, .2, .3, .5, 1, 2.5, 5},
	}, []string{"page"})
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "concilia_build_info", Help: "Version, commit and Go of the program that answers; always 1.",
	}, []string{"version", "commit", "goversion"})
	f := view.ReadBuildFacts()
	build.WithLabelValues(f.Version, f.Commit, f.Go).Set(1)
	m.registry.MustRegister(m.notifications, m.connections, m.requests, m.durations, m.deliveries, m.pages, m.pageSeconds, m.signIns, m.mails, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ObservePage counts a request to the console.
func (m *Meters) ObservePage(page string, code int, took time.Duration) {
	if m == nil {
		return
	}
	m.pages.WithLabelValues(page, strconv.Itoa(code)).Inc()
	m.pageSeconds.WithLabelValues(page).Observe(took.Seconds())
}

// CountSignIn counts a sign-in to the console.
func (m *Meters) CountSignIn(result string) {
	if m != nil {
		m.signIns.WithLabelValues(result).Inc()
	}
}

// CountMail counts a try to send a mail.
func (m *Meters) CountMail(kind string, err error, isRefused bool) {
	if m == nil {
		return
	}
	result := "sent"
	switch {
	case isRefused:
		result = "refused"
	case err != nil:
		result = "failed"
	}
	m.mails.WithLabelValues(kind, result).Inc()
}

// CountNotification counts a request to the receiver.
func (m *Meters) CountNotification(e webhook.Event) {
	if m == nil {
		return
	}
	account := ""
	if e.Account != 0 {
		account = e.Account.String()
	}
	m.notifications.WithLabelValues(account, string(e.Outcome)).Inc()
}

// CountRefusedConnection counts a connection to the receiver that was closed at once.
func (m *Meters) CountRefusedConnection() {
	if m != nil {
		m.connections.Inc()
	}
}

// CountRequest counts a request to the service.
func (m *Meters) CountRequest(q api.Request) {
	if m == nil {
		return
	}
	endpoint := endpointOf(q.Operation)
	m.requests.WithLabelValues(endpoint, outcomeOf(q)).Inc()
	m.durations.WithLabelValues(endpoint).Observe(q.Ended.Sub(q.Began).Seconds())
}

// CountDelivery counts a ping or an alert.
func (m *Meters) CountDelivery(kind, what string, err error) {
	if m == nil {
		return
	}
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.deliveries.WithLabelValues(kind, what, outcome).Inc()
}

// endpointOf is the endpoint that an operation, as the client spells it in errors, asks.
func endpointOf(operation string) string {
	for _, e := range []struct{ begins, endpoint string }{
		{"search installments ", "installments"},
		{"list slips.due ", "slips_due"},
		{"list slips.payment ", "slips_payment"},
		{"list slips.credit ", "slips_credit"},
		{"slip ", "slip"},
		{"log in to integration", "login_integration"},
		{"log in to gateway", "login_gateway"},
		{"simulate ", "simulation"},
	} {
		if strings.HasPrefix(operation, e.begins) {
			return e.endpoint
		}
	}
	return "notifications" // subscriptions and their credential
}

func outcomeOf(q api.Request) string {
	switch {
	case q.Err == nil:
		return "ok"
	case q.Status == 0:
		return "none"
	case q.Status < http.StatusMultipleChoices:
		return "broken"
	}
	return strconv.Itoa(q.Status/100) + "xx"
}

// secondsSince is how long ago something was, in seconds; never negative, even if the clocks differ.
func secondsSince(now, then time.Time) float64 { return max(0, now.Sub(then).Seconds()) }
