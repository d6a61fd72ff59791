package jobs

import (
	"context"
	"errors"

	"concilia/jobs/othersides"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Night does one nightly run as of a day: it takes in what the inboxes of bank accounts and stores hold, links notifications, pulls,
// rechecks, reconciles and publishes. If it is killed at any point and run again, ledger and files end up the same.
func (w *Worker) Night(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, err := w.newTask().beginRun(ctx, ledger.Nightly, asOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	return run.doSteps(ctx, func(s *Summary) error { return run.newNightlyRun().runSteps(ctx, run.record, s) })
}

// nightlyRun has the steps of a nightly run.
type nightlyRun struct {
	keeper     *othersides.Keeper
	pulls      *pullSteps
	rules      *reconciler
	sets       *setplan.Planner
	publisher  *setpublish.Publisher
	remover    *setpublish.FileRemover
	conclusion *runConclusion
}

// newNightlyRun returns the steps of a run that has begun.
func (t *task) newNightlyRun() *nightlyRun {
	keeper := t.worker.OtherSides()
	return &nightlyRun{
		keeper: keeper, pulls: t.newPullSteps(), rules: t.newReconciler(keeper), sets: t.newSetPlanner(), publisher: t.newSetPublisher(),
		remover: t.newFileRemover(), conclusion: t.newConclusion(),
	}
}

// runSteps does the steps in their order.
func (n *nightlyRun) runSteps(ctx context.Context, run *ledger.Run, s *Summary) error {
	if err := n.keeper.TakeIn(ctx); err != nil {
		return err
	}
	outcome, err := n.pulls.pullWindows(ctx, run)
	if err != nil {
		return err
	}
	if outcome.NothingAnswered() {
		// Nothing new is known: conclusions and reports stay as they are. Sets that wait for the target are delivered.
		if err := n.pulls.recordPulled(ctx, run, s, outcome); err != nil {
			return err
		}
		out := s.newPublications()
		if err := n.publisher.DeliverWaiting(ctx, run, out); err != nil {
			return err
		}
		s.addPublications(out)
		return n.conclusion.conclude(ctx, run, s, nil)
	}
	answered, err := n.pulls.recheckAndLink(ctx, run, s, outcome)
	if err != nil {
		return err
	}
	verdicts, err := n.rules.reconcileAccounts(ctx, run, answered, s)
	if err != nil {
		return err
	}
	if err := n.publish(ctx, run, s, verdicts); err != nil {
		return err
	}
	return n.conclusion.conclude(ctx, run, s, verdicts)
}

// publish renders and publishes the sets of a nightly run as of a day: for each account and basis the month of the
// day before and the month before that, and the state of the day; then the same over all accounts. Then it deletes
// expired files.
func (n *nightlyRun) publish(ctx context.Context, run *ledger.Run, s *Summary, verdicts *reportset.Verdicts) error {
	sets, err := n.sets.ListNightSets(ctx, run.AsOf, verdicts)
	if err != nil {
		return err
	}
	out := s.newPublications()
	if err := n.publisher.PublishNight(ctx, run, out, verdicts, sets); err != nil {
		return err
	}
	if err := n.remover.RetireFiles(ctx, run, out); err != nil {
		return err
	}
	if len(out.Retired) > 0 {
		if err := n.publisher.UpdateIndexes(ctx, out.Away > 0); err != nil {
			return err
		}
	}
	if err := n.remover.TrimArchive(ctx, run, out); err != nil {
		return err
	}
	s.addPublications(out)
	return nil
}

// PullNight asks for what a nightly run as of a day asks for and keeps the answers. It evaluates nothing.
func (w *Worker) PullNight(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, err := w.newTask().beginRun(ctx, ledger.PullRun, asOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	return run.doSteps(ctx, func(s *Summary) error {
		pulls := run.newPullSteps()
		outcome, err := pulls.pullWindows(ctx, run.record)
		if err != nil {
			return err
		}
		if outcome.NothingAnswered() {
			err = pulls.recordPulled(ctx, run.record, s, outcome)
		} else {
			_, err = pulls.recheckAndLink(ctx, run.record, s, outcome)
		}
		if err != nil {
			return err
		}
		return run.newConclusion().conclude(ctx, run.record, s, nil)
	})
}

// Reconcile applies the rules to what the ledger holds, as of a day, without calling the service. With Inputs.Full it
// evaluates everything and computes all aggregates from zero.
func (w *Worker) Reconcile(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, err := w.newTask().beginRun(ctx, ledger.ReconcileRun, asOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	return run.doSteps(ctx, func(s *Summary) error {
		verdicts, err := run.newReconciler(w.OtherSides()).reconcileAccounts(ctx, run.record, nil, s)
		if err != nil {
			return err
		}
		return run.newConclusion().conclude(ctx, run.record, s, verdicts)
	})
}

// ReportNight publishes what a nightly run publishes, as of the last reconcile of the accounts. If different runs
// reconciled the accounts last it returns a *casework.RequestError, because the reports over all accounts would not
// have one state.
func (w *Worker) ReportNight(ctx context.Context) (*Summary, error) {
	base, v, err := setplan.FindLastNight(ctx, w.Ledger, w.Accounts)
	if err != nil {
		return nil, err
	}
	run, err := w.newTask().beginRun(ctx, ledger.ReportRun, base.AsOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	return run.doSteps(ctx, func(s *Summary) error {
		sets, err := run.newSetPlanner().ListNightSets(ctx, base.AsOf, v)
		if err != nil {
			return err
		}
		out := s.newPublications()
		if err := run.newSetPublisher().PublishSets(ctx, base, out, v, sets); err != nil {
			return err
		}
		s.addPublications(out)
		return run.newConclusion().conclude(ctx, run.record, s, v)
	})
}

// LaterReconciled returns the last run that reconciled one of the accounts if its as-of date is after asOf, else nil. A
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
