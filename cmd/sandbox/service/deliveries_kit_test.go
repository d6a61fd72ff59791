package service_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
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
	s.Close()
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
