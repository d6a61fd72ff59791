package pull

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"concilia/export/words"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/jobs/queue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// Queue distributes units to workers, in their order, and returns when each is done or failed, or with the first error
// that ends the run. The queue leases units where that is needed; the work function ends them.
type Queue interface {
	Do(ctx context.Context, units []ledger.WorkUnit, work queue.Work) error
}

// Inbox is where notifications wait until a run moves them to the ledger; *store.Inbox implements it.
type Inbox interface {
	// Pending returns the oldest notifications that were not moved yet, at most limit.
	Pending(ctx context.Context, limit int) ([]ledger.Notification, error)
	// MarkMoved marks notifications that the ledger has, so that they are not pending any more.
	MarkMoved(ctx context.Context, moved []ledger.Notification) error
}

// Service is the part of the payment service that a Puller calls; *api.Client implements it.
type Service interface {
	SearchInstallments(
		ctx context.Context, account ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
	) (api.Answer, error)
	ListSlips(
		ctx context.Context, list ledger.Source, account ledger.Account, from, to ledger.Date,
		statusIntegration ledger.Opt[int64],
	) (api.SlipAnswer, error)
	ReadSlip(ctx context.Context, account ledger.Account, id string) (api.SlipAnswer, error)
	SearchInstallmentsByCode(ctx context.Context, account ledger.Account, nsu, auth string) (api.Answer, error)
	SimulateSettlement(ctx context.Context, brand string, net ledger.Amount) (api.SimulationAnswer, error)
}

// Progress displays how pulling proceeds. It is called from several goroutines at once.
type Progress interface {
	// Step begins a step of total parts; 0 when it is not known.
	Step(name string, total int)
	// Advance reports that n more parts are done.
	Advance(n int)
	// Done ends the step with one line on its results, parted by semicolons.
	Done(results ...words.Message)
}

// Puller asks the service about accounts and keeps its answers in the ledger. Fields are required unless they say
// otherwise.
type Puller struct {
	Ledger       *store.Ledger
	Service      Service        // nil: the process does not call the service
	Inbox        Inbox          // nil: no notifications are received
	Accounts     []plan.Account // in the order in which they are asked about
	Planner      *plan.Planner
	ListCap      int           // rows at which the operator truncates a list; 0: not known
	NightBudget  time.Duration // after which a nightly run asks nothing more; 0: none
	KeepBodies   int           // days for which the bodies of answers are kept; 0: for ever
	SearchByCode bool          // searches for the sales of notifications that fit no installment, by NSU and authorization
	Queue        Queue         // distributes units of work; nil: to Parallel goroutines of this process
	Parallel     int           // windows in flight, at least 1
	Zone         *time.Location
	Now          func() time.Time // business clock
	Wall         func() time.Time // wall clock
	Tail         func() string    // random end of the id of a pull
	Progress     Progress
}

// today is the date on the business clock.
func (p *Puller) today() ledger.Date { return ledger.DateOf(p.Now(), p.Zone) }

func (p *Puller) accountNumbers() []ledger.Account {
	out := make([]ledger.Account, len(p.Accounts))
	for i, a := range p.Accounts {
		out[i] = a.Number
	}
	return out
}

// DoUnit does one unit of work of a run: a window (ledger.PullUnit) or a range (ledger.RangeUnit). All units of a run that
// a process does share one Outcome, which remembers that the service is unreachable.
func (p *Puller) DoUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, o *Outcome) error {
	switch u.Kind {
	case ledger.PullUnit:
		return p.pullUnit(ctx, run, u, o)
	case ledger.RangeUnit:
		return p.pullRangeUnit(ctx, run, u, o)
	}
	return fmt.Errorf("%s: not a unit of pulling", u.String())
}

func (p *Puller) workOn(run *ledger.Run, o *Outcome) queue.Work {
	return func(ctx context.Context, u ledger.WorkUnit) error { return p.DoUnit(ctx, run, u, o) }
}

// chooseQueue is the configured queue, or else a pool of goroutines.
func (p *Puller) chooseQueue() Queue {
	if p.Queue != nil {
		return p.Queue
	}
	return queue.Pool{Parallel: p.Parallel}
}

// ListUnits returns a run's units of a kind that are in one of the states (in any, if none is given), in the order in which
// they are done: accounts as configured, lists by name, newest days first.
func (p *Puller) ListUnits(
	ctx context.Context, run string, kind ledger.UnitKind, states ...ledger.UnitState,
) ([]ledger.WorkUnit, error) {
	units, err := p.Ledger.Units(ctx, run, runs.UnitFilter{Accounts: p.accountNumbers(), Kind: kind, States: states})
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
	for i, a := range p.Accounts {
		place[a.Number] = i
	}
	slices.SortStableFunc(units, func(a, b ledger.WorkUnit) int {
		x, y := windows[a.What], windows[b.What]
		return cmp.Or(cmp.Compare(place[a.Account], place[b.Account]), cmp.Compare(x.Source, y.Source),
			cmp.Compare(y.Period.From, x.Period.From), cmp.Compare(y.Period.To, x.Period.To))
	})
	return units, nil
}

// PlanNight plans the windows of a nightly run and returns the units that are not done yet. A run is planned once: one that
// was killed and continued keeps its plan.
func (p *Puller) PlanNight(ctx context.Context, run *ledger.Run) ([]ledger.WorkUnit, error) {
	planned, err := p.ListUnits(ctx, run.ID, ledger.PullUnit)
	if err != nil {
		return nil, err
	}
	if len(planned) == 0 {
		var named map[ledger.Account][]ledger.Date
		if p.SearchByCode {
			search := &codeSearch{asker: p.newAsker(run, &Outcome{}), accounts: p.accountNumbers(), progress: p.Progress}
			if named, err = search.findSales(ctx); err != nil {
				return nil, err
			}
		}
		windows, err := p.PlanWindows(ctx, run.AsOf, named)
		if err != nil {
			return nil, err
		}
		for _, window := range windows {
			planned = append(planned, ledger.UnitOfWindow(run.ID, ledger.PullUnit, window))
		}
		if err := p.Ledger.PlanUnits(ctx, planned); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(planned, func(u ledger.WorkUnit) bool { return u.State == ledger.UnitDone }), nil
}

// PlanWindows plans the windows of all accounts as of a day. named are additional days of cards, on which the service has
// sales that the ledger lacks.
func (p *Puller) PlanWindows(
	ctx context.Context, asOf ledger.Date, named map[ledger.Account][]ledger.Date,
) ([]ledger.Window, error) {
	var all []ledger.Window
	for _, a := range p.Accounts {
		firstDay, err := plan.FixFirstDay(ctx, p.Ledger, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		windows, err := p.Planner.PlanWindows(ctx, a.Number, firstDay, asOf, named[a.Number])
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		all = append(all, windows...)
	}
	return all, nil
}

// ExpireBodies deletes the bodies of answers that no pull brought for longer than they are kept.
func (p *Puller) ExpireBodies(ctx context.Context) error {
	if p.KeepBodies == 0 {
		return nil
	}
	today := p.today()
	_, err := p.Ledger.ExpireBodies(ctx, today-ledger.Date(p.KeepBodies), today)
	return err
}
