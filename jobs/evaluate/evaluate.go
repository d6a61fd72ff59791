package evaluate

import (
	"context"
	"fmt"
	"time"

	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reconcile"
	"concilia/jobs/restatement"
	"concilia/jobs/rules/assumptions"
	"concilia/store"
	"concilia/store/ledger"
)

// Evaluator applies the rules to what the ledger has of an account.
type Evaluator struct {
	Ledger  *store.Ledger
	Inputs  reconcile.Inputs // AsOf and Since are filled by each evaluation
	Zone    *time.Location
	ListCap int                // rows at which the operator truncates a list; 0: not known
	Today   func() ledger.Date // on the business clock
}

// ReconcileAccount applies the rules to one account and commits the results, if the unit's lease is still held.
func (e *Evaluator) ReconcileAccount(
	ctx context.Context, run *ledger.Run, a plan.Account, answered map[pull.Question]bool, u ledger.WorkUnit,
) (reconcile.Result, error) {
	since, err := plan.FixFirstDay(ctx, e.Ledger, a, run.AsOf)
	if err != nil {
		return reconcile.Result{}, err
	}
	src, err := e.readLedgerFacts(ctx, run, a.Number, answered)
	if err != nil {
		return reconcile.Result{}, err
	}
	in := e.Inputs
	in.AsOf, in.Since, in.Zone = run.AsOf, since, e.Zone
	if in.Closes, err = restatement.ListCloses(ctx, e.Ledger, run, a.Number); err != nil {
		return reconcile.Result{}, err
	}
	in.MeasureBetterFit = func(ctx context.Context) (func(string) string, error) {
		c, err := e.calibrateAccount(ctx, a.Number, &CalibrationResult{})
		if err != nil {
			return nil, fmt.Errorf("measure interpretations: %w", err)
		}
		return assumptions.FitsBetter(c.Answers(e.Inputs.Profile)), nil
	}
	in.ListReplaced = func(ctx context.Context) (map[string]bool, error) { return listReplacedSlips(ctx, e.Ledger, a.Number) }
	sink, err := e.Ledger.BeginReconcile(ctx, run, a.Number)
	if err != nil {
		return reconcile.Result{}, err
	}
	if in.Full {
		sink.MakeWordsAnew()
	}
	r, err := reconcile.Account(ctx, in, run, a.Number, src, sink)
	if err != nil {
		_ = sink.Rollback() // err matters more
		return reconcile.Result{}, err
	}
	if err := sink.AddWords(); err != nil {
		_ = sink.Rollback()
		return r, err
	}
	if u.Worker != "" { // leased: another process may have continued the run meanwhile
		mine, err := sink.ConfirmUnitLease(u, u.Worker, queue.UnitLife)
		if err == nil && !mine {
			err = fmt.Errorf("%s: %w", u.String(), queue.ErrLeaseLost)
		}
		if err != nil {
			_ = sink.Rollback()
			return r, err
		}
	}
	if err := sink.Commit(); err != nil {
		return r, err
	}
	return r, restatement.RecordChanges(ctx, e.Ledger, run, a.Number)
}
