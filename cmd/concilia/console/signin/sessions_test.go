package signin

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"concilia/cmd/concilia/console/people"
)

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) wall() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)} }

const goodPassword = "quatro palavras bem longas"

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	path, at := filepath.Join(t.TempDir(), "people.yaml"), newClock()
	if err := people.AddPerson(path, people.Person{Name: "ana", Role: people.Reader, Password: people.HashPassword(goodPassword)}); err != nil {
		t.Fatal(err)
	}
	register, err := people.OpenRegister(path, at.wall, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	ana, _ := register.Find("ana")
	s := NewSessions(30*time.Minute, 2*time.Hour, at.wall)
	holds := func(secret string) bool { _, ok := s.Find(secret, register); return ok }
	first := s.Begin(&ana)
	at.now = at.now.Add(29 * time.Minute)
	if !holds(first) {
		t.Fatal("a session ends before it is idle")
	}
	at.now = at.now.Add(30 * time.Minute)
	if holds(first) {
		t.Error("an idle session stays")
	}
	busy := s.Begin(&ana)
	for range 4 {
		at.now = at.now.Add(29 * time.Minute)
		holds(busy)
	}
	at.now = at.now.Add(10 * time.Minute)
	if holds(busy) {
		t.Error("a session stays past its absolute end")
	}
	var all []string
	for range SessionsOfPerson + 1 {
		at.now = at.now.Add(time.Second)
		all = append(all, s.Begin(&ana))
	}
	if holds(all[0]) || !holds(all[1]) || s.Count("ana") != SessionsOfPerson {
		t.Errorf("%d sessions of a person", s.Count("ana"))
	}
	s.End(all[1])
	if holds(all[1]) || holds("") || holds("AAAA") {
		t.Error("an ended or unknown session holds")
	}
	if err := people.ChangePerson(path, "ana", func(p *people.Person) bool { p.Password = people.HashPassword("uma senha bem diferente"); return true }); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at.now, at.now); err != nil {
		t.Fatal(err)
	}
	if holds(all[2]) {
		t.Error("a session survives another password")
	}
}

func TestTriesAreThrottled(t *testing.T) {
	t.Parallel()
	at := newClock()
	th := NewThrottle(at.wall)
	for range FreeTries - 1 {
		th.recordFailure("name ana")
	}
	if th.remainingPause("name ana") != 0 {
		t.Fatal("the first tries are slowed down")
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		th.recordFailure("name ana")
		if got := th.remainingPause("name ana", "address x"); got != want*time.Second {
			t.Errorf("a pause of %s, want %ds", got, want)
		}
	}
	if th.remainingPause("name rui") != 0 {
		t.Error("another name waits too")
	}
	at.now = at.now.Add(triesWindow)
	th.recordFailure("name ana")
	if th.remainingPause("name ana") != 0 {
		t.Error("old failures count for ever")
	}
	for i := range 2 * mostTries {
		th.recordFailure(fmt.Sprint("name ", i))
	}
	if len(th.tries) > mostTries {
		t.Errorf("%d names are remembered", len(th.tries))
	}
}
