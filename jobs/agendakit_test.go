package jobs

import (
	"context"
	"errors"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/jobs/reportset"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// PublishAgenda publishes the agenda of the account's state set as a night of the run would, whatever the verdict.
func (w *Worker) PublishAgenda(ctx context.Context, run *ledger.Run, a Account, t export.Target, f report.Filter) (export.Result, error) {
	set := reportset.Request{
		Name: a.Number.String(), Accounts: []Account{a}, Basis: report.ByAsOf, Filter: f,
		Period: ledger.Period{From: run.AsOf, To: run.AsOf},
	}
	feed, err := w.newTask().newJobBuilder(run, nil, set).NewReportSource(ctx)
	if err != nil {
		return export.Result{}, err
	}
	job := export.Job{
		Account: set.Name, Basis: set.Basis, Period: set.Period, Filter: f, AsOf: run.AsOf, Unit: w.Inputs.Profile.Unit,
		Kinds: []report.Kind{report.AgendaKind, report.ControlKind}, Formats: []report.Format{report.CSV},
		Facts: export.Facts{Run: run.ID},
	}
	kept, err := w.Ledger.StandingSet(ctx, set.Name, string(set.Basis), set.Period, f.Canonical())
	switch {
	case err == nil:
		job.Current = &export.CurrentRevision{Revision: kept.Revision, Fingerprints: kept.Tables}
	case !errors.Is(err, sqldb.ErrNotFound):
		return export.Result{}, err
	}
	r, err := render.Set(ctx, job, feed, t)
	if err == nil && !r.Unchanged {
		err = w.Ledger.KeepSet(ctx, setpublish.NewStoredSet(run, set, r), "out", w.Wall())
	}
	return r, err
}
