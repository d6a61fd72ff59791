package jobs_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// TestNightBudget: past its budget a night asks nothing more and is incomplete; the next one asks for what is left, and only a nightly
// run has the budget.
func TestNightBudget(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 7, Days: 12})
	m.SkipReports()
	var seconds atomic.Int64
	start := time.Now()
	m.Wall = func() time.Time { return start.Add(time.Duration(seconds.Add(1)) * time.Second) } // each look at the clock takes a second
	m.NightBudget = time.Minute
	s, err := m.Night(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	if s.Verdict != ledger.Incomplete || len(s.FailedWindows) == 0 || len(s.FailedWindows) == s.Windows {
		t.Fatalf("%s, %d of %d windows failed", s.Verdict, len(s.FailedWindows), s.Windows)
	}
	for _, p := range s.FailedWindows {
		if !strings.HasPrefix(p.Failure, "not asked: the run has asked for 1m0s") {
			t.Errorf("%s of %s: %s", p.Window.Source, p.Window.Period, p.Failure)
		}
	}
	left := len(s.FailedWindows)
	m.NightBudget = 0
	if s, err = m.Night(t.Context(), m.Today()); err != nil || len(s.FailedWindows) > 0 || s.Windows < left {
		t.Errorf("the next night: %v, %d of %d windows failed, %d were left", err, len(s.FailedWindows), s.Windows, left)
	}
}
