package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

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
		{"a reconciled run", exitOK, nil, "GET /ok", ""},
		{"breaks are of the merchant, not of the run", exitBreaks, nil, "GET /ok", ""},
		{"an incomplete run", 30, nil, "POST /fail/30", ""},
		{"an interrupted run", exitInterrupted, nil, "POST /fail/130", ""},
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
		{"an address that is gone", exitOK, map[string]int{"GET /ok": 404}, "GET /ok, GET /ok", "answered 404 not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newListener(t)
			for request, status := range c.answers {
				l.answers(request, status)
			}
			var log bytes.Buffer
			logger := zerolog.New(&log)
			m := newMeters()
			p := &pings{
				Pings: config.Pings{OK: config.Link(l.told.URL + "/ok"), Fail: config.Link(l.told.URL + "/fail/{code}")},
				log:   func() *zerolog.Logger { return &logger }, meters: m,
			}
			p.sendStart(t.Context())
			p.sendEnd(t.Context(), c.code, "what it came to")
			heard := l.since()
			if got := requests(heard); got != c.want {
				t.Errorf("sent %s, want %s", got, c.want)
			}
			if !strings.Contains(log.String(), c.logged) || (log.Len() == 0) != (c.logged == "") {
				t.Errorf("the log says %q, want %q", log.String(), c.logged)
			}
			if strings.Contains(log.String(), "/ok") || strings.Contains(log.String(), "/fail") {
				t.Errorf("the log holds the path of an address: %s", log.String())
			}
			for _, h := range heard {
				if strings.HasPrefix(h.request, "POST") && !strings.HasSuffix(h.body, "\nwhat it came to\n") {
					t.Errorf("%s says %q", h.request, h.body)
				}
			}
		})
	}
}

// Nobody there: the run goes on, and the log names no path.
func TestPingToNobody(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := zerolog.New(&log)
	p := &pings{
		Pings: config.Pings{Start: config.Link("http://" + freeAddress(t) + "/s3cret?key=s3cret")},
		log:   func() *zerolog.Logger { return &logger },
	}
	p.sendStart(t.Context())
	p.sendEnd(t.Context(), exitOK, "")
	if !strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), "s3cret") {
		t.Errorf("the log says %s", log.String())
	}
}
