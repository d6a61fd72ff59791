package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/jobs/queue"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// Queue distributes units to workers, in their order, and returns when each is done or failed, or with the first error
// that ends the run. The queue leases units where that is needed; the work function ends them.
type Queue interface {
	Do(ctx context.Context, units []ledger.WorkUnit, work queue.Work) error
}

// queue is where the worker's units go.
func (w *Worker) queue() Queue {
	if w.Queue != nil {
		return w.Queue
	}
	return queue.Pool{Parallel: w.Parallel}
}

// UnitWork does units of a run that another process leads. Use one value for all units of a run, since it remembers that
// the service is unreachable.
func (w *Worker) UnitWork(run *ledger.Run) queue.Work { return w.workOn(run, &pulled{}) }

// workOn does the units of a run, whatever they are.
func (w *Worker) workOn(run *ledger.Run, p *pulled) queue.Work {
	var shares shareFinder
	return func(ctx context.Context, u ledger.WorkUnit) error {
		switch u.Kind {
		case ledger.PullUnit:
			return w.pullUnit(ctx, run, u, p)
		case ledger.RangeUnit:
			return w.laneUnit(ctx, run, u, p)
		case ledger.ReconcileUnit:
			return w.steady(ctx, nil, func() error { return w.reconcileUnit(ctx, run, u) })
		case ledger.RenderUnit:
			return w.renderUnit(ctx, run, u, &shares, nil)
		}
		return fmt.Errorf("%s: this program knows no such work", u.String())
	}
}

// units are the run's of one kind and of the states, of any without states, as the night asks: accounts in the order of
// the configuration, lists by name, newest days first.
func (w *Worker) units(
	ctx context.Context, run string, kind ledger.UnitKind, states ...ledger.UnitState,
) ([]ledger.WorkUnit, error) {
	units, err := w.Ledger.Units(ctx, run, runs.UnitFilter{Accounts: w.numbers(), Kind: kind, States: states})
	if err != nil {
		return nil, err
	}
	windows := make(map[string]ledger.Window, len(units))
	for i := range units {
		if windows[units[i].What], err = units[i].Window(); err != nil {
			return nil, err
		}
	}
	place := map[ledger.Account]int{}
	for i, a := range w.Accounts {
		place[a.Number] = i
	}
	slices.SortStableFunc(units, func(a, b ledger.WorkUnit) int {
		x, y := windows[a.What], windows[b.What]
		return cmp.Or(cmp.Compare(place[a.Account], place[b.Account]), cmp.Compare(x.Source, y.Source),
			cmp.Compare(y.Period.From, x.Period.From), cmp.Compare(y.Period.To, x.Period.To))
	})
	return units, nil
}

// planNight plans what the night of the run asks for, once: a night that was killed and taken up again goes by the plan it
// had. It gives what is not done yet.
func (w *Worker) planNight(ctx context.Context, run *ledger.Run) ([]ledger.WorkUnit, error) {
	planned, err := w.units(ctx, run.ID, ledger.PullUnit)
	if err != nil {
		return nil, err
	}
	if len(planned) == 0 {
		named, err := w.searchByCode(ctx, run)
		if err != nil {
			return nil, err
		}
		windows, err := w.planWindows(ctx, run.AsOf, named)
		if err != nil {
			return nil, err
		}
		for _, window := range windows {
			planned = append(planned, ledger.UnitOfWindow(run.ID, ledger.PullUnit, window))
		}
		if err := w.Ledger.PlanUnits(ctx, planned); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(planned, func(u ledger.WorkUnit) bool { return u.State == ledger.UnitDone }), nil
}

// planWindows are the windows of the night of asOf, of all accounts. named are days of cards to be asked for besides, because
// the service says that a sale of theirs is missing.
func (w *Worker) planWindows(
	ctx context.Context, asOf ledger.Date, named map[ledger.Account][]ledger.Date,
) ([]ledger.Window, error) {
	var all []ledger.Window
	for _, a := range w.Accounts {
		since, err := w.since(ctx, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		windows, err := w.planner().PlanWindows(ctx, a.Number, since, asOf, named[a.Number])
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		all = append(all, windows...)
	}
	return all, nil
}

// settle reads from the ledger what came of the run's windows, whoever asked for them, and gives the number of those
// that were answered whole.
func (w *Worker) settle(ctx context.Context, run *ledger.Run, p *pulled) (whole int, err error) {
	units, err := w.units(ctx, run.ID, ledger.PullUnit)
	if err != nil {
		return 0, err
	}
	p.windows, p.left, p.rechecked, p.failed, p.counts = 0, 0, 0, nil, ledger.Counts{}
	for i := range units {
		u := &units[i]
		if u.State == ledger.UnitPlanned || u.State == ledger.UnitLeased {
			p.left++
			continue
		}
		p.windows++
		if u.State == ledger.UnitFailed {
			window, err := u.Window()
			if err != nil {
				return 0, err
			}
			p.failed = append(p.failed, ledger.Pull{Run: run.ID, Window: window, Failure: u.Failure})
		}
	}
	for _, a := range w.Accounts {
		pulls, err := w.Ledger.PullsOfRun(ctx, a.Number, run.ID)
		if err != nil {
			return 0, err
		}
		for _, pull := range pulls {
			if pull.Complete && pull.Window.Reason != toConfirm {
				p.counts.Add(pull.Counts)
				whole++
			}
			if pull.Note.Missing > 0 {
				p.rechecked++
			}
		}
	}
	return whole, nil
}
