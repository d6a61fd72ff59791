package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// inbox is a client's endpoint: it keeps what it answered 200 to.
type inbox struct {
	*httptest.Server
	answer atomic.Int32 // status; 0 hangs up

	mu     sync.Mutex
	kept   map[int64]map[string]any // by movementId, the last body
	times  map[int64]int            // how often each was answered 200
	header http.Header
}

func listen(t *testing.T) *inbox {
	t.Helper()
	r := &inbox{kept: map[int64]map[string]any{}, times: map[int64]int{}}
	r.answer.Store(http.StatusOK)
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *inbox) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	var body map[string]any
	err := json.NewDecoder(req.Body).Decode(&body)
	answer := int(r.answer.Load())
	switch {
	case answer == 0:
		panic(http.ErrAbortHandler)
	case answer != http.StatusOK:
		rw.WriteHeader(answer)
		return
	case err != nil || req.Method != http.MethodPost || req.URL.Path != "/notifications/1001":
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := int64(body["movementId"].(float64))
	r.kept[id] = body
	r.times[id]++
	r.header = req.Header
}

func (r *inbox) ids() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.kept))
}

// quick retries within milliseconds of the real clock.
func quick() service.DeliveryOptions {
	return service.DeliveryOptions{FirstDelay: time.Millisecond, Cap: 5 * time.Millisecond, Window: time.Hour, Workers: 4}
}

// running is a service with deliveries on the real clock.
type running struct{ sandbox }

func run(t *testing.T, state *service.State, o service.DeliveryOptions) running {
	t.Helper()
	w, err := world.New(world.Options{Seed: 6, Days: 30, To: world.NewDate(2026, 11, 30), AsOf: world.NewDate(2026, 11, 18)})
	if err != nil {
		t.Fatal(err)
	}
	svc := service.New(w, service.Options{
		Users: []service.User{{Name: "demo", Password: "segredo"}}, Now: time.Now, State: state, Deliveries: o, AccessKey: "chave",
	})
	server := httptest.NewServer(svc)
	t.Cleanup(server.Close)
	return running{sandbox{Server: server, world: w, service: svc}}
}

