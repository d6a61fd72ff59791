package jobs

import (
	"context"
	"errors"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// provesNothing is why a pull beside the windows is not complete, though its answer arrived whole.
const provesNothing = "asked beside the windows: it proves nothing of a day"

// askBeside puts the night's questions that prove nothing of a day, after its windows and before it confirms. One that
// is not answered is kept as such and asked another night.
func (w *Worker) askBeside(ctx context.Context, run *ledger.Run, p *pulled) error {
	for _, a := range w.Accounts {
		since, err := w.since(ctx, a, run.AsOf)
		if err != nil {
			return err
		}
		all, err := w.planner().PlanProbes(ctx, a.Number, since, run.AsOf)
		if err != nil {
			return err
		}
		for i := range all {
			if p.giveUp() != nil {
				return nil
			}
			if err := w.putBeside(ctx, run, &all[i], p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Worker) putBeside(ctx context.Context, run *ledger.Run, b *plan.ProbeRequest, p *pulled) error {
	if b.Slip != "" {
		_, err := w.askDetail(ctx, run, b.Window, b.Slip, p)
		return err
	}
	if b.Brand != "" {
		return w.askSimulator(ctx, run, b, p)
	}
	pull := w.newPull(run, b.Window)
	a, err := w.questionBeside(ctx, pull, b)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case api.IsRefused(err):
		return err
	case err != nil:
		pull.Ended, pull.Failure = w.Wall().UTC(), err.Error()
		return w.Ledger.StorePull(ctx, pull)
	}
	pull.Complete, pull.Failure = false, provesNothing
	if b.Wider {
		// The rows come by windows of their own: measuring must move none of them.
		a.ends(&pull.Note, b.Period)
		pull.Counts.Rows = a.rows()
		p.answered()
		return w.Ledger.StorePull(ctx, pull)
	}
	if err := w.registered(ctx, a, b); err != nil {
		return err
	}
	if err := w.Ledger.MergeSlips(ctx, pull, a.slips, a.Bad); err != nil {
		return err
	}
	p.answered()
	return nil
}

// questionBeside is question, with the filter that only these questions have.
func (w *Worker) questionBeside(ctx context.Context, pull *ledger.Pull, b *plan.ProbeRequest) (*answer, error) {
	if !b.Integration.OK {
		return w.question(ctx, pull)
	}
	s, err := w.Service.ListSlips(ctx, b.Source, b.Account, b.Period.From, b.Period.To, b.Integration)
	pull.Counts.Requests = int64(s.Requests)
	if err != nil {
		return nil, err
	}
	a := &answer{slips: s.Rows, twice: s.Conflicting, Receipt: s.Receipt}
	w.answered(pull, a.Receipt)
	pull.Note = a.note(b.Window)
	return a, nil
}

// ends notes how many rows the answer shows of the first and of the last day asked for. Rows outside them are not told
// apart here: the window was wider on purpose.
func (a *answer) ends(n *ledger.PullNote, asked ledger.Period) {
	n.Wider = true
	n.Outside, n.Day, n.SlipsOutside = 0, 0, nil
	count := func(d ledger.Date) {
		switch d {
		case asked.From:
			n.First++
		case asked.To:
			n.Last++
		}
	}
	for i := range a.cards {
		count(a.cards[i].SoldAt.Date())
	}
	for i := range a.slips {
		count(a.slips[i].ListDay())
	}
}

// registered writes into an answer that was filtered by a state of registration what it tells by that: the list itself
// does not show the member. Of a slip of which another list says it, nothing is to be learned. An answer that shows a
// slip of another state, or, filtered by any state but the usual one, all that the list shows, was not filtered.
func (w *Worker) registered(ctx context.Context, a *answer, b *plan.ProbeRequest) error {
	known, err := w.Ledger.SlipRegistrations(ctx, b.Account, b.Period)
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

// askSimulator asks what a sale of a brand would cost and notes the answer. The simulator knows no account: of several
// accounts the first one's answer is the others' too. A service that does not answer, or has no login for it, is no error
// here: what it charges is judged another night.
func (w *Worker) askSimulator(ctx context.Context, run *ledger.Run, b *plan.ProbeRequest, p *pulled) error {
	if p.noSimulator {
		return nil
	}
	pull := w.newPull(run, b.Window)
	a, known := p.simulated[b.Brand]
	if !known {
		var err error
		a, err = w.Service.SimulateSettlement(ctx, b.Brand, plan.SimulatedNet)
		pull.Counts.Requests = int64(a.Requests)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.noSimulator = api.IsRefused(err) || api.IsUnreachable(err)
			pull.Ended, pull.Failure = w.Wall().UTC(), err.Error()
			return w.Ledger.StorePull(ctx, pull)
		}
		if p.simulated == nil {
			p.simulated = map[string]api.SimulationAnswer{}
		}
		p.simulated[b.Brand] = a
		pull.Note.Skew, pull.Note.Unknown = skew(&a.Receipt), a.Unknown
		p.answered()
	}
	w.answered(pull, a.Receipt)
	pull.Complete, pull.Failure = false, provesNothing
	pull.Note.Simulated = &ledger.Simulation{Brand: b.Brand, Net: plan.SimulatedNet, Options: a.Options}
	return w.Ledger.StorePull(ctx, pull)
}

// askDetail asks for one slip alone and says whether it was answered; a service that does not answer is no error here.
func (w *Worker) askDetail(ctx context.Context, run *ledger.Run, window ledger.Window, id string, p *pulled) (bool, error) {
	pull := w.newPull(run, window)
	a, err := w.Service.ReadSlip(ctx, window.Account, id)
	pull.Counts.Requests = int64(a.Requests)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case api.IsRefused(err):
		return false, err
	case err != nil:
		pull.Ended, pull.Failure = w.Wall().UTC(), err.Error()
		if errors.Is(err, api.ErrUnsuccessful) {
			pull.Note.Refused = id
		}
		return false, w.Ledger.StorePull(ctx, pull)
	}
	w.answered(pull, a.Receipt)
	pull.Note = (&answer{slips: a.Rows, Receipt: a.Receipt}).note(window)
	if err := w.Ledger.MergeSlips(ctx, pull, a.Rows, a.Bad); err != nil {
		return false, err
	}
	p.answered()
	return true, nil
}
