package facts

import (
	"context"
	"database/sql"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// sighting is a complete pull, as far as the rows it showed are concerned.
type sighting struct {
	pull  string
	run   string
	began time.Time
}

// Sightings says which complete pull of a source showed a day last. A row that stands was in it, else it would have
// vanished: that is how the ledger knows when it saw a row last without touching it every night.
type Sightings map[ledger.Date]sighting

// LoadSightings reads what the ledger shows now.
func LoadSightings(ctx context.Context, q sqldb.Querier, a ledger.Account, source ledger.Source, period ledger.Period,
) (Sightings, error) {
	s := make(Sightings) // what comes twice is put in its place twice
	row := func(rows *sql.Rows) error {
		var day ledger.Date
		var is sighting
		err := rows.Scan(&day, &is.pull, &is.run, sqldb.IntoTime(&is.began))
		s[day] = is
		return err
	}
	err := sqldb.ReadWithRetry(ctx, q, func() error {
		return sqldb.EachRow(ctx, q, row, `
		SELECT
			c.day,
			p.id,
			p.run,
			p.began
		FROM cover AS c
		JOIN pull AS p ON p.account = c.account AND p.id = c.shown_pull
		WHERE c.account = $1 AND c.source = $2 AND c.day BETWEEN $3 AND $4`,
			int64(a), string(source), int64(period.From), int64(period.To))
	})
	return s, err
}

// SightingsAsOf is loadSightings of every day, as the reconciles up to the run knew them; no run is now. What was known
// then is read from all the pulls there were.
func SightingsAsOf(ctx context.Context, q sqldb.Querier, a ledger.Account, source ledger.Source, run string) (Sightings, error) {
	if run == "" {
		return LoadSightings(ctx, q, a, source, Always)
	}
	w := &sqldb.Conditions{Args: []any{int64(a), string(source)}}
	known := alsoKnown(w, run)
	s := make(Sightings)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var is sighting
		var from, to ledger.Date
		if err := rows.Scan(&is.pull, &is.run, sqldb.IntoTime(&is.began), &from, &to); err != nil {
			return err
		}
		for d := from; d <= to; d++ {
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
		WHERE account = $1 AND source = $2 AND complete = 1`+known+`
		ORDER BY began, id`, w.Args...)
	return s, err
}

// Always is every day there can be.
var Always = ledger.Period{From: 1, To: 1 << 30}

// loadPulls gives the pulls that showed slips, for what its sight says of a version when no complete window covers it.
func loadPulls(ctx context.Context, q sqldb.Querier, a ledger.Account) (map[string]sighting, error) {
	return pullsWhere(ctx, q, " AND rows_seen > 0", int64(a))
}

// PullsAsOf gives the pulls of slips, empty ones too, that the reconciles up to the run knew.
func PullsAsOf(ctx context.Context, q sqldb.Querier, a ledger.Account, run string) (map[string]sighting, error) {
	w := &sqldb.Conditions{Args: []any{int64(a)}}
	return pullsWhere(ctx, q, alsoKnown(w, run), w.Args...)
}

func pullsWhere(ctx context.Context, q sqldb.Querier, also string, args ...any) (map[string]sighting, error) {
	m := make(map[string]sighting)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var is sighting
		err := rows.Scan(&is.pull, &is.run, sqldb.IntoTime(&is.began))
		m[is.pull] = is
		return err
	}, `
		SELECT
			id,
			run,
			began
		FROM pull
		WHERE account = $1 AND source <> 'cards'`+also, args...)
	return m, err
}
