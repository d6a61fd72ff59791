package world

import (
	"sync"
	"sync/atomic"
	"time"
)

// clock is the business clock of a world.
type clock struct {
	now      atomic.Pointer[time.Time]
	moving   sync.Mutex // held while the clock moves
	watchers []func(old, now time.Time)
}

// Now is the business instant.
func (c *clock) Now() time.Time { return *c.now.Load() }

// SetNow moves the business clock, either way, and calls the watchers before it returns.
func (c *clock) SetNow(t time.Time) {
	c.moving.Lock()
	defer c.moving.Unlock()
	old := c.now.Swap(&t)
	for _, watch := range c.watchers {
		watch(*old, t)
	}
}

// OnClockMove has f called on every move of the clock, after it and before another: no instant is passed twice or
// left out between two calls. f must not move the clock.
func (c *clock) OnClockMove(f func(old, now time.Time)) {
	c.moving.Lock()
	defer c.moving.Unlock()
	c.watchers = append(c.watchers, f)
}
