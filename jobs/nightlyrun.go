package jobs

import (
	"context"
	"errors"
	"fmt"

	"concilia/jobs/casework"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Night does one nightly run as of a day: it takes in what the inboxes of bank accounts and stores hold, links notifications, pulls,
// rechecks, reconciles and publishes. If it is
// killed at any point and run again, ledger and files end up the same.
func (w *Worker) Night(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, release, err := w.beginRun(ctx, ledger.Nightly, asOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.retryRunOnOutage(ctx, run, func(s *Summary) error { return w.runNight(ctx, run, s) })
}

// runNight does the steps of a nightly run that has begun.
func (w *Worker) runNight(ctx context.Context, run *ledger.Run, s *Summary) error {
	if err := s.newKeeper(w).TakeIn(ctx); err != nil {
		return err
	}
	puller := w.newPuller()
	outcome, err := w.pullPlannedWindows(ctx, puller, run)
	if err != nil {
		return err
	}
	if outcome.NothingAnswered() {
		// Nothing new is known: conclusions and reports stay as they are. Sets that wait for the target are delivered.
		if err := w.recordPulled(ctx, run, s, outcome); err != nil {
			return err
		}
		if err := w.newSetPublisher().deliverWaiting(ctx, run, s); err != nil {
			return err
		}
		return w.concludeRun(ctx, run, s, nil)
	}
	answered, err := w.recheckAndLink(ctx, puller, run, s, outcome)
	if err != nil {
		return err
	}
	verdicts, err := w.reconcileAccounts(ctx, run, answered, s)
	if err != nil {
		return err
	}
	if err := w.publishNight(ctx, run, s, verdicts); err != nil {
		return err
	}
	return w.concludeRun(ctx, run, s, verdicts)
}

// PullNight asks for what a nightly run as of a day asks for and keeps the answers. It evaluates nothing.
func (w *Worker) PullNight(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, release, err := w.beginRun(ctx, ledger.PullRun, asOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.retryRunOnOutage(ctx, run, func(s *Summary) error {
		puller := w.newPuller()
		outcome, err := w.pullPlannedWindows(ctx, puller, run)
		if err != nil {
			return err
		}
		if outcome.NothingAnswered() {
			err = w.recordPulled(ctx, run, s, outcome)
		} else {
			_, err = w.recheckAndLink(ctx, puller, run, s, outcome)
		}
		if err != nil {
			return err
		}
		return w.concludeRun(ctx, run, s, nil)
	})
}

// pullPlannedWindows links the notifications that arrived, plans the windows of a nightly run and asks for them.
func (w *Worker) pullPlannedWindows(ctx context.Context, puller *pull.Puller, run *ledger.Run) (*pull.Outcome, error) {
	if err := puller.LinkNotifications(ctx, run, nil); err != nil {
		return nil, err
	}
	units, err := puller.PlanNight(ctx, run)
	if err != nil {
		return nil, err
	}
	return puller.PullUnits(ctx, run, units)
}

// recheckAndLink asks a second time about contradictions in what a run has pulled, links notifications to the installments
// that it brought, and records what it pulled. It returns the questions that were answered.
func (w *Worker) recheckAndLink(
	ctx context.Context, puller *pull.Puller, run *ledger.Run, s *Summary, outcome *pull.Outcome,
) (map[pull.Question]bool, error) {
	answered, err := puller.Recheck(ctx, run, outcome)
	if err != nil {
		return nil, err
	}
	if err := puller.LinkNotifications(ctx, run, outcome); err != nil {
		return nil, err
	}
	return answered, w.recordPulled(ctx, run, s, outcome)
}

// recordPulled records what a run has pulled, in all processes that worked on it: a run that was killed and continued counts
// once. Of the answers to rechecks only the requests count.
func (w *Worker) recordPulled(ctx context.Context, run *ledger.Run, s *Summary, outcome *pull.Outcome) error {
	run.Pulled, run.Asked = ledger.Counts{}, ledger.RequestCounts{}
	for _, a := range w.Accounts {
		pulls, err := w.Ledger.PullsOfRun(ctx, a.Number, run.ID)
		if err != nil {
			return err
		}
		run.Asked.Add(pull.CountRequests(pulls))
		for _, one := range pulls {
			if !one.Complete || one.Window.Reason == pull.ReasonRecheck {
				one.Counts = ledger.Counts{Requests: one.Counts.Requests}
			}
			run.Pulled.Add(one.Counts)
		}
	}
	s.Pulled, s.Windows, s.FailedWindows, s.Outage = pulledOf(run.Pulled), outcome.Windows, outcome.Failed, outcome.Outage
	if outcome.NothingAnswered() {
		s.Verdict = ledger.Incomplete
	}
	return nil
}

// Reconcile applies the rules to what the ledger holds, as of a day, without calling the service. With Inputs.Full it
// evaluates everything and computes all aggregates from zero.
func (w *Worker) Reconcile(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, release, err := w.beginRun(ctx, ledger.ReconcileRun, asOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.retryRunOnOutage(ctx, run, func(s *Summary) error {
		verdicts, err := w.reconcileAccounts(ctx, run, nil, s)
		if err != nil {
			return err
		}
		return w.concludeRun(ctx, run, s, verdicts)
	})
}

// concludeRun sets the verdict and the totals, and ends the run record.
func (w *Worker) concludeRun(ctx context.Context, run *ledger.Run, s *Summary, v *reportset.Verdicts) error {
	if v != nil {
		if len(s.FailedWindows) > 0 || len(s.Unpublished) > 0 {
			s.Verdict = ledger.Incomplete
		}
		if err := w.summarizeRun(ctx, run, s, v); err != nil {
			return fmt.Errorf("conclude run %s: %w", run.ID, err)
		}
	}
	if err := w.newPuller().ExpireBodies(ctx); err != nil {
		return fmt.Errorf("conclude run %s: %w", run.ID, err)
	}
	if err := w.compactPulls(ctx, run); err != nil {
		return fmt.Errorf("conclude run %s: %w", run.ID, err)
	}
	return w.endRun(ctx, run, s, v)
}

// compactPulls has a night of every week forget the questions of past weeks whose answers showed only what was known: the first and the
// last of each window stay.
func (w *Worker) compactPulls(ctx context.Context, run *ledger.Run) error {
	if run.Kind != ledger.Nightly || run.AsOf%daysOfWeek != 0 {
		return nil
	}
	for _, a := range w.Accounts {
		if err := w.Ledger.CompactPulls(ctx, a.Number, w.Today()-store.LeastKept); err != nil {
			return err
		}
	}
	return nil
}

const daysOfWeek = 7

// ReportNight publishes what a nightly run publishes, as of the last reconcile of the accounts. If different runs
// reconciled the accounts last it returns a *casework.RequestError, because the reports over all accounts would not
// have one state.
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
		sets, err := w.newSetPlanner().listNightSets(ctx, base.AsOf, v)
		if err != nil {
			return err
		}
		if err := w.newSetPublisher().publishSets(ctx, base, s, v, sets); err != nil {
			return err
		}
		return w.concludeRun(ctx, run, s, v)
	})
}

// findLastNight returns the run that last reconciled every account, and its verdicts.
func (w *Worker) findLastNight(ctx context.Context) (*ledger.Run, *reportset.Verdicts, error) {
	var base *ledger.Run
	all := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
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
		if all.ByAccount[a.Number], err = w.readVerdict(ctx, last, a.Number, ""); err != nil {
			return nil, nil, err
		}
	}
	return base, all, nil
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
