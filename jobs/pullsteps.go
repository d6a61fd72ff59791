package jobs

import (
	"context"

	"concilia/jobs/pull"
	"concilia/store"
	"concilia/store/ledger"
)

// pullSteps are the steps of a run that ask the service and keep its answers.
type pullSteps struct {
	ledger   *store.Ledger
	accounts []ledger.Account
	puller   *pull.Puller
}

func (t *task) newPullSteps() *pullSteps {
	return &pullSteps{ledger: t.worker.Ledger, accounts: listNumbers(t.accounts), puller: t.newPuller()}
}

// pullWindows links the notifications that arrived, plans the windows of a nightly run and asks for them.
func (p *pullSteps) pullWindows(ctx context.Context, run *ledger.Run) (*pull.Outcome, error) {
	if err := p.puller.LinkNotifications(ctx, run, nil); err != nil {
		return nil, err
	}
	units, err := p.puller.PlanNight(ctx, run)
	if err != nil {
		return nil, err
	}
	return p.puller.PullUnits(ctx, run, units)
}

// pullRanges links the notifications that arrived, plans the ranges of a run and asks for them.
func (p *pullSteps) pullRanges(ctx context.Context, run *ledger.Run, ranges []pull.Range, maxRequests int64) (*pull.Outcome, error) {
	if err := p.puller.LinkNotifications(ctx, run, nil); err != nil {
		return nil, err
	}
	if err := p.puller.PlanRanges(ctx, run, ranges); err != nil {
		return nil, err
	}
	return p.puller.PullRanges(ctx, run, maxRequests)
}

// recheckAndLink asks a second time about contradictions in what a run has pulled, links notifications to the installments
// that it brought, and records what it pulled. It returns the questions that were answered.
func (p *pullSteps) recheckAndLink(ctx context.Context, run *ledger.Run, s *Summary, outcome *pull.Outcome) (map[pull.Question]bool, error) {
	answered, err := p.puller.Recheck(ctx, run, outcome)
	if err != nil {
		return nil, err
	}
	if err := p.puller.LinkNotifications(ctx, run, outcome); err != nil {
		return nil, err
	}
	return answered, p.recordPulled(ctx, run, s, outcome)
}

// recordPulled records what a run has pulled, in all processes that worked on it: a run that was killed and continued counts
// once. Of the answers to rechecks only the requests count.
func (p *pullSteps) recordPulled(ctx context.Context, run *ledger.Run, s *Summary, outcome *pull.Outcome) error {
	run.Pulled, run.Asked = ledger.Counts{}, ledger.RequestCounts{}
	for _, a := range p.accounts {
		pulls, err := p.ledger.PullsOfRun(ctx, a, run.ID)
		if err != nil {
			return err
		}
		run.Asked.Add(pull.CountRequests(pulls))
		for _, one := range pulls {
			if !one.Complete || one.Window.Reason == pull.ReasonRecheck {
				one.Counts = ledger.Counts{Requests: one.Counts.Requests}
			}
			run.Pulled.Add(one.Counts)
		}
	}
	s.Pulled, s.Windows, s.FailedWindows = pulledOf(run.Pulled), outcome.Windows, outcome.Failed
	s.Outage, s.WrongAddress, s.FailureCauses = outcome.Outage, outcome.WrongAddress, outcome.Causes
	if outcome.NothingAnswered() {
		s.Verdict = ledger.Incomplete
	}
	return nil
}

func pulledOf(c ledger.Counts) *Pulled {
	return &Pulled{
		Requests: c.Requests, Rows: c.Rows, New: c.New, Changed: c.Changed, Same: c.Same, Vanished: c.Vanished,
		Quarantined: c.Quarantined,
	}
}
