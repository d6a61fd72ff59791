package service

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"concilia/cmd/sandbox/world"
)

// notification is the document's body, members in its order.
type notification struct {
	MovementID        int64  `json:"movementId"`
	NSU               string `json:"nsu"`
	CodAuth           string `json:"codAuth"`
	InstallmentNumber int    `json:"installmentNumber"`
	Moment            string `json:"moment"`
	Type              string `json:"type"`
	OldValue          string `json:"oldValue"`
	NewValue          string `json:"newValue"`
}

// changeType is the one type of change there is. Choice: the document names none.
const changeType = "STATUS_CHANGE"

// notificationOf puts an event into the document's shape. Choice: moment is on the clock of transactionDate,
// without an offset; what had no status before has an empty oldValue.
func notificationOf(e world.Event) notification {
	return notification{
		MovementID: e.ID, NSU: e.NSU, CodAuth: e.CodAuth, InstallmentNumber: e.Number,
		Moment: e.Moment.Format("2006-01-02T15:04:05"), Type: changeType, OldValue: e.Old, NewValue: e.New,
	}
}

// queueChanges queues what a move of the business clock changed. Choice: moved back, the clock undoes nothing that
// was sent; moved forward again, the same changes are sent again under the same movementId.
func (s *Service) queueChanges(old, now time.Time) {
	notes := map[int64][]notification{}
	for _, a := range s.world.Accounts() {
		if _, _, ok := s.subscriptions.subscriptionOf(a.Number); !ok {
			continue // Choice: what happens while there is no subscription is never sent
		}
		for e := range s.world.Events(a.Number, old, now) {
			notes[a.Number] = append(notes[a.Number], notificationOf(e))
		}
	}
	s.deliveries.queueAll(now, notes)
}

// Close stops sending: attempts under way may end until ctx does, the rest waits in the journal. The service
// must not be asked anything afterwards.
func (s *Service) Close(ctx context.Context) error { return s.deliveries.stopDispatcher(ctx) }

