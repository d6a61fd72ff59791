package pull

import (
	"context"
	"errors"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// reasonProbe is why the pull of a probe request is not complete, although its answer is.
const reasonProbe = "a probe request: it proves no day complete"

// sendProbes sends a nightly run's probe requests, whose answers do not prove a day complete. One that is not answered is
// kept as failed and repeated in another run.
func (p *Puller) sendProbes(ctx context.Context, run *ledger.Run, o *Outcome) error {
	for _, a := range p.Accounts {
		firstDay, err := plan.FixFirstDay(ctx, p.Ledger, a, run.AsOf)
		if err != nil {
			return err
		}
		all, err := p.Planner.PlanProbes(ctx, a.Number, firstDay, run.AsOf)
		if err != nil {
			return err
		}
		for i := range all {
			if p.stopReason(run, o) != nil {
				return nil
			}
			if err := p.sendProbe(ctx, run, &all[i], o); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendProbe sends one probe request and keeps what it shows.
func (p *Puller) sendProbe(ctx context.Context, run *ledger.Run, b *plan.ProbeRequest, o *Outcome) error {
	if b.Slip != "" {
		_, err := p.askDetail(ctx, run, b.Window, b.Slip, o)
		return err
	}
	if b.Brand != "" {
		return p.askSimulator(ctx, run, b, o)
	}
	pull := p.newPull(run, b.Window)
	a, err := p.askProbe(ctx, pull, b)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case api.IsRefused(err):
		return err
	case err != nil:
		pull.Ended, pull.Failure = p.Wall().UTC(), err.Error()
		return p.Ledger.StorePull(ctx, pull)
	}
	pull.Complete, pull.Failure = false, reasonProbe
	if b.Wider {
		// The rows are pulled by windows of their own: this request only measures and must change none of them.
		a.countOuterDays(&pull.Note, b.Period)
		pull.Counts.Rows = a.countRows()
		o.markReachable()
		return p.Ledger.StorePull(ctx, pull)
	}
	if err := p.fillRegistrationState(ctx, a, b); err != nil {
		return err
	}
	if err := p.Ledger.MergeSlips(ctx, pull, a.slips, a.Bad); err != nil {
		return err
	}
	o.markReachable()
	return nil
}

// askProbe is askService with the filter by registration state, which only probe requests have.
func (p *Puller) askProbe(ctx context.Context, pull *ledger.Pull, b *plan.ProbeRequest) (*answer, error) {
	if !b.Integration.OK {
		return p.askService(ctx, pull)
	}
	s, err := p.Service.ListSlips(ctx, b.Source, b.Account, b.Period.From, b.Period.To, b.Integration)
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
func (p *Puller) fillRegistrationState(ctx context.Context, a *answer, b *plan.ProbeRequest) error {
	known, err := p.Ledger.SlipRegistrations(ctx, b.Account, b.Period)
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
func (p *Puller) askSimulator(ctx context.Context, run *ledger.Run, b *plan.ProbeRequest, o *Outcome) error {
	if o.simulatorFailed {
		return nil
	}
	pull := p.newPull(run, b.Window)
	a, known := o.simulated[b.Brand]
	if !known {
		var err error
		a, err = p.Service.SimulateSettlement(ctx, b.Brand, plan.SimulatedNet)
		pull.Counts.Requests = int64(a.Requests)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			o.simulatorFailed = api.IsRefused(err) || api.IsUnreachable(err)
			pull.Ended, pull.Failure = p.Wall().UTC(), err.Error()
			return p.Ledger.StorePull(ctx, pull)
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
	return p.Ledger.StorePull(ctx, pull)
}

// askDetail asks for a single slip and reports whether it was answered. That the service does not answer is not an error.
func (p *Puller) askDetail(ctx context.Context, run *ledger.Run, window ledger.Window, id string, o *Outcome) (bool, error) {
	pull := p.newPull(run, window)
	a, err := p.Service.ReadSlip(ctx, window.Account, id)
	pull.Counts.Requests = int64(a.Requests)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case api.IsRefused(err):
		return false, err
	case err != nil:
		pull.Ended, pull.Failure = p.Wall().UTC(), err.Error()
		if errors.Is(err, api.ErrUnsuccessful) {
			pull.Note.Refused = id
		}
		return false, p.Ledger.StorePull(ctx, pull)
	}
	p.completePull(pull, a.Receipt)
	pull.Note = (&answer{slips: a.Rows, Receipt: a.Receipt}).makeNote(window)
	if err := p.Ledger.MergeSlips(ctx, pull, a.Rows, a.Bad); err != nil {
		return false, err
	}
	o.markReachable()
	return true, nil
}
