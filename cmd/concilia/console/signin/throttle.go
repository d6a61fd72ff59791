package signin

import (
	"sync"
	"time"
)

// Throttle slows down who tries passwords, by name and by address. It is safe for use by many goroutines.
type Throttle struct {
	wall func() time.Time

	taking sync.Mutex
	mu     sync.Mutex
	tries  map[string]*tries
}

// tries are the failures of a name or an address.
type tries struct {
	failures int
	last     time.Time
	until    time.Time // no try before
}

// What a name or an address may try.
const (
	FreeTries    = 5           // failures without a pause
	LongestPause = time.Minute // before it may try again
	triesWindow  = 15 * time.Minute
	mostTries    = 10_000 // names and addresses remembered
)

// NewThrottle has seen no tries.
func NewThrottle(wall func() time.Time) *Throttle {
	return &Throttle{wall: wall, tries: map[string]*tries{}}
}

// NoteTry notes a try as a failure before its password is looked at, so that tries at the same time count for each other; or it is how long
// these have to wait before they may try.
func (t *Throttle) NoteTry(keys ...string) time.Duration {
	t.taking.Lock()
	defer t.taking.Unlock()
	wait := t.remainingPause(keys...)
	if wait == 0 {
		t.recordFailure(keys...)
	}
	return wait
}

// TakeTryBack takes a try back that was none: the password was right.
func (t *Throttle) TakeTryBack(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.tries[key]; of != nil {
		if of.failures--; of.failures < FreeTries {
			of.until = time.Time{}
		}
	}
}

// remainingPause is how long these have to wait before they may try; 0: not at all.
func (t *Throttle) remainingPause(keys ...string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		if of := t.tries[key]; of != nil {
			wait = max(wait, of.until.Sub(t.wall()))
		}
	}
	return wait
}

// recordFailure counts a failed try: from the sixth on each doubles the pause.
func (t *Throttle) recordFailure(keys ...string) {
	now := t.wall()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.tries) >= mostTries {
		for key, of := range t.tries {
			if now.Sub(of.last) >= triesWindow {
				delete(t.tries, key)
			}
		}
	}
	for _, key := range keys {
		of := t.tries[key]
		switch {
		case of == nil && len(t.tries) >= mostTries:
			continue // under such an attack the address is what is slowed down
		case of == nil || now.Sub(of.last) >= triesWindow:
			of = &tries{}
			t.tries[key] = of
		}
		of.failures++
		of.last = now
		if over := of.failures - FreeTries; over >= 0 {
			of.until = now.Add(min(time.Second<<min(over, 6), LongestPause))
		}
	}
}

// Forget ends the count of a name that signed in.
func (t *Throttle) Forget(key string) {
	t.mu.Lock()
	delete(t.tries, key)
	t.mu.Unlock()
}
