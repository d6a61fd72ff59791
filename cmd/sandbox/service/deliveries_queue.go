package service

import (
	"container/heap"
	"maps"
	"slices"
	"time"
)

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

// takeDue takes the next delivery that is due, of the account with the fewest under way; with none it tells how
// long there will be none, at most.
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

// accountLimit is how many deliveries of one account may be under way: all the workers, or half of them once a
// second account had any.
func (d *deliveries) accountLimit() int {
	if len(d.queues) < 2 {
		return d.options.Workers
	}
	return max(1, d.options.Workers/2)
}

// startDispatcher starts the dispatcher, once there is something for it.
func (d *deliveries) startDispatcher() {
	if d.ended != nil || d.stopping {
		return
	}
	d.ended = make(chan struct{})
	go d.runDispatcher()
}

// wakeDispatcher has the dispatcher look again.
func (d *deliveries) wakeDispatcher() {
	select {
	case d.wake <- struct{}{}:
	default: // it has not yet looked since the last one
	}
}

// pollInterval is how often the dispatcher looks at the wall clock, which may be set while it waits.
const pollInterval = time.Second

// runDispatcher hands out what is due, never more at once than there are workers, until it is time to stop and
// nothing is under way.
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
