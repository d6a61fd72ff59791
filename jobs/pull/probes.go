package pull

import (
	"context"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// reasonProbe is why the pull of a probe request is not complete, although its answer is.
const reasonProbe = "a probe request: it proves no day complete"

// prober sends probe requests, whose answers do not prove a day complete.
type prober struct {
	*asker
	accounts []plan.Account
	planner  *plan.Planner
}

// sendProbes sends a nightly run's probe requests. One that is not answered is kept as failed and repeated in another run.
func (p *prober) sendProbes(ctx context.Context) error {
	for _, a := range p.accounts {
		firstDay, err := plan.FixFirstDay(ctx, p.ledger, a, p.run.AsOf)
		if err != nil {
			return err
		}
		all, err := p.planner.PlanProbes(ctx, a.Number, firstDay, p.run.AsOf)
		if err != nil {
			return err
		}
		for i := range all {
			if p.stopReason() != nil {
				return nil
			}
			if err := p.sendProbe(ctx, &all[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendProbe sends one probe request and keeps what it shows.
func (p *prober) sendProbe(ctx context.Context, b *plan.ProbeRequest) error {
	if b.Slip != "" {
		_, err := p.askDetail(ctx, b.Window, b.Slip)
		return err
	}
	if b.Brand != "" {
		return p.askSimulator(ctx, b)
	}
	pull := p.newPull(b.Window)
	a, err := p.askProbe(ctx, pull, b)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case api.IsRefused(err):
		return err
	case err != nil:
		return p.keepUnanswered(ctx, pull, err)
	}
	pull.Complete, pull.Failure = false, reasonProbe
	if b.Wider {
		// The rows are pulled by windows of their own: this request only measures and must change none of them.
		a.countOuterDays(&pull.Note, b.Period)
		pull.Counts.Rows = a.countRows()
		p.outcome.markReachable()
		return p.ledger.StorePull(ctx, pull)
	}
	if err := p.fillRegistrationState(ctx, a, b); err != nil {
		return err
	}
	if err := p.ledger.MergeSlips(ctx, pull, a.slips, a.Bad); err != nil {
		return err
	}
	p.outcome.markReachable()
	return nil
}

// askProbe is askService with the filter by registration state, which only probe requests have.
func (p *prober) askProbe(ctx context.Context, pull *ledger.Pull, b *plan.ProbeRequest) (*answer, error) {
	if !b.Integration.OK {
		return p.askService(ctx, pull)
	}
	s, err := p.service.ListSlips(ctx, b.Source, b.Account, b.Period.From, b.Period.To, b.Integration)
	pull.Counts.Requests = int64(s.Requests)
	if err != nil {
		return nil, err
	}
	a := &answer{slips: s.Rows, conflicting: s.Conflicting, Receipt: s.Receipt}
	p.completePull(pull, a.Receipt)
	pull.Note = a.makeNote(b.Window)
	return a, nil
}

// fillRegistrationState sets the state of registration in the slips of an answer that was filtered by it, because lists do
// not show that member. Slips whose state is known from another list are left as they are. If the answer has a slip that is
// known to be in another state, or, for any state but the usual one, every slip of the list, the service ignored the filter
// and nothing is set.
func (p *prober) fillRegistrationState(ctx context.Context, a *answer, b *plan.ProbeRequest) error {
	known, err := p.ledger.SlipRegistrations(ctx, b.Account, b.Period)
	if err != nil {
		return err
	}
	shown := 0
	for i := range a.slips {
		k, listed := known[a.slips[i].ID]
		if k.OK && k != b.Integration {
			return nil
		}
		if listed {
			shown++
		}
	}
	if shown > 0 && shown == len(known) && b.Integration.V != ledger.IntegrationIssued {
		return nil
	}
	for i := range a.slips {
		if s := &a.slips[i]; !known[s.ID].OK {
			s.Integration = b.Integration
		}
	}
	return nil
}

// askSimulator asks what a sale of a brand would cost and keeps the answer. The simulator takes no account, so the answer for
// the first account is kept for the others too. That the service does not answer, or refuses the login, is not an error: its
// charges are compared in another run.
func (p *prober) askSimulator(ctx context.Context, b *plan.ProbeRequest) error {
	o := p.outcome
	if o.simulatorFailed {
		return nil
	}
	pull := p.newPull(b.Window)
	a, known := o.simulated[b.Brand]
	if !known {
		var err error
		a, err = p.service.SimulateSettlement(ctx, b.Brand, plan.SimulatedNet)
		pull.Counts.Requests = int64(a.Requests)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			o.simulatorFailed = api.IsRefused(err) || api.IsUnreachable(err)
			return p.keepUnanswered(ctx, pull, err)
		}
		if o.simulated == nil {
			o.simulated = map[string]api.SimulationAnswer{}
		}
		o.simulated[b.Brand] = a
		pull.Note.Skew, pull.Note.Unknown = measureSkew(&a.Receipt), a.Unknown
		o.markReachable()
	}
	p.completePull(pull, a.Receipt)
	pull.Complete, pull.Failure = false, reasonProbe
	pull.Note.Simulated = &ledger.Simulation{Brand: b.Brand, Net: plan.SimulatedNet, Options: a.Options}
	return p.ledger.StorePull(ctx, pull)
}
