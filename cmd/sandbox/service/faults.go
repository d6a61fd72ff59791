package service

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// FaultOptions arm faults that fire by chance, for soaks. Faults on demand need no options.
type FaultOptions struct {
	// Rate is the share of requests that fail, 0 to 1.
	Rate float64
	// Seed draws which; equal seeds and equal orders of requests give equal faults.
	Seed uint64
	// Delay is how long slow waits before it answers; default 1 s.
	Delay time.Duration
}

// faultOrder is the body of POST /sandbox/faults, and how an armed fault is shown.
type faultOrder struct {
	ID       int    `json:"id"`       // given by the sandbox
	Endpoint string `json:"endpoint"` // one of FaultEndpoints, * for all
	Kind     string `json:"kind"`     // one of faultKinds
	// Count is how many requests it still spoils; 0 in an order is 1, −1 is without end.
	Count int `json:"count"`
	// After is how many requests it still lets pass first.
	After int `json:"after"`
	// RetryAfter is the header of 429 and 503, in seconds; 429 has it always, 503 when it is given.
	RetryAfter *int `json:"retry_after,omitempty"`
	// Limit is how many rows cap leaves; default 100.
	Limit *int `json:"limit,omitempty"`
	// Rows is how many rows duplicate, leak, unknown-member and unknown-status touch; default 1.
	Rows *int `json:"rows,omitempty"`
	// DelayMS is how long slow waits before it answers; default FaultOptions.Delay.
	DelayMS *int `json:"delay_ms,omitempty"`
}

// firedFault is a fault that happened.
type firedFault struct {
	Order    int       `json:"id"` // 0: by chance
	Endpoint string    `json:"endpoint"`
	Kind     string    `json:"kind"`
	At       time.Time `json:"at"` // wall clock
}

// endpoints are the names of paths, by how a path ends.
var endpoints = []struct{ name, suffix string }{
	{"search", searchPath},
	{"search-by-code", codePath},
	{"due", "/api/billissuer/list/by/due-date"},
	{"payment", "/api/billissuer/list/by/payment-date"},
	{"credit", "/api/billissuer/list/by/credit-date"},
	{"information", "/api/billissuer/information"},
	{"login", "/api/authentication/login"},
	{"token", "/api/auth/token"},
	{"simulator", "/v1/payments-simulator"},
	{"webhook-auth", "/v1/security/webhook-auth"},
	{"subscriptions", "/api/webhooks/subscriptions"},
}

// endpointOf names the endpoint of a path; the sandbox's own paths have no name and never fail.
func endpointOf(path string) string {
	for _, e := range endpoints {
		if strings.HasSuffix(path, e.suffix) {
			return e.name
		}
	}
	return ""
}

// The kinds of faults. Those of the first group are answers that can't be mistaken for good ones; those of
// the second look good.
const (
	fault401         = "401"
	fault429         = "429"
	fault500         = "500"
	fault503         = "503"
	faultSlow        = "slow"
	faultClose       = "close"        // the connection ends amid the body
	faultCut         = "cut"          // JSON that ends too early, its length correct
	faultContentType = "content-type" // text/html

	faultCap           = "cap"            // a list ends early, and is whole
	faultDuplicate     = "duplicate"      // rows are listed twice
	faultLeak          = "leak"           // rows of the days before the window
	faultUnknownMember = "unknown-member" // undocumented members
	faultUnknownStatus = "unknown-status" // undocumented states
)

// faultKinds are all of them, with what each does.
var faultKinds = []FaultKind{
	{fault401, "the token is refused"},
	{fault429, "too many requests; Retry-After is retry_after seconds, 1 unless given"},
	{fault500, "an error of the service"},
	{fault503, "not there; Retry-After if retry_after is given"},
	{faultSlow, "the answer comes after delay_ms milliseconds, 1000 unless given"},
	{faultClose, "the connection ends amid the body"},
	{faultCut, "the JSON ends amid a record, and the length agrees"},
	{faultContentType, "the answer says it is HTML"},
	{faultCap, "a list ends after limit rows, 100 unless given, and looks whole"},
	{faultDuplicate, "the first rows, 1 unless given, are listed twice"},
	{faultLeak, "rows of the days before the window are listed, 1 unless given"},
	{faultUnknownMember, "the first rows have a member nobody described"},
	{faultUnknownStatus, "the first rows have a status nobody described"},
}

// FaultKind is a kind of fault: its name in an order and its effect.
type FaultKind struct{ Name, Does string }

// FaultKinds are all kinds of faults.
func FaultKinds() []FaultKind { return slices.Clone(faultKinds) }

// FaultEndpoints are the names of endpoints in an order, * for all first.
func FaultEndpoints() []string {
	names := []string{"*"}
	for _, e := range endpoints {
		names = append(names, e.name)
	}
	return names
}

