package signin

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

// Sessions are who is signed in. They live in the process, and are safe for use by many goroutines.
type Sessions struct {
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

// SessionsOfPerson is how many a person may have; another one ends the one that was seen last longest ago.
const SessionsOfPerson = 5

// NewSessions has none. One ends when it was not used for idle, or is absolute old.
func NewSessions(idle, absolute time.Duration, wall func() time.Time) *Sessions {
	return &Sessions{idle: idle, absolute: absolute, wall: wall, open: map[[sha256.Size]byte]*session{}}
}

// Begin opens a session and returns its secret.
func (s *Sessions) Begin(p *people.Person) string {
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
	for len(mine) >= SessionsOfPerson {
		delete(s.open, mine[0])
		mine = mine[1:]
	}
	s.open[sha256.Sum256(secret)] = &session{p.Name, p.Password, now, now}
	return base64.RawURLEncoding.EncodeToString(secret)
}

func (s *Sessions) isOver(of *session, now time.Time) bool {
	return now.Sub(of.seen) >= s.idle || now.Sub(of.began) >= s.absolute
}

// Find is the person of a secret; register looks people up, whom a change of their password signs out.
func (s *Sessions) Find(secret string, register *people.Register) (people.Person, bool) {
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

// End closes a session.
func (s *Sessions) End(secret string) {
	if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil {
		s.mu.Lock()
		delete(s.open, sha256.Sum256(raw))
		s.mu.Unlock()
	}
}

// Count is how many sessions a person has.
func (s *Sessions) Count(name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.open {
		if strings.EqualFold(of.name, name) && !s.isOver(of, s.wall()) {
			n++
		}
	}
	return n
}
