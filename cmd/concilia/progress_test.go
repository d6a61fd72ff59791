package main

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is what a terminal was sent.
type screen struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent.Write(b)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	colors := regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	return colors.ReplaceAllString(s.sent.String(), "")
}

// last is the end of it.
func (s *screen) last() string {
	text := s.text()
	return text[max(0, len(text)-200):]
}

// A bar says how much is done of how much, how fast it goes and how long it will take; it leaves one line behind.
func TestBarsSayPaceAndTimeLeft(t *testing.T) {
	t.Parallel()
	out := &screen{}
	b := &bars{out: out}
	b.Step("pull", 43_800)
	want := regexp.MustCompile(`pull +[0-9]+% .*\[4,000 in [0-9]+s; left: [0-9hms]+; [0-9,]+/s\]`)
	for tries := 0; !want.MatchString(out.text()); tries++ {
		if tries == 0 {
			b.Advance(4_000)
		}
		if tries == 1_000 {
			t.Fatalf("the bar never says it all:\n%q", out.last())
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.Done("43800 days in 1640 windows")
	if !strings.HasSuffix(out.text(), "pull       43800 days in 1640 windows\n") {
		t.Errorf("the step leaves behind %q", out.last())
	}
}

// Where there is no terminal a step is a line.
func TestLinesAreOnePerStep(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newProgress(&out, false)
	l.Step("pull", 10)
	l.Advance(10)
	l.Done("10 windows")
	if got := out.String(); got != "pull       10 windows\n" {
		t.Errorf("a step prints %q", got)
	}
	newProgress(&out, true).Done("nothing")
	if strings.Contains(out.String(), "nothing") {
		t.Error("quiet says something")
	}
}
