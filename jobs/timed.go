package jobs

import (
	"slices"
	"time"

	"concilia/store/ledger"
)

// timed is a Progress that notes in the run's record how long each step takes; one that comes again adds to its first
// time. Step and Done are called by the one goroutine that leads the run.
type timed struct {
	Progress
	wall  func() time.Time
	run   *ledger.Run
	name  string // of the step that goes on; empty: none does
	began time.Time
}

// Step begins a step, and ends one that was broken off.
func (p *timed) Step(name string, total int) {
	p.stop()
	p.name, p.began = name, p.wall()
	p.Progress.Step(name, total)
}

// Done ends the step.
func (p *timed) Done(result string) {
	p.stop()
	p.Progress.Done(result)
}

func (p *timed) stop() {
	if p.name == "" {
		return
	}
	i := slices.IndexFunc(p.run.Steps, func(s ledger.RunStep) bool { return s.Name == p.name })
	if i < 0 {
		i = len(p.run.Steps)
		p.run.Steps = append(p.run.Steps, ledger.RunStep{Name: p.name})
	}
	p.run.Steps[i].Took += p.wall().Sub(p.began)
	p.name = ""
}
