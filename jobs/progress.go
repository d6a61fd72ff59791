package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// Silent is a Progress that displays nothing.
type Silent struct{}

// Step, Advance and Done do nothing.
func (Silent) Step(string, int) {}

func (Silent) Advance(int) {}

func (Silent) Done(string) {}

const (
	// storeStepsEvery is how often the time of a step under way is kept: as much of it is lost with a process that is killed.
	storeStepsEvery = 5 * time.Second
	// maxStoreTime bounds one note, which is worth no wait.
	maxStoreTime = 2 * time.Second
)

// stepTimer is a pull.Progress that notes in the run's record how long each step takes; one that comes again adds to its first
// time, as does one of a process that takes the run up. Step and Done are called by the one goroutine that leads the
// run.
type stepTimer struct {
	pull.Progress
	wall func() time.Time
	run  *ledger.Run
	// keep keeps the steps where another process finds them. That it fails changes nothing of the run.
	keep func(context.Context, string, []ledger.RunStep) error

	mu    sync.Mutex // guards what follows, and the run's steps while one goes on
	name  string     // of the step that goes on; empty: none does
	began time.Time
}

// Step begins a step, and ends one that was broken off.
func (p *stepTimer) Step(name string, total int) {
	p.stopStep()
	p.mu.Lock()
	p.name, p.began = name, p.wall()
	p.mu.Unlock()
	p.Progress.Step(name, total)
}

// Done ends the step.
func (p *stepTimer) Done(result string) {
	p.stopStep()
	p.storeSteps(context.Background())
	p.Progress.Done(result)
}

func (p *stepTimer) stopStep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.Steps = p.currentSteps()
	p.name = ""
}

// currentSteps are the run's steps with what the one under way has taken by now.
func (p *stepTimer) currentSteps() []ledger.RunStep {
	steps := slices.Clone(p.run.Steps)
	if p.name == "" {
		return steps
	}
	i := slices.IndexFunc(steps, func(s ledger.RunStep) bool { return s.Name == p.name })
	if i < 0 {
		i = len(steps)
		steps = append(steps, ledger.RunStep{Name: p.name})
	}
	steps[i].Took += p.wall().Sub(p.began)
	return steps
}

func (p *stepTimer) storeSteps(ctx context.Context) {
	p.mu.Lock()
	steps := p.currentSteps()
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, maxStoreTime)
	defer cancel()
	_ = p.keep(ctx, p.run.ID, steps)
}

// storeStepsRegularly notes the steps now and then, until what it gives is called, and then once more.
func (p *stepTimer) storeStepsRegularly(ctx context.Context) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var noter sync.WaitGroup
	noter.Go(func() {
		tick := time.NewTicker(storeStepsEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				p.storeSteps(ctx)
			}
		}
	})
	return func() {
		stop()
		noter.Wait()
		if p.run.Finished() {
			return // its record is whole
		}
		p.stopStep()
		p.storeSteps(context.WithoutCancel(ctx))
	}
}
