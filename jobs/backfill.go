package jobs

import (
	"context"
	"errors"

	"concilia/jobs/pull"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// BackfillRequest selects the days to pull and limits how much is done now.
type BackfillRequest struct {
	Period      ledger.Period
	Sources     []ledger.Source
	Recheck     bool        // also days that are complete
	MaxRequests int64       // maximum for this process; 0: no limit
	AsOf        ledger.Date // the as-of date of the run; 0: the day after the period, or today if that is in the future
}

// asOf is the as-of date of the run.
func (r *BackfillRequest) asOf(today ledger.Date) ledger.Date {
	if r.AsOf != 0 {
		return r.AsOf
	}
	return min(r.Period.To+1, today)
}

// asSelection is what the request selects.
func (r *BackfillRequest) asSelection() pull.Selection {
	return pull.Selection{Period: r.Period, Sources: r.Sources, Recheck: r.Recheck}
}

// Backfill pulls the days of a period that are not complete yet and applies the rules to everything, as of a day. It
// publishes nothing. If it was killed, or reached its maximum of requests, calling it again with the same request
// continues the run.
func (w *Worker) Backfill(ctx context.Context, req BackfillRequest) (*Summary, error) {
	ranges, err := w.selectRanges(ctx, &req)
	if err != nil {
		return nil, err
	}
	run, err := w.beginRanges(ctx, ledger.Backfill, req.asOf(w.Today()), ranges)
	if err != nil {
		return nil, err
	}
	defer run.release()
	return run.doSteps(ctx, func(s *Summary) error { return run.newBackfillRun(&req, ranges).runSteps(ctx, run.record, s) })
}

// backfillRun has the steps of a backfill.
type backfillRun struct {
	request    *BackfillRequest
	ranges     []pull.Range
	pulls      *pullSteps
	rules      *reconciler
	conclusion *runConclusion
}

// newBackfillRun returns the steps of a run that has begun, which asks for ranges.
func (t *task) newBackfillRun(req *BackfillRequest, ranges []pull.Range) *backfillRun {
	return &backfillRun{
		request: req, ranges: ranges, pulls: t.newPullSteps(), rules: t.newReconciler(t.worker.OtherSides()), conclusion: t.newConclusion(),
	}
}

// runSteps does the steps in their order.
func (b *backfillRun) runSteps(ctx context.Context, run *ledger.Run, s *Summary) error {
	outcome, err := b.pulls.pullRanges(ctx, run, b.ranges, b.request.MaxRequests)
	if err != nil {
		return err
	}
	if outcome.DaysLeft > 0 {
		// The run does not end: another call continues it with the days that are planned.
		s.Left, s.Verdict = outcome.DaysLeft, ledger.Incomplete
		return b.pulls.recordPulled(ctx, run, s, outcome)
	}
	if outcome.NothingAnswered() {
		if err := b.pulls.recordPulled(ctx, run, s, outcome); err != nil {
			return err
		}
		return b.conclusion.conclude(ctx, run, s, nil)
	}
	answered, err := b.pulls.recheckAndLink(ctx, run, s, outcome)
	if err != nil {
		return err
	}
	if err := b.pulls.puller.ExtendCoverage(ctx, run, b.request.Period); err != nil {
		return err
	}
	verdicts, err := b.rules.reconcileAccounts(ctx, run, answered, s)
	if err != nil {
		return err
	}
	return b.conclusion.conclude(ctx, run, s, verdicts)
}

// selectRanges returns what a backfill asks for. A recheck leaves out the days that an earlier run of the same request has
// pulled already.
func (w *Worker) selectRanges(ctx context.Context, req *BackfillRequest) ([]pull.Range, error) {
	puller := w.newTask().newPuller()
	ranges, err := puller.SelectRanges(ctx, req.asSelection())
	if err != nil || w.Ledger == nil || !req.Recheck {
		return ranges, err
	}
	earlier, err := w.Ledger.UnfinishedRun(ctx, ledger.Backfill, req.asOf(w.Today()))
	if errors.Is(err, sqldb.ErrNotFound) {
		return ranges, nil
	}
	if err != nil {
		return nil, err
	}
	return ranges, puller.DropFinishedDays(ctx, earlier.ID, ranges)
}

// beginRanges begins a run that asks for ranges, or continues the one of the same ranges that was killed.
func (w *Worker) beginRanges(
	ctx context.Context, kind ledger.RunKind, asOf ledger.Date, ranges []pull.Range,
) (*activeRun, error) {
	return w.newTask().beginOrContinue(ctx, kind, asOf, func(last *ledger.Run) (bool, error) {
		units, err := w.newTask().newPuller().ListUnits(ctx, last.ID, ledger.RangeUnit)
		// A run that was killed before it had planned anything did nothing else either.
		return err == nil && (len(units) == 0 || pull.SameRanges(ranges, units)), err
	})
}

// PullRange asks for every day of a period from the lists and keeps the answers. It evaluates nothing.
func (w *Worker) PullRange(ctx context.Context, p ledger.Period, sources []ledger.Source) (*Summary, error) {
	ranges := w.newTask().newPuller().SelectDays(pull.Selection{Period: p, Sources: sources}, "asked for")
	run, err := w.beginRanges(ctx, ledger.PullRun, w.Today(), ranges)
	if err != nil {
		return nil, err
	}
	defer run.release()
	return run.doSteps(ctx, func(s *Summary) error {
		pulls := run.newPullSteps()
		outcome, err := pulls.pullRanges(ctx, run.record, ranges, 0)
		if err != nil {
			return err
		}
		if _, err := pulls.recheckAndLink(ctx, run.record, s, outcome); err != nil {
			return err
		}
		return run.newConclusion().conclude(ctx, run.record, s, nil)
	})
}

// BackfillList is what a backfill would ask for one list of one account.
type BackfillList struct {
	Account  ledger.Account  `json:"account"`
	Source   ledger.Source   `json:"source"`
	Days     int             `json:"days"`     // to ask for
	Complete int             `json:"complete"` // already complete: not asked for
	Windows  []BackfillRange `json:"windows"`  // if every answer is small, in the order in which they are asked
	Most     int             `json:"most"`     // number of windows if no answer is small: one per day
}

// BackfillRange is a window, both days included.
type BackfillRange struct {
	From ledger.Date `json:"from"`
	To   ledger.Date `json:"to"`
}

// PlanBackfill returns what Backfill would ask for. It does not call the service and writes nothing; a worker without a
// ledger plans for an empty one. The width of windows depends on the answers, so their number is a range.
func (w *Worker) PlanBackfill(ctx context.Context, req BackfillRequest) ([]BackfillList, error) {
	ranges, err := w.selectRanges(ctx, &req)
	if err != nil {
		return nil, err
	}
	var out []BackfillList
	for _, r := range ranges {
		windows := []BackfillRange{}
		for _, p := range pull.WidestWindows(r.Days) {
			windows = append(windows, BackfillRange(p))
		}
		out = append(out, BackfillList{
			Account: r.Account, Source: r.Source, Days: len(r.Days), Complete: r.Period.Days() - len(r.Days),
			Windows: windows, Most: len(r.Days),
		})
	}
	return out, nil
}
