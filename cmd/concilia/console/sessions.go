package console

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"time"

	"concilia/cmd/concilia/console/people"
)

// sessions are who is signed in. They live in the process.
type sessions struct {
	idle, absolute time.Duration
	wall           func() time.Time

	mu   sync.Mutex
	open map[[sha256.Size]byte]*session // by the hash of the secret, so that memory holds none
}

// session is one browser of a person.
type session struct {
	name     string
	password string // what the file kept of it when it began: another one ends the session
	began    time.Time
	seen     time.Time
}

// sessionsOfPerson is how many a person may have; another one ends the one that was seen last longest ago.
const sessionsOfPerson = 5

func newSessions(idle, absolute time.Duration, wall func() time.Time) *sessions {
	return &sessions{idle: idle, absolute: absolute, wall: wall, open: map[[sha256.Size]byte]*session{}}
}

// begin opens a session and returns its secret.
func (s *sessions) begin(p *people.Person) string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	now := s.wall()
	s.mu.Lock()
	defer s.mu.Unlock()
	var mine [][sha256.Size]byte
	for id, of := range s.open {
		switch {
		case s.isOver(of, now):
			delete(s.open, id)
		case strings.EqualFold(of.name, p.Name):
			mine = append(mine, id)
		}
	}
	slices.SortFunc(mine, func(a, b [sha256.Size]byte) int { return s.open[a].seen.Compare(s.open[b].seen) })
	for len(mine) >= sessionsOfPerson {
		delete(s.open, mine[0])
		mine = mine[1:]
	}
	s.open[sha256.Sum256(secret)] = &session{p.Name, p.Password, now, now}
	return base64.RawURLEncoding.EncodeToString(secret)
}

func (s *sessions) isOver(of *session, now time.Time) bool {
	return now.Sub(of.seen) >= s.idle || now.Sub(of.began) >= s.absolute
}

// find is the person of a secret; register looks people up, whom a change of their password signs out.
func (s *sessions) find(secret string, register *people.Register) (people.Person, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil || len(raw) != 32 {
		return people.Person{}, false
	}
	id, now := sha256.Sum256(raw), s.wall()
	s.mu.Lock()
	defer s.mu.Unlock()
	of, ok := s.open[id]
	if !ok {
		return people.Person{}, false
	}
	person, known := register.Find(of.name)
	if !known || person.Password != of.password || s.isOver(of, now) {
		delete(s.open, id)
		return people.Person{}, false
	}
	of.seen = now
	return person, true
}

// end closes a session.
func (s *sessions) end(secret string) {
	if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil {
		s.mu.Lock()
		delete(s.open, sha256.Sum256(raw))
		s.mu.Unlock()
	}
}

// count is how many sessions a person has.
func (s *sessions) count(name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.open {
		if strings.EqualFold(of.name, name) && !s.isOver(of, s.wall()) {
			n++
		}
	}
	return n
}

// throttle slows down who tries passwords, by name and by address.
type throttle struct {
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

const (
	freeTries    = 5
	triesWindow  = 15 * time.Minute
	longestPause = time.Minute
	mostTries    = 10_000 // names and addresses remembered
)

func newThrottle(wall func() time.Time) *throttle {
	return &throttle{wall: wall, tries: map[string]*tries{}}
}

// noteTry notes a try as a failure before its password is looked at, so that tries at the same time count for each other; or it is how long
// these have to wait before they may try.
func (t *throttle) noteTry(keys ...string) time.Duration {
	t.taking.Lock()
	defer t.taking.Unlock()
	wait := t.pause(keys...)
	if wait == 0 {
		t.fail(keys...)
	}
	return wait
}

// takeTryBack takes a try back that was none: the password was right.
func (t *throttle) takeTryBack(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.tries[key]; of != nil {
		if of.failures--; of.failures < freeTries {
			of.until = time.Time{}
		}
	}
}

// pause is how long these have to wait before they may try; 0: not at all.
func (t *throttle) pause(keys ...string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		if of := t.tries[key]; of != nil {
			wait = max(wait, of.until.Sub(t.wall()))
		}
	}
	return wait
}

// fail notes a failure: from the sixth on each doubles the pause.
func (t *throttle) fail(keys ...string) {
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
		if over := of.failures - freeTries; over >= 0 {
			of.until = now.Add(min(time.Second<<min(over, 6), longestPause))
		}
	}
}

// forget ends the count of a name that signed in.
func (t *throttle) forget(key string) {
	t.mu.Lock()
	delete(t.tries, key)
	t.mu.Unlock()
}
