package service

import (
	"container/heap"
	"maps"
	"slices"
	"time"
)

// lane is what one account waits for. Accounts have lanes of their own so that a receiver that hangs does
// not hold up the others'.
type lane struct {
	queue   queue
	sending int
}

func (l *lane) push(one *Delivery) { heap.Push(&l.queue, one) }

// lane is an account's.
func (d *deliveries) lane(account int64) *lane {
	l := d.waiting[account]
	if l == nil {
		l = &lane{}
		d.waiting[account] = l
	}
	return l
}

// due takes the next delivery that is due, of the account with the fewest under way; with none it tells how
// long there will be none, at most.
func (d *deliveries) due(now time.Time) (*Delivery, time.Duration) {
	var best *lane
	rest, share := glance, d.share()
	for _, account := range slices.Sorted(maps.Keys(d.waiting)) {
		l := d.waiting[account]
		if len(l.queue) == 0 || l.sending >= share {
			continue
		}
		if wait := l.queue[0].NextAttempt.Sub(now); wait > 0 {
			rest = min(rest, wait)
		} else if best == nil || l.sending < best.sending {
			best = l
		}
	}
	if best == nil {
		return nil, rest
	}
	return heap.Pop(&best.queue).(*Delivery), 0
}

// share is how many deliveries of one account may be under way: all the workers, or half of them once a
// second account had any.
func (d *deliveries) share() int {
	if len(d.waiting) < 2 {
		return d.o.Workers
	}
	return max(1, d.o.Workers/2)
}

// begin starts the dispatcher, once there is something for it.
func (d *deliveries) begin() {
	if d.ended != nil || d.stopping {
		return
	}
	d.ended = make(chan struct{})
	go d.dispatch()
}

// poke has the dispatcher look again.
func (d *deliveries) poke() {
	select {
	case d.wake <- struct{}{}:
	default: // it has not yet looked since the last one
	}
}

// glance is how often the dispatcher looks at the wall clock, which may be set while it waits.
const glance = time.Second

// dispatch hands out what is due, never more at once than there are workers, until it is time to stop and
// nothing is under way.
func (d *deliveries) dispatch() {
	defer close(d.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		d.mu.Lock()
		now := d.now().UTC()
		rest := glance
		for !d.stopping && d.sending < d.o.Workers {
			one, wait := d.due(now)
			if one == nil {
				rest = min(rest, wait)
				break
			}
			d.move(one, stateSending)
			d.sending++
			d.lane(one.Account).sending++
			go d.attempt(one, one.Account, one.Notification)
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

func (d *deliveries) move(one *Delivery, state string) {
	d.counts[one.State]--
	one.State = state
	d.counts[state]++
}

// queue orders waiting deliveries by when they are due.
type queue []*Delivery

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].NextAttempt.Equal(q[j].NextAttempt) {
		return q[i].Number < q[j].Number
	}
	return q[i].NextAttempt.Before(q[j].NextAttempt)
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for package heap.
func (q *queue) Push(x any) { *q = append(*q, x.(*Delivery)) }

// Pop is for package heap.
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
