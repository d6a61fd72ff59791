package jobs

import (
	"context"
	"slices"

	"concilia/store/ledger"
	"concilia/store/runs"
)

// lane asks one list of one account for a range of days, one window after another.
type lane struct {
	w       *Worker
	run     *ledger.Run
	p       *pulled
	account ledger.Account
	source  ledger.Source
	reason  string
	todo    map[ledger.Date]ledger.WorkUnit // days that were not asked for yet

	largest int64
	times   map[int64]int             // windows by the rows they showed
	wide    map[int64][]ledger.Period // windows of several days that were taken as they came, by the same
}

// remember reads which days are to do, and what the list showed in the last days and in the run itself: one that was
// killed goes on with what it knew.
func (l *lane) remember(ctx context.Context, period ledger.Period) error {
	l.todo, l.times, l.wide = map[ledger.Date]ledger.WorkUnit{}, map[int64]int{}, map[int64][]ledger.Period{}
	filter := runs.UnitFilter{Accounts: []ledger.Account{l.account}, Kind: ledger.PullUnit, States: undone()}
	units, err := l.w.Ledger.Units(ctx, l.run.ID, filter)
	if err != nil {
		return err
	}
	for _, u := range units {
		window, err := u.Window()
		if err != nil {
			return err
		}
		if window.Source == l.source && period.Contains(window.Period.From) {
			l.todo[window.Period.From] = u
		}
	}
	today := l.w.Today()
	counts, err := l.w.Ledger.DayCounts(ctx, l.account, ledger.Period{From: today - countedDays, To: today})
	if err != nil {
		return err
	}
	for _, n := range counts[l.source] {
		l.counted(n)
	}
	pulls, err := l.w.Ledger.PullsOfRun(ctx, l.account, l.run.ID)
	if err != nil {
		return err
	}
	return l.recall(ctx, pulls)
}

// recall takes up what the run's own windows showed before it was killed.
func (l *lane) recall(ctx context.Context, pulls []ledger.Pull) error {
	cut := map[int64]bool{}
	for i := range pulls {
		p := &pulls[i]
		several := p.Window.Period.Days() > 1
		switch {
		case p.Window.Source != l.source || p.Window.Reason == toConfirm || !p.Complete && !p.Note.Halved:
			continue
		case several:
			l.counted(p.Counts.Rows)
		}
		cut[p.Counts.Rows] = cut[p.Counts.Rows] || len(p.Note.Cut) > 0
		if !p.Complete {
			continue
		}
		// A narrower window after a wider one was asked because of it.
		for n := range l.wide {
			l.wide[n] = slices.DeleteFunc(l.wide[n], func(w ledger.Period) bool { return w.Contains(p.Window.Period.From) })
		}
		if several {
			l.wide[p.Counts.Rows] = append(l.wide[p.Counts.Rows], p.Window.Period)
		}
	}
	for n := range cut {
		if cut[n] {
			if err := l.recheckEarlierWindows(ctx, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lane) counted(n int64) {
	l.times[n]++
	l.largest = max(l.largest, n)
}

// unitsOf are the units to do of the days of a window, each with the rows of its day.
func (l *lane) unitsOf(p ledger.Period, rows map[ledger.Date]int64) []ledger.WorkUnit {
	var out []ledger.WorkUnit
	for d := p.From; d <= p.To; d++ {
		if u, ok := l.todo[d]; ok {
			u.Rows = rows[d]
			out = append(out, u)
		}
	}
	return out
}

// asked takes the days of a window off those to do.
func (l *lane) asked(p ledger.Period) {
	for d := p.From; d <= p.To; d++ {
		delete(l.todo, d)
	}
}
