package results

import (
	"database/sql"
	"slices"

	"concilia/store/sqldb"
)

// findSlips adds to those named the slips of which a view came or ended, those that time may have turned, and those
// that a list shows on a day pulled since, or has let go: what their lists show side by side is judged by the run that saw it.
func (f *scopeSearch) findSlips(named []string) ([]string, error) {
	ids := slices.Clone(named)
	add := func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}
	err := sqldb.EachRow(f.ctx, f.t, add, `
		SELECT DISTINCT
			v.id
		FROM slip AS v
		LEFT JOIN (
			SELECT DISTINCT
				source,
				from_day,
				to_day
			FROM pull
			WHERE account = $1 AND judged = $2 AND source <> 'cards' AND complete = 1) AS p
			ON p.source = v.list AND v.list_day BETWEEN p.from_day AND p.to_day
		WHERE v.account = $1 AND (p.source IS NOT NULL
			OR v.first_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $2)
			OR v.ended_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $2))`, int64(f.account), f.run.ID)
	if err != nil {
		return nil, err
	}
	if err := sqldb.EachRow(f.ctx, f.t, add, `
		SELECT
			id
		FROM slip_expectation
		WHERE account = $1 AND ended_run IS NULL AND next_on <= $2`, int64(f.account), int64(f.run.AsOf)); err != nil {
		return nil, err
	}
	if err := sqldb.EachRow(f.ctx, f.t, add, `
		SELECT DISTINCT
			id
		FROM slip
		WHERE account = $1 AND vanished = 1`, int64(f.account)); err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
