package pull

import (
	"context"
	"errors"

	"concilia/jobs/api"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// looksTruncated reports whether the answer to a window of several days may be truncated, by its number of rows.
func (r *rangeWalk) looksTruncated(n int64) bool {
	if limit := int64(r.listCap); limit > 0 {
		return n >= limit
	}
	return n >= minTruncated && (n%roundTruncated == 0 || n >= r.largestAnswer && r.windowsByRows[n] > 0)
}

// windowResult is the result of asking for a period.
type windowResult struct {
	answered bool // completely, perhaps in parts
	halved   bool
	rows     int64
	names    []rowName // of its rows, if wanted
}

// pullPeriod asks for a period and keeps the answer, or those of its halves. With wantRows the result names the rows.
func (r *rangeWalk) pullPeriod(ctx context.Context, period ledger.Period, wantRows bool) (windowResult, error) {
	pull := r.newPull(ledger.Window{Account: r.account, Source: r.source, Period: period, Reason: r.reason})
	if r.outcome.outageError() != nil {
		return windowResult{}, r.keepFailedPeriod(ctx, pull, errNotAsked)
	}
	if !r.outcome.takeRequest() {
		return windowResult{}, errNoRequestsLeft
	}
	a, err := r.askService(ctx, pull)
	several := period.Days() > 1
	switch {
	case err == nil && several && r.looksTruncated(a.countRows()):
		return r.recheckInHalves(ctx, pull, a)
	case err == nil:
		return r.keepAnswer(ctx, pull, a, wantRows)
	case ctx.Err() != nil:
		return windowResult{}, context.Cause(ctx)
	case endsRun(err):
		return windowResult{}, err
	case several && api.IsWindowTooLarge(err):
		both, kept := r.pullHalves(ctx, period, wantRows)
		pull.Failure = err.Error()
		return both, errors.Join(kept, r.keepSetAside(ctx, pull))
	}
	return windowResult{}, r.keepFailedPeriod(ctx, pull, err)
}

// keepAnswer keeps an answer. If it lacks rows of an earlier complete one, its days are asked for again before any of these
// rows vanishes: a window of several days in halves, a single day as it is.
func (r *rangeWalk) keepAnswer(ctx context.Context, pull *ledger.Pull, a *answer, wantRows bool) (windowResult, error) {
	period := pull.Window.Period
	pull.Recheck, pull.Units = pull.Missing == nil, r.unitsIn(period, a.countByDay())
	var missing ledger.MissingRows
	var err error
	if period.Days() == 1 {
		missing, err = r.mergeUnlessMissing(ctx, pull, a)
	} else {
		err = r.mergeAnswer(ctx, pull, a)
	}
	var lacks *facts.MissingError
	switch {
	case errors.As(err, &lacks):
		markIncomplete(pull, a, lacks)
		return r.recheckInHalves(ctx, pull, a)
	case err != nil:
		return windowResult{}, err
	case missing != nil:
		return r.recheckDay(ctx, pull.Window, missing, wantRows)
	}
	out := windowResult{answered: true, rows: a.countRows()}
	if wantRows {
		out.names = a.listRows(period)
	}
	r.progress.Advance(len(pull.Units))
	r.markAsked(period)
	r.outcome.markReachable()
	r.noteRowCount(out.rows)
	if period.Days() > 1 {
		r.wideWindows[out.rows] = append(r.wideWindows[out.rows], period)
	}
	return out, nil
}

// recheckDay asks a second time for a day whose answer lacked known rows, and keeps this answer. The request does not count
// against the limit: otherwise a process that may make one request would repeat the first request of that day for ever.
func (r *rangeWalk) recheckDay(ctx context.Context, day ledger.Window, missing ledger.MissingRows, wantRows bool) (windowResult, error) {
	pull := r.newPull(day)
	pull.Missing = missing
	a, err := r.askService(ctx, pull)
	switch {
	case err == nil:
		return r.keepAnswer(ctx, pull, a, wantRows)
	case ctx.Err() != nil:
		return windowResult{}, context.Cause(ctx)
	case endsRun(err):
		return windowResult{}, err
	}
	return windowResult{}, r.keepFailedPeriod(ctx, pull, err)
}

// keepFailedPeriod keeps that a period failed; its days are not asked for again in this run.
func (r *rangeWalk) keepFailedPeriod(ctx context.Context, pull *ledger.Pull, cause error) error {
	pull.Units = r.unitsIn(pull.Window.Period, nil)
	r.markAsked(pull.Window.Period)
	r.progress.Advance(len(pull.Units))
	return r.keepFailure(ctx, pull, cause)
}

// recheckInHalves asks in halves for a window whose answer looks truncated or lacks known rows. The answers to the halves are
// kept instead of it; the window's own pull is kept as incomplete, with the days on which the two differ.
func (r *rangeWalk) recheckInHalves(ctx context.Context, pull *ledger.Pull, a *answer) (windowResult, error) {
	period, rows := pull.Window.Period, a.countRows()
	rowsOfWhole := a.listRows(period)
	r.noteRowCount(rows)
	pull.Counts.Rows = rows
	if pull.Note.Missing == 0 {
		pull.Failure = "the answer looks truncated: its halves were asked for and kept instead"
	}
	both, err := r.pullHalves(ctx, period, true)
	if err != nil {
		return windowResult{}, errors.Join(err, r.keepSetAside(ctx, pull))
	}
	if both.answered {
		pull.Note.Halved, pull.Note.Halves, pull.Note.Cut = true, both.rows, daysThatDiffer(rowsOfWhole, both.names)
	}
	if err := r.keepSetAside(ctx, pull); err != nil || len(pull.Note.Cut) == 0 {
		return both, err
	}
	return both, r.recheckEarlierWindows(ctx, rows)
}

// recheckEarlierWindows asks in halves for the earlier windows of several days whose answers had the same number of rows as
// one that proved truncated.
func (r *rangeWalk) recheckEarlierWindows(ctx context.Context, rows int64) error {
	same := r.wideWindows[rows]
	delete(r.wideWindows, rows)
	for _, earlier := range same {
		if _, err := r.pullHalves(ctx, earlier, false); err != nil {
			return err
		}
	}
	return nil
}

// pullHalves asks for the two halves of a period, the newer one first.
func (r *rangeWalk) pullHalves(ctx context.Context, period ledger.Period, wantRows bool) (windowResult, error) {
	middle := period.From + ledger.Date(period.Days()/2)
	newer, err := r.pullPeriod(ctx, ledger.Period{From: middle, To: period.To}, wantRows)
	if err != nil {
		return windowResult{}, err
	}
	older, err := r.pullPeriod(ctx, ledger.Period{From: period.From, To: middle - 1}, wantRows)
	return windowResult{
		answered: newer.answered && older.answered, halved: true, rows: newer.rows + older.rows,
		names: append(newer.names, older.names...),
	}, err
}

// keepSetAside keeps the pull of a window whose halves were kept instead; it is not a failure of the run.
func (r *rangeWalk) keepSetAside(ctx context.Context, pull *ledger.Pull) error {
	pull.Ended, pull.Complete = r.wall().UTC(), false
	if err := r.ledger.StorePull(ctx, pull); err != nil {
		return err
	}
	r.outcome.markReachable()
	return nil
}
