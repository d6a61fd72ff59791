package jobs

import (
	"context"
	"errors"

	"concilia/jobs/api"
	"concilia/jobs/queue"
	"concilia/store/facts"
	"concilia/store/ledger"
)

const (
	// smallAnswer is up to how many rows an answer leaves room for a window twice as wide.
	smallAnswer = 250
	// widestWindow is the most days asked for at once.
	widestWindow = facts.MaxWindowDays
	// leastCut and roundCut say which answers look cut while the operator's cap is not known: caps are large and round.
	leastCut = 100
	roundCut = 100
	// countedDays is over how many days back answers are remembered by their number of rows.
	countedDays = 30
)

// errSpent ends the way through a range when no more requests may be begun.
var errSpent = errors.New("the requests of this time are used up")

// pullRange does the run's lanes, each in windows that never overlap and are as wide as its answers allow. What fails is
// kept as failed, as pull does. With most above 0 no more requests than that are begun, those that repeat one aside, and
// what is not asked then stays planned.
func (w *Worker) pullRange(ctx context.Context, run *ledger.Run, most int64) (*pulled, error) {
	days, err := w.units(ctx, run.ID, ledger.PullUnit, undone()...)
	if err != nil {
		return nil, err
	}
	lanes, err := w.units(ctx, run.ID, ledger.RangeUnit, undone()...)
	if err != nil {
		return nil, err
	}
	w.Progress.Step("pull", len(days))
	p := &pulled{spare: most, bound: most > 0}
	q := w.queue()
	if p.bound {
		// Only this process counts what is left of the bound.
		q = queue.Pool{Parallel: w.Parallel}
	}
	if err := q.Do(ctx, lanes, w.workOn(run, p)); err != nil {
		return nil, err
	}
	whole, err := w.settle(ctx, run, p)
	if err != nil {
		return nil, err
	}
	return p, w.pulledDone(ctx, p, things(p.windows, "day", "days")+" in "+things(whole, "window", "windows"))
}

// undone are the states of units that a run still has to do.
func undone() []ledger.UnitState {
	return []ledger.UnitState{ledger.UnitPlanned, ledger.UnitLeased, ledger.UnitFailed}
}

// laneUnit asks a list of an account for the days of a range that are not done yet.
func (w *Worker) laneUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, p *pulled) error {
	window, err := u.Window()
	if err != nil {
		return err
	}
	l := &lane{w: w, run: run, p: p, account: u.Account, source: window.Source, reason: u.Reason}
	if err := l.remember(ctx, window.Period); err != nil {
		return err
	}
	if err := l.walk(ctx, window.Period); err != nil {
		return err
	}
	if len(l.todo) > 0 {
		return nil // the requests are used up, and the lane stays planned
	}
	u.State = ledger.UnitDone
	return w.Ledger.FinishUnit(ctx, u)
}

// suspicious says whether an answer of n rows to a window of several days may have been cut.
func (l *lane) suspicious(n int64) bool {
	if limit := int64(l.w.ListCap); limit > 0 {
		return n >= limit
	}
	return n >= leastCut && (n%roundCut == 0 || n >= l.largest && l.times[n] > 0)
}

// walk asks for the days to do, newest first. It starts with a day, doubles the window while answers are small and halves
// it when they are not. No window goes across a day that is done.
func (l *lane) walk(ctx context.Context, period ledger.Period) error {
	days := 1
	for to := period.To; to >= period.From; {
		if _, ok := l.todo[to]; !ok {
			to--
			continue
		}
		if l.p.giveUp() != nil {
			days = period.Days() // nobody answers: what is left fails as one
		}
		from := to
		for _, ok := l.todo[from-1]; ok && int(to-from)+1 < days; _, ok = l.todo[from-1] {
			from--
		}
		got, err := l.window(ctx, ledger.Period{From: from, To: to}, false)
		if errors.Is(err, errSpent) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case !got.answered || got.halved || got.rows > 2*smallAnswer:
			days = max(1, days/2)
		case got.rows <= smallAnswer:
			days = min(2*days, widestWindow)
		}
		to = from - 1
	}
	return nil
}

// got is what came of a window.
type got struct {
	answered bool // whole, perhaps in parts
	halved   bool
	rows     int64
	shown    []shownRow // when wanted
}

// window asks for a period and keeps the answer, or those of its halves.
func (l *lane) window(ctx context.Context, period ledger.Period, want bool) (got, error) {
	pull := l.w.newPull(l.run, ledger.Window{Account: l.account, Source: l.source, Period: period, Reason: l.reason})
	if l.p.giveUp() != nil {
		return got{}, l.failed(ctx, pull, errNotAsked)
	}
	if !l.p.take() {
		return got{}, errSpent
	}
	a, err := l.w.question(ctx, pull)
	several := period.Days() > 1
	switch {
	case err == nil && several && l.suspicious(a.rows()):
		return l.recheckInHalves(ctx, pull, a)
	case err == nil:
		return l.keep(ctx, pull, a, want)
	case ctx.Err() != nil:
		return got{}, context.Cause(ctx)
	case endsRun(err):
		return got{}, err
	case several && api.IsWindowTooLarge(err):
		both, kept := l.halves(ctx, period, want)
		pull.Failure = err.Error()
		return both, errors.Join(kept, l.setAside(ctx, pull))
	}
	return got{}, l.failed(ctx, pull, err)
}

