package alerts

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/alertstest"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/config"
)

// TestPings: what is sent for an end, and what the log says where it does not arrive: never the path of the address.
func TestPings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		code    int
		answers map[string]int
		want    string
		logged  string
	}{
		{"a reconciled run", exit.OK, nil, "GET /ok", ""},
		{"breaks are of the merchant, not of the run", exit.Breaks, nil, "GET /ok", ""},
		{"an incomplete run", 30, nil, "POST /fail/30", ""},
		{"an interrupted run", exit.Interrupted, nil, "POST /fail/130", ""},
		{"one that is not taken is sent once more", 50, map[string]int{"POST /fail/50": 500}, "POST /fail/50, POST /fail/50", "answered 500 internal server error"},
		{
			"who takes no POST is asked with GET", 50,
			map[string]int{"POST /fail/50": http.StatusMethodNotAllowed},
			"POST /fail/50, POST /fail/50, GET /fail/50", "",
		},
		{
			"nor who sends a POST on as a GET", 50,
			map[string]int{"POST /fail/50": http.StatusFound},
			"POST /fail/50, POST /fail/50, GET /fail/50", "",
		},
		{"an address that is gone", exit.OK, map[string]int{"GET /ok": 404}, "GET /ok, GET /ok", "answered 404 not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := alertstest.NewListener(t)
			for request, status := range c.answers {
				l.AnswerWith(request, status)
			}
			var log bytes.Buffer
			logger := zerolog.New(&log)
			m := metrics.NewMeters()
			p := &pings{
				Pings: config.Pings{OK: config.Link(l.Server.URL + "/ok"), Fail: config.Link(l.Server.URL + "/fail/{code}")},
				log:   func() *zerolog.Logger { return &logger }, meters: m,
			}
			p.sendStart(t.Context())
			p.sendEnd(t.Context(), c.code, "what it came to")
			heard := l.TakeRequests()
			if got := alertstest.JoinLines(heard); got != c.want {
				t.Errorf("sent %s, want %s", got, c.want)
			}
			if !strings.Contains(log.String(), c.logged) || (log.Len() == 0) != (c.logged == "") {
				t.Errorf("the log says %q, want %q", log.String(), c.logged)
			}
			if strings.Contains(log.String(), "/ok") || strings.Contains(log.String(), "/fail") {
				t.Errorf("the log holds the path of an address: %s", log.String())
			}
			for _, h := range heard {
				if strings.HasPrefix(h.Line, "POST") && !strings.HasSuffix(h.Body, "\nwhat it came to\n") {
					t.Errorf("%s says %q", h.Line, h.Body)
				}
			}
		})
	}
}

// No server at the address: the run continues, and the log names no path.
func TestPingToNobody(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := zerolog.New(&log)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	p := &pings{
		Pings: config.Pings{Start: config.Link(gone.URL + "/s3cret?key=s3cret")},
		log:   func() *zerolog.Logger { return &logger },
	}
	p.sendStart(t.Context())
	p.sendEnd(t.Context(), exit.OK, "")
	if !strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), "s3cret") {
		t.Errorf("the log says %s", log.String())
	}
}
