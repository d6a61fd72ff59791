package service

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"concilia/cmd/sandbox/world"
)

// States of a delivery.
const (
	statePending   = "pending"   // waits for its first attempt or the next
	stateSending   = "sending"   // under way
	stateDelivered = "delivered" // answered with 2xx
	stateExpired   = "expired"   // given up at the end of the window
	stateDropped   = "dropped"   // its account has no subscription any more
)

// Delivery is one notification on its way to an account's URL.
type Delivery struct {
	Number       int64        `json:"delivery"` // from 1, in the order of queueing
	Account      int64        `json:"account"`
	Notification notification `json:"notification"`
	State        string       `json:"state"`
	Attempts     int          `json:"attempts"`
	LastStatus   int          `json:"last_status,omitempty"` // 0: no answer
	LastError    string       `json:"last_error,omitempty"`
	Queued       time.Time    `json:"queued"` // wall clock, as the others
	LastAttempt  time.Time    `json:"last_attempt,omitzero"`
	NextAttempt  time.Time    `json:"next_attempt,omitzero"`
}

// Bounds of what is remembered.
const (
	keptFinished = 20_000 // finished deliveries shown, the latest
	journalSlack = 10_000 // lines of the journal beyond twice those that count
)

// deliveries are the notifications to be sent. One goroutine dispatches those that are due; each attempt runs in a
// goroutine of its own.
type deliveries struct {
	options DeliveryOptions
	asOf    world.Date
	now     func() time.Time // wall
	client  *http.Client
	// target is where an account's notifications go and the Authorization they carry, if any.
	target    func(account int64) (url, authorization string, ok bool)
	accessKey string

	ctx    context.Context // of attempts
	cancel context.CancelFunc
	wake   chan struct{} // something may be due, or it is time to stop
	ended  chan struct{} // the dispatcher is done; nil: it never began

	mu           sync.Mutex
	byNumber     map[int64]*Delivery
	finished     []int64                 // numbers, oldest first
	queues       map[int64]*accountQueue // by account
	sending      int                     // over all accounts
	counts       map[string]int          // by state, since the journal began
	last         int64                   // number
	clock        clockLine
	journalError string // what the journal last failed with
	stopping     bool
	changed      chan struct{} // closed at the next change of anything
}

