package jobs

import (
	"context"
	"errors"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// BackfillRequest selects the days to pull and limits how much is done now.
type BackfillRequest struct {
	Period      ledger.Period
	Sources     []ledger.Source
	Recheck     bool        // also days that are complete
	MaxRequests int64       // maximum for this process; 0: no limit
	AsOf        ledger.Date // the morning to judge from; 0: the day after the period, or today if that is in the future
}

// asOf settles the morning to judge from.
func (r *BackfillRequest) asOf(today ledger.Date) ledger.Date {
	if r.AsOf != 0 {
		return r.AsOf
	}
	return min(r.Period.To+1, today)
}

// Backfill pulls the days of a period that are not complete yet and applies the rules to everything, as of a morning. It
// publishes nothing. If it was killed, or reached its maximum of requests, calling it again with the same request
// continues the run.
func (w *Worker) Backfill(ctx context.Context, req BackfillRequest) (*Summary, error) {
	lanes, err := w.backfillLanes(ctx, &req)
	if err != nil {
		return nil, err
	}
	run, release, err := w.beginRange(ctx, ledger.Backfill, req.asOf(w.Today()), lanes)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.steadily(ctx, run, func(s *Summary) error { return w.backfill(ctx, run, s, &req, lanes) })
}

// backfill are the steps of a backfill whose run has begun.
func (w *Worker) backfill(ctx context.Context, run *ledger.Run, s *Summary, req *BackfillRequest, lanes []lanePlan) error {
	if err := w.linkStep(ctx, run, nil); err != nil {
		return err
	}
	if err := w.planRange(ctx, run, lanes); err != nil {
		return err
	}
	asked, err := w.pullRange(ctx, run, req.MaxRequests)
	if err != nil {
		return err
	}
	if asked.left > 0 {
		// The run does not end: it goes on another time, with the days that are planned.
		s.Left, s.Verdict = asked.left, ledger.Incomplete
		return w.took(ctx, run, s, asked)
	}
	if asked.nothing() {
		if err := w.took(ctx, run, s, asked); err != nil {
			return err
		}
		return w.conclude(ctx, run, s, nil)
	}
	confirmed, err := w.confirm(ctx, run, asked)
	if err != nil {
		return err
	}
	if err := w.linkStep(ctx, run, asked); err != nil {
		return err
	}
	if err := w.took(ctx, run, s, asked); err != nil {
		return err
	}
	for _, a := range w.Accounts {
		if err := w.answerFrom(ctx, run, a, req.Period); err != nil {
			return err
		}
	}
	judged, err := w.reconcile(ctx, run, confirmed, s)
	if err != nil {
		return err
	}
	return w.conclude(ctx, run, s, judged)
}

// answerFrom moves the first day the account is answered for back over the days of the period that are complete now, if
// they lead up to it without a gap. A day that lacks a list stays out: it would only be told as missing.
func (w *Worker) answerFrom(ctx context.Context, run *ledger.Run, a Account, p ledger.Period) error {
	since, err := w.since(ctx, a, run.AsOf)
	if err != nil || p.From >= since || p.To < since-1 {
		return err
	}
	first := p.From
	for _, source := range allSources() {
		covers, err := w.Ledger.Coverage(ctx, a.Number, source, ledger.Period{From: p.From, To: since - 1})
		if err != nil {
			return err
		}
		d := since
		for d > first && covers[d-1].Complete {
			d--
		}
		first = d
	}
	if first == since {
		return nil
	}
	return w.Ledger.SetFirstDay(ctx, a.Number, first)
}

// allSources are the lists that a day is complete by.
func allSources() []ledger.Source {
	return append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
}

// backfillLanes are the days that the request still asks for, list by list. Without a ledger nothing was asked for yet.
func (w *Worker) backfillLanes(ctx context.Context, req *BackfillRequest) ([]lanePlan, error) {
	var lanes []lanePlan
	reason := "not complete yet"
	if req.Recheck {
		reason = "asked again"
	}
	for _, a := range w.Accounts {
		for _, source := range req.Sources {
			l := lanePlan{account: a.Number, source: source, period: req.Period, reason: reason}
			if source != ledger.SlipsDue {
				// Nothing was sold, paid or credited on a day to come.
				l.period.To = min(l.period.To, w.Today())
			}
			var covers map[ledger.Date]facts.DayCoverage
			if w.Ledger != nil && !req.Recheck {
				var err error
				if covers, err = w.Ledger.Coverage(ctx, a.Number, source, l.period); err != nil {
					return nil, err
				}
			}
			for d := l.period.From; d <= l.period.To; d++ {
				if !covers[d].Complete {
					l.days = append(l.days, d)
				}
			}
			lanes = append(lanes, l)
		}
	}
	if w.Ledger == nil || !req.Recheck {
		return lanes, nil
	}
	return lanes, w.checkedBefore(ctx, req, lanes)
}

// checkedBefore leaves out the days that an earlier call of the same request asked again for. Its run may have been
// overtaken by a night since, so that it can't go on: what it did stays done.
func (w *Worker) checkedBefore(ctx context.Context, req *BackfillRequest, lanes []lanePlan) error {
	last, err := w.Ledger.UnfinishedRun(ctx, ledger.Backfill, req.asOf(w.Today()))
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	earlier, err := w.units(ctx, last.ID, ledger.RangeUnit)
	if err != nil || !sameLanes(lanes, earlier) {
		return err
	}
	days, err := w.units(ctx, last.ID, ledger.PullUnit, ledger.UnitDone)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for i := range days {
		done[days[i].Account.String()+" "+days[i].What] = true
	}
	for i := range lanes {
		l := &lanes[i]
		var left []ledger.Date
		for _, d := range l.days {
			u := ledger.UnitOfWindow("", ledger.PullUnit, ledger.Window{Source: l.source, Period: ledger.Period{From: d, To: d}})
			if !done[l.account.String()+" "+u.What] {
				left = append(left, d)
			}
		}
		l.days = left
	}
	return nil
}