// attemptDelivery sends a delivery once and sets its next state.
func (d *deliveries) attemptDelivery(one *Delivery, account int64, n notification) {
	status, err := 0, error(nil)
	address, authorization, subscribed := d.target(account)
	if subscribed {
		status, err = d.postNotification(address, authorization, n)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sending--
	d.queueOf(account).sending--
	defer d.wakeDispatcher()
	defer d.notifyWaiters()
	if subscribed && d.ctx.Err() != nil && status == 0 {
		d.setState(one, statePending) // cut off by the stop: it does not count
		d.queueOf(account).push(one)
		return
	}
	now := d.now().UTC()
	if subscribed {
		one.Attempts++
		one.LastAttempt, one.LastStatus, one.LastError = now, status, ""
		if err != nil {
			one.LastError = err.Error()
		}
	}
	one.NextAttempt = time.Time{}
	next := now.Add(d.options.retryDelay(max(one.Attempts, 1), randomShare()))
	switch {
	case !subscribed:
		d.setState(one, stateDropped)
	case status/100 == 2:
		d.setState(one, stateDelivered)
	case next.After(one.Queued.Add(d.options.Window)):
		d.setState(one, stateExpired)
	default:
		one.NextAttempt = next
		d.setState(one, statePending)
		d.queueOf(account).push(one)
	}
	if one.State != statePending {
		d.rememberFinished(one.Number)
	}
	d.writeJournal(false, journalLine{Delivery: one})
}

// maxReply is how much of an answer's body is read so that the connection can be reused; the document requires no body.
const maxReply = 64 << 10

// postNotification posts one notification and returns the status it was answered with.
func (d *deliveries) postNotification(address, authorization string, n notification) (int, error) {
	body, err := json.Marshal(n)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(d.ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, stripURL(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Access-Key", d.accessKey)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	resp, err := d.client.Do(r)
	if err != nil {
		return 0, stripURL(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxReply) // the status is the answer
	return resp.StatusCode, nil
}

// stripURL removes the address from an error, since it may contain a secret.
func stripURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func (d *deliveries) stopDispatcher(ctx context.Context) error {
	d.mu.Lock()
	d.stopping = true
	ended := d.ended
	d.mu.Unlock()
	d.wakeDispatcher()
	if ended != nil {
		select {
		case <-ended:
		case <-ctx.Done():
		}
		d.cancel()
		<-ended
	}
	d.cancel()
	d.client.CloseIdleConnections()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.options.Journal == nil {
		return nil
	}
	err := d.options.Journal.close()
	d.options.Journal = nil
	return err
}

// accountQueue is what one account waits for. Accounts have lanes of their own so that a receiver that hangs does
// not hold up the others'.
type accountQueue struct {
	heap    deliveryHeap
	sending int
}

func (l *accountQueue) push(one *Delivery) { heap.Push(&l.heap, one) }

// queueOf is an account's.
func (d *deliveries) queueOf(account int64) *accountQueue {
	l := d.queues[account]
	if l == nil {
		l = &accountQueue{}
		d.queues[account] = l
	}
	return l
}

// takeDue removes and returns the next delivery that is due, of the account with the fewest being sent; if none is due,
// the time to wait at most.
func (d *deliveries) takeDue(now time.Time) (*Delivery, time.Duration) {
	var best *accountQueue
	rest, share := pollInterval, d.accountLimit()
	for _, account := range slices.Sorted(maps.Keys(d.queues)) {
		l := d.queues[account]
		if len(l.heap) == 0 || l.sending >= share {
			continue
		}
		if wait := l.heap[0].NextAttempt.Sub(now); wait > 0 {
			rest = min(rest, wait)
		} else if best == nil || l.sending < best.sending {
			best = l
		}
	}
	if best == nil {
		return nil, rest
	}
	return heap.Pop(&best.heap).(*Delivery), 0
}

// accountLimit is how many deliveries of one account may be sent at once: as many as there are workers, or half of them
// once a second account had any.
func (d *deliveries) accountLimit() int {
	if len(d.queues) < 2 {
		return d.options.Workers
	}
	return max(1, d.options.Workers/2)
}

// startDispatcher starts the dispatcher with the first delivery.
func (d *deliveries) startDispatcher() {
	if d.ended != nil || d.stopping {
		return
	}
	d.ended = make(chan struct{})
	go d.runDispatcher()
}

// wakeDispatcher makes the dispatcher check for due deliveries.
func (d *deliveries) wakeDispatcher() {
	select {
	case d.wake <- struct{}{}:
	default: // it is about to check anyway
	}
}

// pollInterval is how often the dispatcher reads the wall clock, which may be set while it waits.
const pollInterval = time.Second

// runDispatcher starts attempts of due deliveries, at most as many at once as there are workers, until the service stops
// and no attempt is running.
func (d *deliveries) runDispatcher() {
	defer close(d.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		d.mu.Lock()
		now := d.now().UTC()
		rest := pollInterval
		for !d.stopping && d.sending < d.options.Workers {
			one, wait := d.takeDue(now)
			if one == nil {
				rest = min(rest, wait)
				break
			}
			d.setState(one, stateSending)
			d.sending++
			d.queueOf(one.Account).sending++
			go d.attemptDelivery(one, one.Account, one.Notification)
		}
		stop := d.stopping && d.sending == 0
		d.mu.Unlock()
		if stop {
			return
		}
		timer.Reset(rest)
		select {
		case <-d.wake:
		case <-timer.C:
		}
	}
}

func (d *deliveries) setState(one *Delivery, state string) {
	d.counts[one.State]--
	one.State = state
	d.counts[state]++
}

// deliveryHeap orders waiting deliveries by when they are due.
type deliveryHeap []*Delivery

func (q deliveryHeap) Len() int { return len(q) }

func (q deliveryHeap) Less(i, j int) bool {
	if q[i].NextAttempt.Equal(q[j].NextAttempt) {
		return q[i].Number < q[j].Number
	}
	return q[i].NextAttempt.Before(q[j].NextAttempt)
}

func (q deliveryHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for package heap.
func (q *deliveryHeap) Push(x any) { *q = append(*q, x.(*Delivery)) }

// Pop is for package heap.
func (q *deliveryHeap) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
