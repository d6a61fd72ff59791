package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"concilia/export/words"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// Silent is a pull.Progress that displays nothing.
type Silent struct{}

// Step, Advance and Done do nothing.
func (Silent) Step(string, int) {}

func (Silent) Advance(int) {}

func (Silent) Done(...words.Message) {}

const (
	// storeStepsEvery is how often the time of a step in progress is stored: a killed process loses at most this much.
	storeStepsEvery = 5 * time.Second
	// maxStoreTime bounds one write, which is not worth a longer wait.
	maxStoreTime = 2 * time.Second
)

// stepTimer is a pull.Progress that notes in the run record how long each step takes. The times of a step that is
// repeated, also by a process that continues the run, are added up. Step and Done are called only by the goroutine that
// leads the run.
type stepTimer struct {
	pull.Progress
	wall func() time.Time
	run  *ledger.Run
	// keep stores the steps where other processes can read them. If it fails, the run goes on.
	keep func(context.Context, string, []ledger.RunStep) error

	mu    sync.Mutex // guards what follows, and the run's steps
	name  string     // of the step in progress; empty: there is none
	began time.Time
}

// Step begins a step, and ends the previous one if it was interrupted.
func (p *stepTimer) Step(name string, total int) {
	p.stopStep()
	p.mu.Lock()
	p.name, p.began = name, p.wall()
	p.mu.Unlock()
	p.Progress.Step(name, total)
}

// Done ends the step.
func (p *stepTimer) Done(results ...words.Message) {
	p.stopStep()
	p.storeSteps(context.Background())
	p.Progress.Done(results...)
}

func (p *stepTimer) stopStep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.Steps = p.currentSteps()
	p.name = ""
}

// currentSteps returns the run's steps with the current time of the one in progress.
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

// storeStepsRegularly stores the steps every few seconds until end is called, and then once more.
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
			return // its record has the steps
		}
		p.stopStep()
		p.storeSteps(context.WithoutCancel(ctx))
	}
}
