package pull

import (
	"context"
	"errors"
	"slices"

	"concilia/export/words"
	"concilia/jobs/queue"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/runs"
)

const (
	// smallAnswer is the most rows of an answer after which the next window is twice as wide.
	smallAnswer = 250
	// widestWindow is the most days asked for at once.
	widestWindow = facts.MaxWindowDays
	// minTruncated and roundTruncated decide which answers look truncated while the operator's limit is not known: limits are
	// large, round numbers.
	minTruncated   = 100
	roundTruncated = 100
	// CountedDays is for how many days back the numbers of rows of answers are compared.
	CountedDays = 30
)

// errNoRequestsLeft ends the walk through a range when the limit of requests is reached.
var errNoRequestsLeft = errors.New("the requests of this process are used up")

// Range is what a run asks for from one list of one account.
type Range struct {
	Account ledger.Account
	Source  ledger.Source
	Period  ledger.Period
	Days    []ledger.Date // days of Period to ask for
	Reason  string
}

// workUnits are a unit for the range itself, which exists even if no day has to be asked for, and one for each day.
func (r *Range) workUnits(run string) []ledger.WorkUnit {
	window := ledger.Window{Account: r.Account, Source: r.Source, Period: r.Period, Reason: r.Reason}
	units := []ledger.WorkUnit{ledger.UnitOfWindow(run, ledger.RangeUnit, window)}
	for _, d := range r.Days {
		window.Period = ledger.Period{From: d, To: d}
		units = append(units, ledger.UnitOfWindow(run, ledger.PullUnit, window))
	}
	return units
}

// SameRanges reports whether the units of another run are those of the same ranges, regardless of the days to ask for.
func SameRanges(ranges []Range, units []ledger.WorkUnit) bool {
	for i := range ranges {
		own := ranges[i].workUnits("")[0]
		if !slices.ContainsFunc(units, func(u ledger.WorkUnit) bool {
			return own.Account == u.Account && own.What == u.What && own.Reason == u.Reason
		}) {
			return false
		}
	}
	return len(ranges) == len(units)
}

// PlanRanges plans the ranges of a run, once: a run that was killed and continued keeps its plan.
func (p *Puller) PlanRanges(ctx context.Context, run *ledger.Run, ranges []Range) error {
	planned, err := p.ListUnits(ctx, run.ID, ledger.RangeUnit)
	if err != nil || len(planned) > 0 {
		return err
	}
	var units []ledger.WorkUnit
	for i := range ranges {
		units = append(units, ranges[i].workUnits(run.ID)...)
	}
	return p.Ledger.PlanUnits(ctx, units)
}

// PullRanges asks for the planned ranges of a run, each in windows that do not overlap and are as wide as the answers allow.
// Failures are kept as in PullUnits. maxRequests limits the requests, repeated ones not counted (0: no limit); days that are
// not reached stay planned.
func (p *Puller) PullRanges(ctx context.Context, run *ledger.Run, maxRequests int64) (*Outcome, error) {
	days, err := p.ListUnits(ctx, run.ID, ledger.PullUnit, unfinishedStates()...)
	if err != nil {
		return nil, err
	}
	ranges, err := p.ListUnits(ctx, run.ID, ledger.RangeUnit, unfinishedStates()...)
	if err != nil {
		return nil, err
	}
	p.Progress.Step("pull", len(days))
	o := &Outcome{requestsLeft: maxRequests, limited: maxRequests > 0}
	q := p.chooseQueue()
	if o.limited {
		// Only this process counts the requests that are left.
		q = queue.Pool{Parallel: p.Parallel}
	}
	if err := q.Do(ctx, ranges, p.workOn(run, o)); err != nil {
		return nil, err
	}
	whole, err := p.readOutcome(ctx, run, o)
	if err != nil {
		return nil, err
	}
	p.finishStep(o, words.NewMessage("steps.days_in_windows", "days", words.NewMessage("counts.day", "n", o.Windows), "windows", words.NewMessage("counts.window", "n", whole)))
	return o, nil
}

// unfinishedStates are the states of units that a run still has to do.
func unfinishedStates() []ledger.UnitState {
	return []ledger.UnitState{ledger.UnitPlanned, ledger.UnitLeased, ledger.UnitFailed}
}

// pullRangeUnit asks for the days of one range that are not done yet.
func (p *Puller) pullRangeUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, o *Outcome) error {
	window, err := u.Window()
	if err != nil {
		return err
	}
	r := &rangeWalk{asker: p.newAsker(run, o), listCap: p.ListCap, progress: p.Progress, account: u.Account, source: window.Source, reason: u.Reason}
	if err := r.loadState(ctx, window.Period); err != nil {
		return err
	}
	if err := r.walkRange(ctx, window.Period); err != nil {
		return err
	}
	if len(r.unasked) > 0 {
		return nil // no requests are left: the range stays planned
	}
	u.State = ledger.UnitDone
	return p.Ledger.FinishUnit(ctx, u)
}

