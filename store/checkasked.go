package store

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// checkWindows holds what is said of the windows that were asked for against the pulls.
func (c *ledgerCheck) checkWindows(ctx context.Context) error {
	const pulled = `
		SELECT
			account,
			source,
			from_day,
			to_day,
			COALESCE(MIN(pulled_on), 0),
			COALESCE(MAX(pulled_on), 0),
			COALESCE(MAX(CASE WHEN rows_new + changed + vanished > 0 THEN pulled_on END), 0)
		FROM pull
		WHERE complete = 1 AND source <> 'slips.detail'
		GROUP BY account, source, from_day, to_day`
	const said = `
		SELECT
			account,
			source,
			from_day,
			to_day,
			first_on,
			last_on,
			moved_on
		FROM asked`
	for _, odd := range [...]struct{ query, says string }{
		{pulled + " EXCEPT" + said, "is not said when it was asked for, or otherwise than the pulls say"},
		{said + " EXCEPT" + pulled, "is said when it was asked for as no pulls say"},
	} {
		err := sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
			var a ledger.Account
			var w facts.RequestedWindow
			err := rows.Scan(&a, &w.Source, &w.Period.From, &w.Period.To, sqldb.IntoDate(&w.First), sqldb.IntoDate(&w.Last), sqldb.IntoDate(&w.LastChange))
			c.addFault("account %s, %s of %s: the window %s", a, w.Source, w.Period, odd.says)
			return err
		}, odd.query)
		if err != nil {
			return err
		}
	}
	return nil
}
