package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
)

// trouble is what a process finds, and how it ends before its time.
type trouble struct {
	fatal string        // the step after which it is ended, whatever the pace of the machine; empty: none
	life  time.Duration // after which it is ended; 0: it is let live
	stop  bool          // it is asked to end, not killed
	share string        // readOnlyShare or fullShare in place of the folder of the reports; empty: the folder
	twin  bool          // another process begins the same night, in a PID namespace of its own where there may be one
}

// command runs the built program on the morning of night n. A process that was killed has the exit code -1.
func (s *soaked) command(t *testing.T, n int, in trouble, args ...string) (int, string) {
	t.Helper()
	cmd := s.program(t, n, args...)
	if in.share != "" {
		reports := filepath.Join(s.dir, "reports")
		if err := os.MkdirAll(reports, 0o755); err != nil {
			t.Fatal(err)
		}
		troubledShare(cmd, reports, in.share)
	}
	end := func() {
		if in.stop {
			_ = cmd.Process.Signal(os.Interrupt)
		} else {
			_ = cmd.Process.Kill()
		}
	}
	out := doomed{step: in.fatal, end: end}
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if in.life > 0 {
		death := time.AfterFunc(in.life, end)
		defer death.Stop()
	}
	if in.twin {
		s.beside(t, n, args...)
	}
	_ = cmd.Wait() // the code says it
	return cmd.ProcessState.ExitCode(), out.said.String()
}

// program is the built program with arguments, on the morning of night n.
func (s *soaked) program(t *testing.T, n int, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(s.built.concilia, append([]string{"--config", filepath.Join(s.dir, "concilia.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK="+morning(t, n).Format(time.RFC3339))
	return cmd
}

// beside runs the program once more until it ends, at the same time as the one that began. It finds that one at work, unless it was the first.
func (s *soaked) beside(t *testing.T, n int, args ...string) {
	t.Helper()
	cmd := s.program(t, n, args...)
	if s.spaces {
		anotherMachine(cmd)
	}
	out, _ := cmd.CombinedOutput() // the code says it
	code := cmd.ProcessState.ExitCode()
	if code == exit.Locked {
		s.locked++
	} else if !slices.Contains([]int{exit.OK, jobs.ExitWarnings, exit.Breaks, jobs.ExitIncomplete, exit.Unreachable, exit.Config}, code) {
		t.Fatalf("beside another process night %d ended with %d:\n%s", n, code, out)
	}
}

// doomed is the output of a process that is ended as soon as it says that a step is done; without one it is let live.
type doomed struct {
	said bytes.Buffer // not embedded: it would be read into behind the back of Write
	step string
	end  func()
}

// Write keeps what the process says.
func (d *doomed) Write(b []byte) (int, error) {
	n, err := d.said.Write(b)
	if d.step != "" && strings.Contains("\n"+d.said.String(), "\n"+d.step+" ") {
		d.end()
	}
	return n, err
}

// start moves the service to the morning of night n and runs the night once.
func (s *soaked) start(t *testing.T, n int, in trouble) (int, string) {
	t.Helper()
	s.ask(t, "/sandbox/clock", map[string]any{"now": morning(t, n)})
	return s.command(t, n, in, "run")
}

// mostAttempts is how often a night may be begun. The last ones are not disturbed, so that each night has an end.
const (
	mostAttempts  = 30
	killsUpTo     = 6
	refusedLogins = 5 // one login in so many is refused
)

// repeat runs night n once more, undisturbed but for what the service does by itself, until it ends.
func (s *soaked) repeat(t *testing.T, n int) int {
	t.Helper()
	s.ask(t, "/sandbox/faults", nil)
	for range mostAttempts {
		code, out := s.start(t, n, trouble{})
		switch code {
		case exit.OK, jobs.ExitWarnings, exit.Breaks:
			return code
		case jobs.ExitIncomplete, exit.Unreachable:
		default:
			t.Fatalf("night %d once more ended with %d:\n%s", n, code, out)
		}
	}
	t.Fatalf("night %d was begun %d times once more and did not end", n, mostAttempts)
	return -1
}

// endure runs night n until it ends: ended after a step, then at random, begun again after every way it may fail for a
// while.
func (s *soaked) endure(t *testing.T, n int, calm time.Duration, chance *rand.Rand) int {
	t.Helper()
	for attempt := range mostAttempts {
		s.spoil(t, chance)
		in := s.draw(n, attempt, calm, chance)
		code, out := s.start(t, n, in)
		t.Logf("night %d, attempt %d: %+v, ended with %d", n, attempt, in, code)
		switch code {
		case -1:
			s.kills++
		case exit.Interrupted:
			s.stops++
		case exit.Locked:
			s.locked++
		case jobs.ExitIncomplete, exit.Unreachable, exit.Config:
			s.again++
			if in.share != "" && strings.Contains(out, "reports.out") {
				s.unpublished++
			}
			s.ask(t, "/sandbox/faults", nil)
		case exit.OK, jobs.ExitWarnings, exit.Breaks:
			return code
		default:
			t.Fatalf("night %d ended with %d:\n%s", n, code, out)
		}
	}
	t.Fatalf("night %d was begun %d times and did not end", n, mostAttempts)
	return -1
}

// draw says into what trouble a night begins. A share takes nothing, and another process is there, once in the first nights, and then
// by chance.
func (s *soaked) draw(n, attempt int, calm time.Duration, chance *rand.Rand) trouble {
	shares := []string{readOnlyShare, fullShare}
	once := func(happened int) bool { return happened == 0 || chance.IntN(8) == 0 }
	switch {
	case attempt == 0:
		return trouble{fatal: []string{"pull", "confirm", "reconcile"}[n%3], stop: n%2 == 1}
	case attempt >= killsUpTo:
		return trouble{}
	case s.spaces && once(s.unpublished):
		return trouble{share: shares[chance.IntN(len(shares))]}
	case once(s.locked):
		return trouble{twin: true}
	case chance.IntN(8) > 0:
		return trouble{life: 1 + time.Duration(chance.Int64N(int64(calm)*3/2)), stop: chance.IntN(2) == 0}
	}
	return trouble{}
}