// chanceKinds are the kinds of faults by chance: those that a client can detect and retry. A refused login is not
// retried, so 401 is left out.
var chanceKinds = []string{fault429, fault500, fault503, faultSlow, faultClose, faultCut, faultContentType}

// Bounds of what is armed and remembered.
const (
	mostArmed   = 1000
	mostFired   = 10_000
	mostDelayMS = 600_000
)

// faults decides which requests fail and how.
type faults struct {
	rate  float64
	delay time.Duration // of slow, unless an order sets it
	now   func() time.Time

	mu     sync.Mutex
	chance *rand.Rand
	last   int // id
	armed  []*faultOrder
	fired  []firedFault
	counts map[string]int // "endpoint kind", all that fired
}

func newFaults(o FaultOptions, now func() time.Time) *faults {
	setDefault(&o.Delay, time.Second)
	return &faults{rate: o.Rate, delay: o.Delay, now: now, chance: rand.New(rand.NewPCG(o.Seed, 1)), counts: map[string]int{}}
}

// takeFault returns the fault for this request, or nil. Of several that match, the one armed first fires; the others
// don't count the request.
func (f *faults) takeFault(endpoint string) *faultOrder {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, o := range f.armed {
		switch {
		case o.Endpoint != "*" && o.Endpoint != endpoint:
			continue
		case o.After > 0:
			o.After--
			continue
		}
		if o.Count > 0 {
			o.Count--
		}
		out := *o
		if o.Count == 0 {
			f.armed = slices.Delete(f.armed, i, i+1)
		}
		f.recordFired(out.ID, endpoint, out.Kind)
		return &out
	}
	if f.rate > 0 && f.chance.Float64() < f.rate {
		kind := chanceKinds[f.chance.IntN(len(chanceKinds))]
		f.recordFired(0, endpoint, kind)
		return &faultOrder{Kind: kind}
	}
	return nil
}

func (f *faults) recordFired(id int, endpoint, kind string) {
	f.counts[endpoint+" "+kind]++
	f.fired = append(f.fired, firedFault{Order: id, Endpoint: endpoint, Kind: kind, At: f.now().UTC()})
	if len(f.fired) > mostFired {
		f.fired = f.fired[1:]
	}
}

// faultPage answers GET /sandbox/faults.
type faultPage struct {
	Armed  []faultOrder   `json:"armed"`
	Fired  []firedFault   `json:"fired"`  // the latest 10,000, oldest first
	Counts map[string]int `json:"counts"` // by "endpoint kind", all that fired
}

func (f *faults) listPage() faultPage {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := faultPage{Armed: []faultOrder{}, Fired: append([]firedFault{}, f.fired...), Counts: map[string]int{}}
	for _, o := range f.armed {
		page.Armed = append(page.Armed, *o)
	}
	for name, n := range f.counts {
		page.Counts[name] = n
	}
	return page
}

// handleFaults shows what is armed and what fired, arms one more on POST, disarms everything on DELETE.
func (f *faults) handleFaults(rw http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		var o faultOrder
		if !readStrictJSON(rw, r, &o) || o.validate().writeIfAny(rw) {
			return
		}
		if !f.addOrder(&o) {
			writeError(rw, http.StatusBadRequest, "", "1000 faults are armed already; DELETE /sandbox/faults disarms them")
			return
		}
		writeJSON(rw, http.StatusCreated, o)
		return
	case http.MethodDelete:
		f.mu.Lock()
		f.armed = nil
		f.mu.Unlock()
	}
	writeJSON(rw, http.StatusOK, f.listPage())
}

// addOrder arms an order and sets its id; false: too many are armed.
func (f *faults) addOrder(o *faultOrder) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.armed) == mostArmed {
		return false
	}
	if o.Count == 0 {
		o.Count = 1
	}
	f.last++
	o.ID = f.last
	kept := *o
	f.armed = append(f.armed, &kept)
	return true
}

func (o *faultOrder) validate() problems {
	var bad problems
	if names := FaultEndpoints(); !slices.Contains(names, o.Endpoint) {
		bad.add("endpoint", "want "+strings.Join(names, ", "))
	}
	if !slices.ContainsFunc(faultKinds, func(k FaultKind) bool { return k.Name == o.Kind }) {
		var names []string
		for _, k := range faultKinds {
			names = append(names, k.Name)
		}
		bad.add("kind", "want "+strings.Join(names, ", "))
	}
	if o.Count < -1 || o.After < 0 {
		bad.add("count", "want a count of at least -1, and after of at least 0")
	}
	for name, v := range map[string]*int{"retry_after": o.RetryAfter, "limit": o.Limit, "rows": o.Rows, "delay_ms": o.DelayMS} {
		if v != nil && (*v < 0 || *v > mostDelayMS) {
			bad.add(name, "want 0 to 600000")
		}
	}
	return bad
}

// valueOr returns an optional number of an order, or its default.
func valueOr(v *int, otherwise int) int {
	if v != nil {
		return *v
	}
	return otherwise
}