// keep keeps an answer. One that lacks rows of an earlier complete one is asked for once more before any of them vanishes:
// a window of several days in halves, a day alone.
func (l *lane) keep(ctx context.Context, pull *ledger.Pull, a *answer, want bool) (got, error) {
	period := pull.Window.Period
	pull.Recheck, pull.Units = pull.Missing == nil, l.unitsOf(period, a.byDay())
	var missing ledger.MissingRows
	var err error
	if period.Days() == 1 {
		missing, err = l.w.keepUnlessMissing(ctx, pull, a)
	} else {
		err = l.w.keep(ctx, pull, a)
	}
	var lacks *facts.MissingError
	switch {
	case errors.As(err, &lacks):
		noteMissing(pull, a, lacks)
		return l.recheckInHalves(ctx, pull, a)
	case err != nil:
		return got{}, err
	case missing != nil:
		return l.recheckDay(ctx, pull.Window, missing, want)
	}
	out := got{answered: true, rows: a.rows()}
	if want {
		out.shown = a.shown(period)
	}
	l.w.Progress.Advance(len(pull.Units))
	l.asked(period)
	l.p.answered()
	l.counted(out.rows)
	if period.Days() > 1 {
		l.wide[out.rows] = append(l.wide[out.rows], period)
	}
	return out, nil
}

// recheckDay asks once more for a day whose answer lacked known rows; what this one shows holds. The request repeats one, and
// counts against no bound: else a run of one request at a time would never get past the day.
func (l *lane) recheckDay(ctx context.Context, day ledger.Window, missing ledger.MissingRows, want bool) (got, error) {
	pull := l.w.newPull(l.run, day)
	pull.Missing = missing
	a, err := l.w.question(ctx, pull)
	switch {
	case err == nil:
		return l.keep(ctx, pull, a, want)
	case ctx.Err() != nil:
		return got{}, context.Cause(ctx)
	case endsRun(err):
		return got{}, err
	}
	return got{}, l.failed(ctx, pull, err)
}

func (l *lane) failed(ctx context.Context, pull *ledger.Pull, cause error) error {
	pull.Units = l.unitsOf(pull.Window.Period, nil)
	l.asked(pull.Window.Period)
	l.w.Progress.Advance(len(pull.Units))
	return l.w.fail(ctx, pull, cause, l.p)
}

// recheckInHalves asks again in halves for a window whose answer looks cut, or lacks known rows. The halves are kept in
// its place; the window's own pull proves nothing and says how the two compare.
func (l *lane) recheckInHalves(ctx context.Context, pull *ledger.Pull, a *answer) (got, error) {
	period, rows := pull.Window.Period, a.rows()
	whole := a.shown(period)
	l.counted(rows)
	pull.Counts.Rows = rows
	if pull.Note.Missing == 0 {
		pull.Failure = "the answer looks cut: asked again in halves, which hold in its place"
	}
	both, err := l.halves(ctx, period, true)
	if err != nil {
		return got{}, errors.Join(err, l.setAside(ctx, pull))
	}
	if both.answered {
		pull.Note.Halved, pull.Note.Halves, pull.Note.Cut = true, both.rows, unlike(whole, both.shown)
	}
	if err := l.setAside(ctx, pull); err != nil || len(pull.Note.Cut) == 0 {
		return both, err
	}
	return both, l.recheckEarlierWindows(ctx, rows)
}

// recheckEarlierWindows asks in halves for the windows of several days that showed so many rows: a list that was cut once
// was cut wherever it showed as many.
func (l *lane) recheckEarlierWindows(ctx context.Context, rows int64) error {
	same := l.wide[rows]
	delete(l.wide, rows)
	for _, earlier := range same {
		if _, err := l.halves(ctx, earlier, false); err != nil {
			return err
		}
	}
	return nil
}

// halves asks for the two halves of a period.
func (l *lane) halves(ctx context.Context, period ledger.Period, want bool) (got, error) {
	middle := period.From + ledger.Date(period.Days()/2)
	newer, err := l.window(ctx, ledger.Period{From: middle, To: period.To}, want)
	if err != nil {
		return got{}, err
	}
	older, err := l.window(ctx, ledger.Period{From: period.From, To: middle - 1}, want)
	return got{
		answered: newer.answered && older.answered, halved: true, rows: newer.rows + older.rows,
		shown: append(newer.shown, older.shown...),
	}, err
}

// setAside keeps that a window was asked for whose halves were kept in its place: no failure of the run.
func (l *lane) setAside(ctx context.Context, pull *ledger.Pull) error {
	pull.Ended, pull.Complete = l.w.Wall().UTC(), false
	if err := l.w.Ledger.StorePull(ctx, pull); err != nil {
		return err
	}
	l.p.answered()
	return nil
}
