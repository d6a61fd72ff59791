package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// DayCounts gives, by source and day, the rows of the last complete window of that one day alone, over the windows
// pulled on the days of the period of the business clock. Windows deliberately asked wider are of several days.
func (l *Store) DayCounts(ctx context.Context, a ledger.Account, pulledOn ledger.Period,
) (map[ledger.Source]map[ledger.Date]int64, error) {
	out := make(map[ledger.Source]map[ledger.Date]int64)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var source ledger.Source
		var day ledger.Date
		var n int64
		if err := rows.Scan(&source, &day, &n); err != nil {
			return err
		}
		if out[source] == nil {
			out[source] = make(map[ledger.Date]int64)
		}
		out[source][day] = n
		return nil
	}, `
		SELECT
			source,
			from_day,
			rows_seen
		FROM pull
		WHERE account = $1 AND complete = 1 AND from_day = to_day AND pulled_on BETWEEN $2 AND $3
			AND source <> 'slips.detail'
		ORDER BY began, id`, int64(a), int64(pulledOn.From), int64(pulledOn.To))
	return out, l.db.WrapError("count the rows of the windows of account "+a.String(), err)
}

// LargestCounts returns the largest number of rows that any window of each source ever had, whatever its width, except
// details of single slips. A source that was never asked has none.
func (l *Store) LargestCounts(ctx context.Context, a ledger.Account) (map[ledger.Source]int64, error) {
	out := make(map[ledger.Source]int64)
	for _, source := range append(ledger.SlipLists(), ledger.Cards) {
		var n sql.NullInt64
		// Each by itself is the end of an index; all at once are all pulls there ever were.
		err := l.db.Read.QueryRowContext(ctx, "SELECT MAX(rows_seen) FROM pull WHERE account = $1 AND source = $2",
			int64(a), string(source)).Scan(&n)
		if err != nil {
			return nil, l.db.WrapError("count the rows of the windows of account "+a.String(), err)
		}
		if n.Valid {
			out[source] = n.Int64
		}
	}
	return out, nil
}
