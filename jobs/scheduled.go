package jobs

import (
	"context"
	"errors"
	"fmt"

	"concilia/jobs/casework"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ReportNight publishes again what a night publishes, as of the last reconcile of the accounts. If different runs
// reconciled the accounts last it returns a *casework.RequestError, because the reports over all accounts would not have one
// state.
func (w *Worker) ReportNight(ctx context.Context) (*Summary, error) {
	base, v, err := w.findLastNight(ctx)
	if err != nil {
		return nil, err
	}
	run, release, err := w.beginRun(ctx, ledger.ReportRun, base.AsOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.retryRunOnOutage(ctx, run, func(s *Summary) error {
		sets, err := w.listNightSets(ctx, base.AsOf, v)
		if err != nil {
			return err
		}
		if err := w.publishSets(ctx, base, s, v, sets); err != nil {
			return err
		}
		return w.concludeRun(ctx, run, s, v)
	})
}

// findLastNight is the run that reconciled every account last, and what it said of them.
func (w *Worker) findLastNight(ctx context.Context) (*ledger.Run, *accountVerdicts, error) {
	var base *ledger.Run
	all := &accountVerdicts{byAccount: map[ledger.Account]reconcile.Result{}}
	for _, a := range w.Accounts {
		last, err := w.findLastReconcile(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		if base != nil && last.ID != base.ID {
			return nil, nil, &casework.RequestError{
				Text: fmt.Sprintf("account %s was last reconciled by run %s, account %s by run %s", w.Accounts[0].Number, base.ID, a.Number, last.ID),
				Hint: "concilia run, or concilia reconcile, takes all of them",
			}
		}
		base = last
		if all.byAccount[a.Number], err = w.readVerdict(ctx, last, a.Number, ""); err != nil {
			return nil, nil, err
		}
	}
	return base, all, nil
}

// LaterReconciled returns the last run that reconciled one of the accounts if its as-of is after a morning, else nil. A
// scheduled run must not go back before it.
func (w *Worker) LaterReconciled(ctx context.Context, asOf ledger.Date) (*ledger.Run, error) {
	for _, a := range w.Accounts {
		last, err := w.Ledger.LastReconcileRun(ctx, a.Number)
		if errors.Is(err, sqldb.ErrNotFound) {
			continue
		}
		if err != nil || last.AsOf > asOf {
			return last, err
		}
	}
	return nil, nil
}
