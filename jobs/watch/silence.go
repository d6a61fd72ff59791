package watch

import (
	"context"
	"fmt"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

const (
	// silentDays is how many business days in a row without a row are a silence. One may be a holiday of the town.
	silentDays = 2
	// usualDays is how many business days before them are looked at, and oftenEnough on how many of these there must have
	// been rows for their absence to mean something.
	usualDays   = 20
	oftenEnough = 18
)

// silence is the alarm on a source that has shown no rows lately, or none.
func (w *Watcher) silence(ctx context.Context, r *Run, a ledger.Account, source ledger.Source) ([]Alarm, error) {
	days := bankDays(w.Calendar(a), r.AsOf, silentDays+usualDays)
	if len(days) < silentDays+usualDays {
		return nil, nil
	}
	quiet, before := days[:silentDays], days[silentDays:]
	period := ledger.Period{From: before[len(before)-1], To: quiet[0]}
	covers, err := w.Ledger.Coverage(ctx, a, source, period)
	if err != nil {
		return nil, err
	}
	rows, err := w.Ledger.DaysWithRows(ctx, a, source, period)
	if err != nil {
		return nil, err
	}
	for _, d := range quiet {
		if !covers[d].Complete || rows[d] {
			return nil, nil
		}
	}
	had := 0
	for _, d := range before {
		if rows[d] {
			had++
		}
	}
	if had < oftenEnough {
		return nil, nil
	}
	return []Alarm{{
		On: OnSilence, Account: a, Run: r.ID, AsOf: r.AsOf, Cause: string(source),
		Text: fmt.Sprintf("account %s: the service answers for %s and has no rows from %s to %s, but had on %d of the %d business days before",
			a, source, quiet[len(quiet)-1], quiet[0], had, usualDays),
	}}, nil
}

// bankDays are the last n bank days before a day, the latest first; fewer where the calendar begins.
func bankDays(c *calendar.Calendar, day ledger.Date, n int) []ledger.Date {
	var out []ledger.Date
	for d := day - 1; len(out) < n && calendar.CheckDate(d) == nil; d-- {
		if c.IsBusinessDay(calendar.Settles, d) {
			out = append(out, d)
		}
	}
	return out
}
