package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// night publishes what a night owes: the sets of each account by a unit of its own, here or wherever there is a worker,
// then those over all accounts.
func (p *publishing) night(ctx context.Context, judged *judged, sets []setRequest) error {
	if len(sets) == 0 {
		return nil
	}
	w := p.w
	w.Progress.Step("publish", len(sets))
	units, err := p.plan(ctx, judged, sets)
	if err != nil {
		return err
	}
	var shares shareFinder
	did := p.queue().Do(ctx, open(units), func(ctx context.Context, u ledger.WorkUnit) error {
		return w.renderUnit(ctx, p.run, u, &shares, p)
	})
	if did != nil && !errors.Is(did, errGone) {
		return did
	}
	if err := p.gather(ctx, units); err != nil {
		return err
	}
	if errors.Is(did, errGone) {
		w.targetGone(p.s, did)
		w.Progress.Done(errGone.Error())
		return errGone
	}
	together := slices.DeleteFunc(slices.Clone(sets), func(s setRequest) bool { return !s.together() })
	if err := p.each(ctx, judged, together); err != nil {
		return err
	}
	left, err := w.LeftUnits(ctx, p.run)
	if err == nil {
		p.told(len(sets), left...)
	}
	return err
}

// queue is where the units go. While the target is gone they stay where the outbox is.
func (p *publishing) queue() pull.Queue {
	if p.waits != nil {
		return queue.Pool{Parallel: 1}
	}
	return p.w.heavy()
}

// open are the units that are not done.
func open(units []ledger.WorkUnit) []ledger.WorkUnit {
	return slices.DeleteFunc(slices.Clone(units), func(u ledger.WorkUnit) bool { return u.State == ledger.UnitDone })
}

