package jobs

import (
	"context"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/plan"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
)

// Tied keeps what a publication of an account's set says of its files, for tests.
func (w *Worker) Tied(ctx context.Context, run *ledger.Run, a Account, basis report.Basis, p ledger.Period, failed error) error {
	return setpublish.RecordProof(ctx, w.Ledger, run, reportset.Request{Name: a.Number.String(), Accounts: []Account{a}, Basis: basis, Period: p}, failed)
}

// PlanWindows is planWindows, for tests.
func (w *Worker) PlanWindows(ctx context.Context, asOf ledger.Date) ([]ledger.Window, error) {
	return w.newTask().newPuller().PlanWindows(ctx, asOf, nil)
}

// Tonight plans a night without deciding anything, for tests.
func (w *Worker) Tonight(ctx context.Context, asOf ledger.Date) (*plan.NightPlan, error) {
	p := w.newTask().newPuller()
	return p.Planner.PlanNight(ctx, p.Accounts, asOf)
}

// NightFacts are what control says of each set that the last night owed, in their order.
func (w *Worker) NightFacts(ctx context.Context) ([]export.Facts, error) {
	run, judged, err := setplan.FindLastNight(ctx, w.Ledger, w.Accounts)
	if err != nil {
		return nil, err
	}
	sets, err := w.newTask().newSetPlanner().ListNightSets(ctx, run.AsOf, judged)
	if err != nil {
		return nil, err
	}
	facts := make([]export.Facts, len(sets))
	for i, set := range sets {
		job, err := w.newTask().newJobBuilder(run, judged, set).NewJob(ctx)
		if err != nil {
			return nil, err
		}
		facts[i] = job.Facts
	}
	return facts, nil
}
