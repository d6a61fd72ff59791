package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestDeliveriesThatEndOtherwise(t *testing.T) {
	t.Parallel()
	t.Run("given up at the end of the window", func(t *testing.T) {
		t.Parallel()
		r := listen(t)
		r.answer.Store(500)
		o := quick()
		o.Window = 20 * time.Millisecond
		s := run(t, nil, o)
		defer s.stop(t)
		s.subscribe(t, r.URL+"/notifications/1001", "")
		s.advance(t, 1)
		p := s.settled(t)
		if p.Counts["expired"] == 0 || p.Counts["delivered"] != 0 {
			t.Errorf("counts %v", p.Counts)
		}
		if d := p.Deliveries[0]; d["last_status"] != 500.0 || d["attempts"].(float64) < 1 || d["next_attempt"] != nil {
			t.Errorf("shown as %v", d)
		}
	})
	t.Run("dropped when the account unsubscribes", func(t *testing.T) {
		t.Parallel()
		r := listen(t)
		r.answer.Store(400)
		s := run(t, nil, quick())
		defer s.stop(t)
		s.subscribe(t, r.URL+"/notifications/1001", "")
		s.advance(t, 1)
		if status, body := s.call(t, "DELETE", "/integration/api/webhooks/subscriptions?accountNumber=1001", s.token(t, integrationLogin), ""); status != 200 {
			t.Fatalf("unsubscribe: %d %s", status, body)
		}
		if p := s.settled(t); p.Counts["dropped"] == 0 || p.Counts["delivered"] != 0 {
			t.Errorf("counts %v", p.Counts)
		}
	})
	t.Run("a receiver that takes too long is asked again", func(t *testing.T) {
		t.Parallel()
		first := atomic.Bool{}
		hang := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			if first.CompareAndSwap(false, true) {
				<-hang
			}
		}))
		defer slow.Close()
		defer close(hang)
		o := quick()
		o.Timeout = 200 * time.Millisecond
		s := run(t, nil, o)
		defer s.stop(t)
		s.subscribe(t, slow.URL, "")
		s.advance(t, 1)
		p := s.settled(t)
		if p.Counts["delivered"] == 0 || p.Counts["delivered"] != len(p.Deliveries) {
			t.Errorf("counts %v", p.Counts)
		}
		if i := slices.IndexFunc(p.Deliveries, func(d map[string]any) bool { return d["attempts"].(float64) > 1 }); i < 0 {
			t.Error("no delivery took a second attempt")
		}
	})
}

func TestNoMoreAtOnceThanWorkers(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	gate := make(chan struct{})
	busy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-gate
		now.Add(-1)
	}))
	defer busy.Close()
	o := quick()
	o.Workers = 3
	s := run(t, nil, o)
	defer s.stop(t)
	s.subscribe(t, busy.URL, "")
	s.advance(t, 3)
	for now.Load() < 3 { // all workers wait at the gate
		time.Sleep(time.Millisecond)
	}
	if p := s.deliveries(t, "state=sending"); len(p.Deliveries) != 3 || p.Idle {
		t.Errorf("%d under way, want 3", len(p.Deliveries))
	}
	close(gate)
	s.settled(t)
	if most.Load() != 3 {
		t.Errorf("%d at once, want 3", most.Load())
	}
}

// TestHangingReceiverDelaysNoOther has one account's receiver never answer.
func TestHangingReceiverDelaysNoOther(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		<-gate
	}))
	defer hanging.Close()
	defer close(gate)
	r := listen(t)
	s := run(t, nil, quick())
	s.subscribe(t, r.URL+"/notifications/1001", "")
	body := fmt.Sprintf(`{"url":%q}`, hanging.URL)
	if status, answer := s.call(t, "POST", "/integration/api/webhooks/subscriptions?accountNumber=1002", s.token(t, integrationLogin), body); status/100 != 2 {
		t.Fatalf("subscribe: %d %s", status, answer)
	}
	began := s.world.Now()
	s.advance(t, 5)
	want := changes(s.world, began, s.world.Now())
	for !slices.Equal(r.ids(), want) { // or the test's own time is over
		time.Sleep(time.Millisecond)
	}
	if p := s.deliveries(t, "account=1002&state=sending"); len(p.Deliveries) != 2 {
		t.Errorf("%d of four workers are held, want 2", len(p.Deliveries))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.service.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestAStopLetsAttemptsEndOrCutsThemOff(t *testing.T) {
	t.Parallel()
	for why, patient := range map[string]bool{"the receiver answers in time": true, "the receiver never answers": false} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			arrived, gate := make(chan struct{}, 100), make(chan struct{})
			slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body)
				arrived <- struct{}{}
				select {
				case <-gate:
				case <-req.Context().Done():
				}
			}))
			defer slow.Close()
			o := quick()
			o.Workers = 1
			path := filepath.Join(t.TempDir(), "j")
			o.Journal = open(t, path)
			s := run(t, nil, o)
			s.subscribe(t, slow.URL, "")
			s.advance(t, 1)
			<-arrived
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if patient {
				close(gate)
			} else {
				cancel()
			}
			if err := s.service.Close(ctx); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(b), `"state":"delivered"`); got != patient {
				t.Errorf("delivered is in the journal: %t, want %t", got, patient)
			}
			if strings.Contains(string(b), `"last_error"`) {
				t.Error("an attempt that was cut off counts as failed")
			}
		})
	}
}