// stop ends a service as a process that is asked to end would.
func (s running) stop(t *testing.T) {
	t.Helper()
	s.sandbox.Server.Close()
	if err := s.service.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func (s running) subscribe(t *testing.T, address, basic string) {
	t.Helper()
	body := fmt.Sprintf(`{"url":%q,"basicAuth":%q}`, address, basic)
	status, answer := s.call(t, "POST", "/integration/api/webhooks/subscriptions?accountNumber=1001", s.token(t, integrationLogin), body)
	if status/100 != 2 {
		t.Fatalf("subscribe: %d %s", status, answer)
	}
}

func (s running) advance(t *testing.T, days int) {
	t.Helper()
	if status, body := s.call(t, "POST", "/sandbox/clock", "", fmt.Sprintf(`{"advance_days":%d}`, days)); status != 200 {
		t.Fatalf("clock: %d %s", status, body)
	}
}

// page is what GET /sandbox/deliveries answers.
type page struct {
	Idle       bool
	Counts     map[string]int
	Problem    string
	Next       int64
	Deliveries []map[string]any
}

func (s running) deliveries(t *testing.T, query string) page {
	t.Helper()
	status, body := s.call(t, "GET", "/sandbox/deliveries?"+query, "", "")
	var p page
	if err := json.Unmarshal(body, &p); err != nil || status != 200 {
		t.Fatalf("deliveries: %d %s", status, body)
	}
	if p.Problem != "" {
		t.Errorf("the journal: %s", p.Problem)
	}
	return p
}

// settled waits until nothing is on its way.
func (s running) settled(t *testing.T) page {
	t.Helper()
	p := s.deliveries(t, "wait=2m")
	if !p.Idle {
		t.Fatalf("still on its way after two minutes: %v", p.Counts)
	}
	return p
}

// changes are the ids of account 1001's events in (after, upTo].
func changes(w *world.World, after, upTo time.Time) []int64 {
	var ids []int64
	for e := range w.Events(1001, after, upTo) {
		ids = append(ids, e.ID)
	}
	return ids
}

// open opens a journal that goes with the test.
func open(t *testing.T, path string) *service.Journal {
	t.Helper()
	j, err := service.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestFortyDaysWithTheReceiverDown moves the clock forty days; the receiver fails in turn for part of them,
// and the sandbox is asked to end, and killed, while deliveries wait.
func TestFortyDaysWithTheReceiverDown(t *testing.T) {
	t.Parallel()
	state, err := service.OpenState("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "deliveries.jsonl")
	with := func(path string) service.DeliveryOptions {
		o := quick()
		o.Journal = open(t, path)
		return o
	}
	r := listen(t)
	s := run(t, state, with(path))
	s.subscribe(t, r.URL+"/notifications/1001", "Y29uY2lsaWE6c2VncmVkbw==")
	began := s.world.Now()

	s.advance(t, 10)
	s.settled(t)
	for _, down := range []int32{503, 0, 302} {
		r.answer.Store(down)
		s.advance(t, 5)
	}
	s.stop(t) // asked to end, the receiver down
	s = run(t, state, with(path))
	if now := s.world.Now(); !now.Equal(began.AddDate(0, 0, 25)) {
		t.Errorf("after the restart the clock shows %s, want 25 days past %s", now, began)
	}
	s.advance(t, 10)
	// Killed: what is on the disk goes on in another process, this one is never heard of again.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	killed := s
	path = filepath.Join(dir, "copy.jsonl")
	if err := os.WriteFile(path, append(b, `{"delivery":{"delivery":9`...), 0o600); err != nil {
		t.Fatal(err)
	}
	killed.stop(t)
	before := r.ids()
	r.answer.Store(http.StatusOK)
	s = run(t, state, with(path))
	s.advance(t, 5)
	p := s.settled(t)

	want := changes(s.world, began, began.AddDate(0, 0, 40))
	if got := r.ids(); !slices.Equal(got, want) {
		t.Errorf("%d notifications arrived, want %d, each of the 40 days", len(got), len(want))
	}
	if len(before) == 0 || len(before) >= len(want) || p.Counts["delivered"] != len(want) {
		t.Errorf("%d of %d arrived while it was up at first; delivered %d", len(before), len(want), p.Counts["delivered"])
	}
	if got := r.header; got.Get("Access-Key") != "chave" || got.Get("Authorization") != "Basic Y29uY2lsaWE6c2VncmVkbw==" || got.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", got)
	}
	s.stop(t)
}

func TestANotificationIsTheDocumentsBody(t *testing.T) {
	t.Parallel()
	r := listen(t)
	s := run(t, nil, quick())
	defer s.stop(t)
	s.advance(t, 2) // before there is a subscription: never sent
	s.subscribe(t, r.URL+"/notifications/1001", "")
	began := s.world.Now()
	s.advance(t, 9)
	s.settled(t)
	seen := 0
	for e := range s.world.Events(1001, began, s.world.Now()) {
		want := map[string]any{
			"movementId": float64(e.ID), "nsu": e.NSU, "codAuth": e.CodAuth, "installmentNumber": float64(e.Number),
			"moment": e.Moment.Format("2006-01-02T15:04:05"), "type": "STATUS_CHANGE", "oldValue": e.Old, "newValue": e.New,
		}
		if got := r.kept[e.ID]; !maps.Equal(got, want) {
			t.Errorf("event %d: %v, want %v", e.ID, got, want)
		}
		seen++
	}
	if seen == 0 || len(r.kept) != seen {
		t.Errorf("%d notifications for %d events", len(r.kept), seen)
	}
	if auth := r.header.Get("Authorization"); auth != "" {
		t.Errorf("Authorization %q without a credential", auth)
	}
}

func TestTheCredentialOfWebhookAuthIsSent(t *testing.T) {
	t.Parallel()
	r := listen(t)
	s := run(t, nil, quick())
	defer s.stop(t)
	if status, body := s.send(t, "POST", "/gateway/v1/security/webhook-auth", s.token(t, gatewayLogin), `{"basic":"Basic YTpi"}`, []string{"Content-Type", "application/json"}); status != 201 {
		t.Fatalf("webhook-auth: %d %s", status, body)
	}
	s.subscribe(t, r.URL+"/notifications/1001", "")
	s.advance(t, 1)
	s.settled(t)
	if got := r.header.Get("Authorization"); got != "Basic YTpi" {
		t.Errorf("Authorization %q", got)
	}
}

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

func TestTheDeliveryListIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	r := listen(t)
	s := run(t, nil, quick())
	defer s.stop(t)
	s.subscribe(t, r.URL+"/notifications/1001", "")
	s.advance(t, 3)
	all := s.settled(t)
	if n := len(s.deliveries(t, "account=1002").Deliveries); n != 0 {
		t.Errorf("%d of account 1002", n)
	}
	if n := len(s.deliveries(t, "account=1001&state=delivered").Deliveries); n != len(all.Deliveries) {
		t.Errorf("%d delivered, want %d", n, len(all.Deliveries))
	}
	var paged int
	for after, more := int64(0), true; more; {
		p := s.deliveries(t, fmt.Sprintf("limit=7&after=%d", after))
		paged += len(p.Deliveries)
		after, more = p.Next, p.Next != 0
	}
	if paged != len(all.Deliveries) {
		t.Errorf("%d over all pages, want %d", paged, len(all.Deliveries))
	}
	for _, bad := range []string{"account=x", "state=lost", "limit=-1", "wait=soon", "wait=1h", "after=1.5"} {
		status, body := s.call(t, "GET", "/sandbox/deliveries?"+bad, "", "")
		name, _, _ := strings.Cut(bad, "=")
		expectProblems(t, bad, status, body, 400, name)
	}
}

func TestAJournalThatMakesNoSense(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for why, text := range map[string]string{
		"a line amid it is cut": "{\"delivery\":{\"deli\n{\"clock\":{\"as_of\":\"2026-11-18\",\"now\":\"2026-11-20T09:00:00Z\"}}\n",
		"not a journal":         "hello\n",
	} {
		path := filepath.Join(dir, why)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := service.OpenJournal(path); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: error %v, want line 1 named", why, err)
		}
	}
	if _, err := service.OpenJournal(filepath.Join(dir, "none", "j")); err == nil {
		t.Error("a journal in no folder was opened")
	}
}