// plan plans one unit an account: its sets in their order, which numbers files and titles, and opens a statement with what
// the one before closed with. It is named by what the account was judged by, as planReconcileUnits names that; taken up again, a
// run renders what it had not rendered of that.
func (p *publishing) plan(ctx context.Context, judged *judged, sets []setRequest) ([]ledger.WorkUnit, error) {
	w := p.w
	var units []ledger.WorkUnit
	for _, a := range w.Accounts {
		own := slices.DeleteFunc(slices.Clone(sets), func(s setRequest) bool {
			return s.together() || s.accounts[0].Number != a.Number
		})
		if len(own) == 0 {
			continue
		}
		pulls, err := w.Ledger.PullsOfRun(ctx, a.Number, p.run.ID)
		if err != nil {
			return nil, err
		}
		u := ledger.WorkUnit{
			Account: a.Number, Run: p.run.ID, Kind: ledger.RenderUnit, What: fmt.Sprintf("sets-%d", len(pulls)),
			State: ledger.UnitPlanned, Reason: "it is judged", Rows: int64(len(own)),
		}
		if u.Result, err = json.Marshal(sheetFor(a, judged.results[a.Number], p.share(), own)); err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	if err := w.Ledger.PlanUnits(ctx, units); err != nil {
		return nil, err
	}
	for i := range units {
		was, err := w.Ledger.Unit(ctx, units[i])
		if err != nil {
			return nil, err
		}
		if was.State == ledger.UnitDone || was.State == ledger.UnitLeased {
			units[i].State = was.State
			continue
		}
		if err := w.Ledger.FinishUnit(ctx, units[i]); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// renderUnit renders, proves and publishes an account's sets and keeps in its unit what came of them. lead is the
// publication of the run where this process leads it; nil: another one does, and what its target does not take is left to
// that one, which has the outbox.
func (w *Worker) renderUnit(
	ctx context.Context, run *ledger.Run, u ledger.WorkUnit, shares *shareFinder, lead *publishing,
) error {
	// Since it was offered it may have been begun by another, who left a word with it.
	now, err := w.Ledger.Unit(ctx, u)
	if err != nil {
		return err
	}
	sheet, err := readSheet(&now)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(w.Accounts, func(a Account) bool { return a.Number == u.Account })
	if i < 0 {
		return fmt.Errorf("%s: the account is not configured here", u.String())
	}
	p := lead
	if p == nil {
		if p, err = w.helping(ctx, run, sheet, shares); err != nil {
			return err
		}
		defer p.release()
	}
	p.mine = w.stillMine(u)
	defer func() { p.mine = nil }()
	u.State, u.Failure = ledger.UnitDone, ""
	gone := p.sheet(ctx, &u, sheet, sheet.sets(w.Accounts[i]))
	if gone != nil && !errors.Is(gone, errGone) {
		return gone
	}
	u.Rows = int64(len(sheet.Came))
	if u.Result, err = json.Marshal(sheet); err != nil {
		return err
	}
	return errors.Join(gone, w.Ledger.FinishUnit(ctx, u))
}

// sheet publishes the sets of a unit in their order. It fails with what nobody can go on after, errGone where that is the
// target; a set that can't be is noted, and the others are published.
func (p *publishing) sheet(ctx context.Context, u *ledger.WorkUnit, sheet *renderSheet, sets []setRequest) error {
	judged := sheet.judged(u.Account)
	for _, set := range sets {
		kept, fresh, err := p.set(ctx, judged, set)
		var away *sqldb.UnavailableError
		var locked *runs.LockedError
		switch {
		case err == nil && kept != nil:
			sheet.Came = append(sheet.Came, ledger.RunReportSet{
				Account: kept.Account, Basis: kept.Basis, Period: kept.Period, Filter: kept.Filter, Revision: kept.Revision,
				New: fresh || kept.Run == p.run.ID, // by a process that was killed before it could say so
			})
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, queue.ErrLeaseLost), errors.Is(err, runs.ErrNoLease), errors.As(err, &locked), errors.As(err, &away):
			return err
		case p.s == nil && p.left(err):
			return fmt.Errorf("%s: the target takes nothing of this worker: %w", u.String(), err)
		case p.w.TargetGone != nil && p.w.TargetGone(err):
			u.State, u.Failure = ledger.UnitFailed, err.Error()
			return fmt.Errorf("%w: %w", errGone, err)
		default:
			// Done by another process of this run, it may be: a unit that failed is tried again.
			u.State, u.Failure = ledger.UnitFailed, err.Error()
			sheet.Unpublished = append(sheet.Unpublished, named(err).Error())
		}
		p.w.Progress.Advance(1)
	}
	return nil
}

// stillMine says before each step that can't be undone whether a unit that was leased is still its worker's. One that was
// not leased is nobody else's.
func (w *Worker) stillMine(u ledger.WorkUnit) func(context.Context) error {
	if u.Worker == "" {
		return nil
	}
	return func(ctx context.Context) error {
		mine, err := w.Ledger.ConfirmUnitLease(ctx, u, u.Worker, queue.UnitLife)
		if err == nil && !mine {
			err = fmt.Errorf("%s: %w", u.String(), queue.ErrLeaseLost)
		}
		return err
	}
}

// gather notes what came of the units, whoever did them.
func (p *publishing) gather(ctx context.Context, units []ledger.WorkUnit) error {
	for i := range units {
		u, err := p.w.Ledger.Unit(ctx, units[i])
		if err != nil {
			return err
		}
		if u.State != ledger.UnitDone && u.State != ledger.UnitFailed {
			continue // the target was gone before it was its turn
		}
		var sheet renderSheet
		if err := json.Unmarshal(u.Result, &sheet); err != nil {
			return fmt.Errorf("%s: what came of it: %w", u.String(), err)
		}
		for j := range sheet.Came {
			kept, err := p.w.Ledger.SetRevision(ctx, &sheet.Came[j])
			if err != nil {
				return err
			}
			p.w.noted(p.s, kept, sheet.Came[j].New)
			p.w.missed(ctx, p.s, kept, sheet.Came[j].New)
			if sheet.Came[j].New {
				p.fresh++
			}
		}
		for _, why := range sheet.Unpublished {
			p.s.Unpublished = append(p.s.Unpublished, errors.New(why))
			p.failed++
		}
	}
	return nil
}

// LeftUnits are the workers that left sets of the run to others, each with why: its share was not to be seen from there,
// or took nothing.
func (w *Worker) LeftUnits(ctx context.Context, run *ledger.Run) ([]string, error) {
	units, err := w.Ledger.Units(ctx, run.ID, runs.UnitFilter{Accounts: run.Accounts, Kind: ledger.RenderUnit})
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range units {
		var sheet renderSheet
		if u := &units[i]; len(u.Result) > 0 {
			if err := json.Unmarshal(u.Result, &sheet); err != nil {
				return nil, fmt.Errorf("%s: what came of it: %w", u.String(), err)
			}
			if u.State == ledger.UnitPlanned && u.Failure != "" {
				sheet.Left = append(sheet.Left, u.Failure) // nobody has done it since
			}
		}
		for _, why := range sheet.Left {
			if !slices.Contains(out, why) {
				out = append(out, why)
			}
		}
	}
	return out, nil
}
