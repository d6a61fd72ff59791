package store

import (
	"context"
	"database/sql"
	"strings"

	"concilia/store/results"
	"concilia/store/sqldb"
)

// checkAggregates looks for sums of which two stand at once, and for those that no reconcile after their own ended; of beliefs in
// installments only the first, since the others are looked at with their rows. It names the part of the key that the
// program made itself: the others may hold what the service wrote.
func (c *ledgerCheck) checkAggregates(ctx context.Context) error {
	for _, t := range []struct{ table, named, keys string }{
		{results.BridgeTable.Name, "line", strings.Join(results.BridgeTable.Keys, ", ")},
		{results.RoundingTable.Name, "code", strings.Join(results.RoundingTable.Keys, ", ")},
		{results.PopulationTable.Name, "kind", strings.Join(results.PopulationTable.Keys, ", ")},
		{"continuity", "CAST(day AS TEXT)", "day, brand, product"},
	} {
		if err := c.checkOneCurrent(ctx, t.table, t.named, t.keys); err != nil {
			return err
		}
		if err := c.checkEnds(ctx, t.table, t.named); err != nil {
			return err
		}
	}
	// No index sees to this: one of what stands alone would be a second one of the whole key.
	return c.checkOneCurrent(ctx, results.InstallmentExpectations.Name, "CAST(sale_day AS TEXT)", "sale_day, nsu, auth, number, occurrence")
}

func (c *ledgerCheck) checkOneCurrent(ctx context.Context, table, named, keys string) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var account, what string
		var n int64
		err := rows.Scan(&account, &what, &n)
		c.addFault("%s of account %s, %s: %d rows of one key stand at once", table, account, what, n)
		return err
	}, `
		SELECT
			CAST(account AS TEXT),
			MIN(`+named+`),
			COUNT(*)
		FROM `+table+`
		WHERE ended_run IS NULL
		GROUP BY account, `+keys+`
		HAVING COUNT(*) > 1
		ORDER BY account, `+keys)
}

func (c *ledgerCheck) checkEnds(ctx context.Context, table, named string) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var account, what, run, ended string
		err := rows.Scan(&account, &what, &run, &ended)
		c.addFault("%s of account %s, %s: what run %s kept was ended by %s, which is no later reconcile", table, account, what, run, ended)
		return err
	}, `
		SELECT
			CAST(s.account AS TEXT),
			s.what,
			s.run,
			s.ended_run
		FROM (
			SELECT
				account,
				`+named+` AS what,
				run,
				ended_run
			FROM `+table+`
			WHERE ended_run IS NOT NULL) AS s
		LEFT JOIN reconciled AS r ON r.account = s.account AND r.run = s.ended_run
		WHERE r.run IS NULL OR s.ended_run <= s.run`)
}