// rangeWalk asks for one range, one window after another.
type rangeWalk struct {
	*asker
	listCap  int // see Puller
	progress Progress
	account  ledger.Account
	source   ledger.Source
	reason   string
	unasked  map[ledger.Date]ledger.WorkUnit // days that were not asked for yet

	largestAnswer int64                     // rows
	windowsByRows map[int64]int             // number of windows by the rows of their answers
	wideWindows   map[int64][]ledger.Period // windows of several days whose answers were kept, by their rows
}

// loadState reads which days are still to be asked for, and the numbers of rows of the list's last answers, in earlier runs
// and in this one: a run that was killed continues with what it knew.
func (r *rangeWalk) loadState(ctx context.Context, period ledger.Period) error {
	r.unasked, r.windowsByRows, r.wideWindows = map[ledger.Date]ledger.WorkUnit{}, map[int64]int{}, map[int64][]ledger.Period{}
	filter := runs.UnitFilter{Accounts: []ledger.Account{r.account}, Kind: ledger.PullUnit, States: unfinishedStates()}
	units, err := r.ledger.Units(ctx, r.run.ID, filter)
	if err != nil {
		return err
	}
	for _, u := range units {
		window, err := u.Window()
		if err != nil {
			return err
		}
		if window.Source == r.source && period.Contains(window.Period.From) {
			r.unasked[window.Period.From] = u
		}
	}
	today := r.today()
	counts, err := r.ledger.DayCounts(ctx, r.account, ledger.Period{From: today - CountedDays, To: today})
	if err != nil {
		return err
	}
	for _, n := range counts[r.source] {
		r.noteRowCount(n)
	}
	pulls, err := r.ledger.PullsOfRun(ctx, r.account, r.run.ID)
	if err != nil {
		return err
	}
	return r.restoreWindows(ctx, pulls)
}

// restoreWindows restores what the run's own pulls showed before it was killed.
func (r *rangeWalk) restoreWindows(ctx context.Context, pulls []ledger.Pull) error {
	truncated := map[int64]bool{}
	for i := range pulls {
		p := &pulls[i]
		several := p.Window.Period.Days() > 1
		switch {
		case p.Window.Source != r.source || p.Window.Reason == ReasonRecheck || !p.Complete && !p.Note.Halved:
			continue
		case several:
			r.noteRowCount(p.Counts.Rows)
		}
		truncated[p.Counts.Rows] = truncated[p.Counts.Rows] || len(p.Note.Cut) > 0
		if !p.Complete {
			continue
		}
		// A narrower window that was asked for after a wider one replaces it.
		for n := range r.wideWindows {
			r.wideWindows[n] = slices.DeleteFunc(r.wideWindows[n], func(wide ledger.Period) bool { return wide.Contains(p.Window.Period.From) })
		}
		if several {
			r.wideWindows[p.Counts.Rows] = append(r.wideWindows[p.Counts.Rows], p.Window.Period)
		}
	}
	for n := range truncated {
		if truncated[n] {
			if err := r.recheckEarlierWindows(ctx, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteRowCount counts an answer by its number of rows.
func (r *rangeWalk) noteRowCount(n int64) {
	r.windowsByRows[n]++
	r.largestAnswer = max(r.largestAnswer, n)
}

// unitsIn returns the units of the unasked days of a period, each with the rows of its day.
func (r *rangeWalk) unitsIn(p ledger.Period, rows map[ledger.Date]int64) []ledger.WorkUnit {
	var out []ledger.WorkUnit
	for d := p.From; d <= p.To; d++ {
		if u, ok := r.unasked[d]; ok {
			u.Rows = rows[d]
			out = append(out, u)
		}
	}
	return out
}

// markAsked removes the days of a period from the unasked ones.
func (r *rangeWalk) markAsked(p ledger.Period) {
	for d := p.From; d <= p.To; d++ {
		delete(r.unasked, d)
	}
}

// walkRange asks for the unasked days, newest first. It starts with one day, doubles the window while answers are small and
// halves it when they are not. A window never contains a day that is done.
func (r *rangeWalk) walkRange(ctx context.Context, period ledger.Period) error {
	days := 1
	for to := period.To; to >= period.From; {
		if _, ok := r.unasked[to]; !ok {
			to--
			continue
		}
		if r.outcome.outageError() != nil {
			days = period.Days() // the service is unreachable: the days that are left fail together
		}
		from := to
		for _, ok := r.unasked[from-1]; ok && int(to-from)+1 < days; _, ok = r.unasked[from-1] {
			from--
		}
		result, err := r.pullPeriod(ctx, ledger.Period{From: from, To: to}, false)
		if errors.Is(err, errNoRequestsLeft) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case !result.answered || result.halved || result.rows > 2*smallAnswer:
			days = max(1, days/2)
		case result.rows <= smallAnswer:
			days = min(2*days, widestWindow)
		}
		to = from - 1
	}
	return nil
}
