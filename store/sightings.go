package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"concilia/store/ledger"
)

// sighting is a complete pull, as far as the rows it showed are concerned.
type sighting struct {
	pull  string
	run   string
	began time.Time
}

// sightings says which complete pull of a source showed a day last. A row that stands was in it, else it would have
// vanished: that is how the ledger knows when it saw a row last without touching it every night.
type sightings map[ledger.Date]sighting

func loadSightings(ctx context.Context, q querier, a ledger.Account, source ledger.Source, period ledger.Period,
) (sightings, error) {
	return sightingsAsOf(ctx, q, a, source, period, "")
}

// sightingsAsOf is loadSightings of what the reconciles up to the run knew; no run is now. A ledger of years has hundreds
// of thousands of pulls, hundreds of each day: of one day only those that hold it are looked at, and the last alone is read.
func sightingsAsOf(ctx context.Context, q querier, a ledger.Account, source ledger.Source, period ledger.Period,
	run string,
) (sightings, error) {
	w := &where{args: []any{int64(a), string(source), int64(period.From)}}
	begun := w.begun(period)
	known, order := w.alsoKnown(run), "began, id"
	if period.Days() == 1 {
		order = "began DESC, id DESC LIMIT 1"
	}
	s := make(sightings)
	err := each(ctx, q, func(rows *sql.Rows) error {
		var is sighting
		var from, to ledger.Date
		if err := rows.Scan(&is.pull, &is.run, scanTime{&is.began}, &from, &to); err != nil {
			return err
		}
		for d := max(from, period.From); d <= min(to, period.To); d++ {
			s[d] = is
		}
		return nil
	}, `
		SELECT
			id,
			run,
			began,
			from_day,
			to_day
		FROM pull
		WHERE account = $1 AND source = $2 AND complete = 1 AND to_day >= $3 AND `+begun+known+`
		ORDER BY `+order, w.args...)
	return s, err
}

// begun is the condition that a complete window may reach into the period: none is wider than WidestWindow. Days named
// one by one let the index pass over the windows that end before it.
func (w *where) begun(period ledger.Period) string {
	first := period.From - WidestWindow + 1
	if period.Days() > WidestWindow {
		return "from_day BETWEEN " + w.arg(int64(first)) + " AND " + w.arg(int64(period.To))
	}
	var days []string
	for d := first; d <= period.To; d++ {
		days = append(days, w.arg(int64(d)))
	}
	return "from_day IN (" + strings.Join(days, ", ") + ")"
}

// always is every day there can be.
var always = ledger.Period{From: 1, To: 1 << 30}

// loadPulls gives the pulls that brought versions of slips, for what its sight says when no complete window covers it.
func loadPulls(ctx context.Context, q querier, a ledger.Account) (map[string]sighting, error) {
	return pullsAsOf(ctx, q, a, "")
}

// pullsAsOf is loadPulls of what the reconciles up to the run knew; no run is now.
func pullsAsOf(ctx context.Context, q querier, a ledger.Account, run string) (map[string]sighting, error) {
	w := &where{args: []any{int64(a)}}
	m := make(map[string]sighting)
	err := each(ctx, q, func(rows *sql.Rows) error {
		var is sighting
		if err := rows.Scan(&is.pull, &is.run, scanTime{&is.began}); err != nil {
			return err
		}
		m[is.pull] = is
		return nil
	}, `
		SELECT
			id,
			run,
			began
		FROM pull
		WHERE account = $1 AND source <> 'cards'`+w.alsoKnown(run), w.args...)
	return m, err
}
