package service

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

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
