package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"concilia/jobs/pull"
	"concilia/store/ledger"
)

const (
	// noteEvery is how often the time of a step under way is kept: as much of it is lost with a process that is killed.
	noteEvery = 5 * time.Second
	// noteTime bounds one note, which is worth no wait.
	noteTime = 2 * time.Second
)

// timed is a pull.Progress that notes in the run's record how long each step takes; one that comes again adds to its first
// time, as does one of a process that takes the run up. Step and Done are called by the one goroutine that leads the
// run.
type timed struct {
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
func (p *timed) Step(name string, total int) {
	p.stop()
	p.mu.Lock()
	p.name, p.began = name, p.wall()
	p.mu.Unlock()
	p.Progress.Step(name, total)
}

// Done ends the step.
func (p *timed) Done(result string) {
	p.stop()
	p.note(context.Background())
	p.Progress.Done(result)
}

func (p *timed) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.Steps = p.soFar()
	p.name = ""
}

// soFar are the run's steps with what the one under way has taken by now.
func (p *timed) soFar() []ledger.RunStep {
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

func (p *timed) note(ctx context.Context) {
	p.mu.Lock()
	steps := p.soFar()
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	_ = p.keep(ctx, p.run.ID, steps)
}

// noting notes the steps now and then, until what it gives is called, and then once more.
func (p *timed) noting(ctx context.Context) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var noter sync.WaitGroup
	noter.Go(func() {
		tick := time.NewTicker(noteEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				p.note(ctx)
			}
		}
	})
	return func() {
		stop()
		noter.Wait()
		if p.run.Finished() {
			return // its record is whole
		}
		p.stop()
		p.note(context.WithoutCancel(ctx))
	}
}
