package jobs

import (
	"context"
	"slices"

	"concilia/store/ledger"
)

// PullRange asks for every day of a period from the sources, keeps the answers, and judges nothing.
func (w *Worker) PullRange(ctx context.Context, p ledger.Period, sources []ledger.Source) (*Summary, error) {
	days := map[ledger.Source][]ledger.Date{}
	for _, source := range sources {
		for d := p.From; d <= p.To; d++ {
			days[source] = append(days[source], d)
		}
	}
	var lanes []lanePlan
	for _, a := range w.Accounts {
		for _, source := range sources {
			lanes = append(lanes, lanePlan{account: a.Number, source: source, period: p, days: days[source], reason: "asked for"})
		}
	}
	run, release, err := w.beginRange(ctx, ledger.PullRun, w.Today(), lanes)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.steadily(ctx, run, func(s *Summary) error { return w.askRange(ctx, run, s, lanes) })
}

func (w *Worker) askRange(ctx context.Context, run *ledger.Run, s *Summary, lanes []lanePlan) error {
	if err := w.linkStep(ctx, run, nil); err != nil {
		return err
	}
	if err := w.planRange(ctx, run, lanes); err != nil {
		return err
	}
	asked, err := w.pullRange(ctx, run, 0)
	if err != nil {
		return err
	}
	if _, err := w.confirm(ctx, run, asked); err != nil {
		return err
	}
	if err := w.linkStep(ctx, run, asked); err != nil {
		return err
	}
	if err := w.took(ctx, run, s, asked); err != nil {
		return err
	}
	return w.conclude(ctx, run, s, nil)
}

// lanePlan is what a run is to ask of one list of one account: the days of the period that it lacks.
type lanePlan struct {
	account ledger.Account
	source  ledger.Source
	period  ledger.Period
	days    []ledger.Date
	reason  string
}

// units are the lane's own, which tells what the run was asked to do even where no day lacks, and those of its days.
func (l *lanePlan) units(run string) []ledger.WorkUnit {
	window := ledger.Window{Account: l.account, Source: l.source, Period: l.period, Reason: l.reason}
	units := []ledger.WorkUnit{ledger.UnitOfWindow(run, ledger.RangeUnit, window)}
	for _, d := range l.days {
		window.Period = ledger.Period{From: d, To: d}
		units = append(units, ledger.UnitOfWindow(run, ledger.PullUnit, window))
	}
	return units
}

// beginRange begins a run that is to ask for the lanes, or takes up the one that was killed at the same.
func (w *Worker) beginRange(
	ctx context.Context, kind ledger.RunKind, asOf ledger.Date, lanes []lanePlan,
) (*ledger.Run, func(), error) {
	return w.beginLike(ctx, kind, asOf, func(last *ledger.Run) (bool, error) {
		units, err := w.units(ctx, last.ID, ledger.RangeUnit)
		// One that was killed before it had planned anything did nothing else either.
		return err == nil && (len(units) == 0 || sameLanes(lanes, units)), err
	})
}

// sameLanes says whether the lanes are those of another run, whatever days they lack.
func sameLanes(lanes []lanePlan, units []ledger.WorkUnit) bool {
	for i := range lanes {
		own := lanes[i].units("")[0]
		if !slices.ContainsFunc(units, func(u ledger.WorkUnit) bool {
			return own.Account == u.Account && own.What == u.What && own.Reason == u.Reason
		}) {
			return false
		}
	}
	return len(lanes) == len(units)
}

// planRange plans the lanes of a run, once: a run that was killed and taken up again goes by the plan it had.
func (w *Worker) planRange(ctx context.Context, run *ledger.Run, lanes []lanePlan) error {
	planned, err := w.units(ctx, run.ID, ledger.RangeUnit)
	if err != nil || len(planned) > 0 {
		return err
	}
	var units []ledger.WorkUnit
	for i := range lanes {
		units = append(units, lanes[i].units(run.ID)...)
	}
	return w.Ledger.PlanUnits(ctx, units)
}
