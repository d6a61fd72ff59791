package jobs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/jobstest"
)

// slowSteps is a Progress whose steps take ten seconds each by a clock of its own, and which ends a run when a step begins.
type slowSteps struct {
	jobs.Silent
	now   time.Time
	until string // the step that is not reached; empty: all are
	kill  func()
}

func (p *slowSteps) Step(name string, _ int) {
	if name == p.until {
		p.kill()
		return
	}
	p.now = p.now.Add(10 * time.Second)
}

// TestStepsAddUp: what the steps of a run took adds up over the processes that were at it; a step that was broken off
// counts as far as it came.
func TestStepsAddUp(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 5, Days: 3, Installments: 20})
	m.SkipReports()
	for _, c := range []struct{ says, until, want string }{
		{"broken off when the accounts were to be judged", "reconcile", "pull 10s, confirm 10s, reconcile 0s"},
		{"broken off at once when it was taken up", "pull", "pull 10s, confirm 10s, reconcile 0s"},
		{"taken up and ended", "", "pull 20s, confirm 20s, reconcile 10s"},
	} {
		ctx, kill := context.WithCancel(t.Context())
		steps := &slowSteps{now: time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC), until: c.until, kill: kill}
		m.Progress, m.Wall = steps, func() time.Time { return steps.now }
		if _, err := m.Night(ctx, m.Today()); (err == nil) != (c.until == "") {
			t.Fatalf("%s: %v", c.says, err)
		}
		kill()
		runs, err := m.Ledger.FindRun(t.Context(), "2026")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, s := range runs.Steps {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprint(s.Name, " ", s.Took)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", c.says, d)
		}
	}
}