func newDeliveries(o DeliveryOptions, asOf world.Date, now func() time.Time, accessKey string) *deliveries {
	o = o.withDefaults()
	if o.Transport == nil {
		o.Transport = &http.Transport{MaxIdleConnsPerHost: o.Workers, IdleConnTimeout: time.Minute}
	}
	d := &deliveries{
		options: o, asOf: asOf, now: now, accessKey: accessKey, wake: make(chan struct{}, 1),
		byNumber: map[int64]*Delivery{}, queues: map[int64]*accountQueue{}, counts: map[string]int{}, changed: make(chan struct{}),
		client: &http.Client{
			Transport: o.Transport, Timeout: o.Timeout,
			// Choice: a redirect is no 2xx, and a receiver's word is not enough to send a credential elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// resumeJournal restores the business clock and the deliveries of the journal.
func (d *deliveries) resumeJournal(setClock func(time.Time)) {
	j := d.options.Journal
	if j == nil {
		return
	}
	if j.clock != nil && j.clock.AsOf == d.asOf.String() {
		d.clock = *j.clock
		setClock(j.clock.Now)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range j.deliveries {
		if one.State == stateSending {
			one.State = statePending // the process ended before the answer
		}
		d.addDelivery(&one)
	}
	j.deliveries = nil
	if d.counts[statePending] > 0 {
		d.startDispatcher()
	}
}

// addDelivery adds a delivery to its account's queue if it is pending, else to the finished ones.
func (d *deliveries) addDelivery(one *Delivery) {
	d.byNumber[one.Number] = one
	d.last = max(d.last, one.Number)
	d.counts[one.State]++
	if one.State == statePending {
		d.queueOf(one.Account).push(one)
	} else {
		d.rememberFinished(one.Number)
	}
}

// rememberFinished adds a finished delivery and drops the oldest beyond keptFinished.
func (d *deliveries) rememberFinished(number int64) {
	d.finished = append(d.finished, number)
	if len(d.finished) > keptFinished {
		delete(d.byNumber, d.finished[0])
		d.finished = d.finished[1:]
	}
}

// queueAll queues the notifications of a move of the business clock; they are in the journal when it returns.
func (d *deliveries) queueAll(clock time.Time, notes map[int64][]notification) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []journalLine
	now := d.now().UTC()
	for _, account := range slices.Sorted(maps.Keys(notes)) {
		for _, n := range notes[account] {
			one := &Delivery{Number: d.last + 1, Account: account, Notification: n, State: statePending, Queued: now, NextAttempt: now}
			d.addDelivery(one)
			lines = append(lines, journalLine{Delivery: one})
		}
	}
	d.clock = clockLine{AsOf: d.asOf.String(), Now: clock.UTC()}
	// The clock comes last: cut off before it, the move is made again and its changes are sent again.
	d.writeJournal(true, append(lines, journalLine{Clock: &d.clock})...)
	if len(lines) > 0 {
		d.startDispatcher()
		d.wakeDispatcher()
	}
	d.notifyWaiters()
}

// writeJournal appends to the journal, if there is one. A failure does not stop the deliveries; it is shown with
// their list.
func (d *deliveries) writeJournal(sync bool, lines ...journalLine) {
	j := d.options.Journal
	if j == nil {
		return
	}
	err := j.appendLines(sync, lines...)
	if live := len(d.byNumber) + 1; err == nil && j.lines > 2*live+journalSlack {
		all := make([]Delivery, 0, live)
		for _, number := range slices.Sorted(maps.Keys(d.byNumber)) {
			all = append(all, *d.byNumber[number])
		}
		err = j.replaceFile(journalLines(all, &d.clock))
	}
	if err != nil {
		d.journalError = err.Error()
	}
}

// notifyWaiters wakes the goroutines in waitUntilIdle.
func (d *deliveries) notifyWaiters() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// waitUntilIdle waits until no delivery is pending or being sent; false: ctx ended before.
func (d *deliveries) waitUntilIdle(ctx context.Context) bool {
	for {
		d.mu.Lock()
		done, changed := d.counts[statePending]+d.sending == 0, d.changed
		d.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// deliveryPage answers GET /sandbox/deliveries.
type deliveryPage struct {
	// Idle: nothing waits and nothing is under way.
	Idle bool `json:"idle"`
	// Counts are by state, over all accounts, since the journal or the process began.
	Counts     map[string]int `json:"counts"`
	Problem    string         `json:"problem,omitempty"` // what the journal last failed with
	Deliveries []Delivery     `json:"deliveries"`
	// Next is the after of the next page; absent on the last.
	Next int64 `json:"next,omitempty"`
}

// Bounds of the query.
const (
	pageDefault = 1000
	pageMost    = 10_000
	waitMost    = 10 * time.Minute
)

// deliveryQuery is what GET /sandbox/deliveries may ask for.
type deliveryQuery struct {
	account int64         // 0: all
	state   string        // empty: all
	after   int64         // number
	limit   int           // rows
	wait    time.Duration // for idleness, at most
}

// listDeliveries shows deliveries by number. With wait it answers once nothing is on its way any more, or
// that time is over.
func (s *Service) listDeliveries(rw http.ResponseWriter, r *http.Request) {
	q, bad := readDeliveryQuery(paramsOf(r))
	if bad.writeIfAny(rw) {
		return
	}
	if q.wait > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), q.wait)
		defer cancel()
		s.deliveries.waitUntilIdle(ctx)
	}
	writeJSON(rw, http.StatusOK, s.deliveries.listPage(q))
}

func readDeliveryQuery(p params) (deliveryQuery, problems) {
	q := deliveryQuery{state: p.get("state"), limit: pageDefault}
	var bad problems
	number := func(name string, most int64) int64 {
		if p.get(name) == "" {
			return 0
		}
		n, err := strconv.ParseInt(p.get(name), 10, 64)
		if err != nil || n < 0 || n > most {
			bad.add(name, "want a number from 0 to "+strconv.FormatInt(most, 10))
		}
		return n
	}
	const any = 1<<63 - 1
	q.account, q.after = number("account", any), number("after", any)
	if n := number("limit", pageMost); n > 0 {
		q.limit = int(n)
	}
	if text := p.get("wait"); text != "" {
		var err error
		if q.wait, err = time.ParseDuration(text); err != nil || q.wait < 0 || q.wait > waitMost {
			bad.add("wait", "want a duration like 10s, up to "+waitMost.String())
		}
	}
	states := []string{"", statePending, stateSending, stateDelivered, stateExpired, stateDropped}
	if !slices.Contains(states, q.state) {
		bad.add("state", "want pending, sending, delivered, expired or dropped")
	}
	return q, bad
}

func (d *deliveries) listPage(q deliveryQuery) deliveryPage {
	d.mu.Lock()
	defer d.mu.Unlock()
	page := deliveryPage{
		Idle: d.counts[statePending]+d.sending == 0, Problem: d.journalError, Deliveries: []Delivery{}, Counts: map[string]int{},
	}
	for _, state := range []string{statePending, stateSending, stateDelivered, stateExpired, stateDropped} {
		page.Counts[state] = d.counts[state]
	}
	for _, number := range slices.Sorted(maps.Keys(d.byNumber)) {
		one := d.byNumber[number]
		if number <= q.after || q.account != 0 && one.Account != q.account || q.state != "" && one.State != q.state {
			continue
		}
		if len(page.Deliveries) == q.limit {
			page.Next = page.Deliveries[q.limit-1].Number
			break
		}
		page.Deliveries = append(page.Deliveries, *one)
	}
	return page
}

// DeliveryOptions say how notifications are sent. The interface document names exponential backoff and 30
// seconds for the answer, and no other figure: the defaults are choices.
type DeliveryOptions struct {
	// Journal remembers deliveries over a restart; nil: memory only. Close gives it back.
	Journal *Journal
	// FirstDelay is waited after the first failed attempt; default 30 s. Factor makes each further wait
	// longer; default 2, at least 1. Cap bounds one wait; default 1 h. Each is varied by up to a fifth.
	FirstDelay time.Duration
	Factor     float64
	Cap        time.Duration
	// Window is how long after the change a delivery is given up; default 72 h.
	Window time.Duration
	// Timeout is how long a receiver may take to answer; default 30 s.
	Timeout time.Duration
	// Workers is how many deliveries are under way at once; default 8.
	Workers int
	// Transport carries the requests; default one of the service's own.
	Transport http.RoundTripper
}

func (o DeliveryOptions) withDefaults() DeliveryOptions {
	setDefault(&o.FirstDelay, 30*time.Second)
	setDefault(&o.Factor, 2)
	setDefault(&o.Cap, time.Hour)
	setDefault(&o.Window, 72*time.Hour)
	setDefault(&o.Timeout, 30*time.Second)
	setDefault(&o.Workers, 8)
	return o
}

func setDefault[T int | float64 | time.Duration](v *T, to T) {
	if *v <= 0 {
		*v = to
	}
}

// retryDelay is how long to wait after some failed attempts; dice in [0, 1) varies it.
func (o DeliveryOptions) retryDelay(attempts int, dice float64) time.Duration {
	seconds := o.FirstDelay.Seconds() * math.Pow(o.Factor, float64(attempts-1))
	seconds = min(seconds, o.Cap.Seconds())
	return time.Duration(seconds * (0.8 + 0.4*dice) * float64(time.Second))
}

// randomShare is a random number in [0, 1), so that receivers are not all tried at once.
func randomShare() float64 { return rand.Float64() }
