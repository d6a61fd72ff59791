package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// A base address that fails on and on is left alone, the other is not; what only answers badly is never.
func TestBreakerOpens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		answer      answerer
		open        bool
		unreachable bool
	}{
		{"nobody there", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, true},
		{"a gateway says so", say(503, ""), true, true},
		{"an error of the service, which answers", say(500, `[{"tag":"","description":"Erro desconhecido."}]`), true, false},
		{"a refusal", say(400, ""), false, false},
		{"a token that is not wanted", say(401, ""), false, false},
		{"a pause", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", "0"); say(429, "")(w, r) }, false, false},
		{"no list", say(200, `{}`), false, false},
		{"half a list", hangUp("[" + record()), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "/billissuer/") {
					say(200, "[]")(w, r)
					return
				}
				c.answer(w, r)
			})
			client := f.client(t, func(o *api.Options) { o.BreakAfter, o.BreakFor, o.MaxTries = 6, time.Hour, 3 })
			var err error
			for range 3 {
				_, err = client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			}
			opened := strings.Contains(err.Error(), "not sent: 127.0.0.1")
			if opened != c.open || opened && f.callCount() != 6 {
				t.Errorf("%d requests, error %v", f.callCount(), err)
			}
			if api.IsUnreachable(err) != c.unreachable {
				t.Errorf("unreachable: %v, want %v: %v", !c.unreachable, c.unreachable, err)
			}
			var e *api.Error
			if opened && (!errors.As(err, &e) || !e.Permanent || e.Tries != 0 || !strings.Contains(err.Error(), "the last failure: ")) {
				t.Errorf("error %v", err)
			}
			if _, err := client.ListSlips(t.Context(), ledger.SlipsDue, 1001, dayOne, dayOne, ledger.Opt[int64]{}); err != nil {
				t.Errorf("the other base address is left alone too: %v", err)
			}
		})
	}
}

// After its rest one request finds out: while it fails the service is left alone on, when it is answered all go again.
func TestBreakerCloses(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		say(200, "[]")(w, r)
	})
	client := f.client(t, func(o *api.Options) { o.BreakAfter, o.BreakFor, o.MaxTries = 2, time.Millisecond, 5 })
	ask := func() error { _, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); return err }
	// Two failures open it; every later request is a probe, and no call makes two in a row without a rest between.
	for f.callCount() < 5 {
		if err := ask(); !api.IsUnreachable(err) {
			t.Fatalf("error %v", err)
		}
	}
	well.Store(true)
	for err := ask(); err != nil; err = ask() {
		if !strings.Contains(err.Error(), "not sent") {
			t.Fatalf("error %v", err)
		}
	}
	for range 3 {
		if err := ask(); err != nil {
			t.Errorf("error %v after the service was back", err)
		}
	}
}

// A caller that gives up does not count against the service, and one that reaches no server does.
func TestBreakerCountsTheService(t *testing.T) {
	t.Parallel()
	stop := errors.New("no turn")
	f := serve(t, say(200, "[]"))
	turns := &turns{left: 1, err: stop} // the login's
	client := f.client(t, func(o *api.Options) { o.BreakAfter, o.BreakFor, o.Limiter = 1, time.Hour, turns })
	for range 3 {
		if _, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); !errors.Is(err, stop) {
			t.Errorf("error %v", err)
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	client = f.client(t, func(o *api.Options) { o.IntegrationURL, o.BreakAfter, o.BreakFor = gone.URL, 1, time.Hour })
	for range 2 {
		_, err := client.ReadSlip(t.Context(), 1001, "x")
		if err == nil || !strings.Contains(err.Error(), "log in to integration: not sent") || !api.IsUnreachable(err) || api.IsRefused(err) {
			t.Errorf("error %v", err)
		}
	}
}
