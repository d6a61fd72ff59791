package facts

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// MovedCreditDays are the days on which something was or is credited that pulls changed since a run, the run's own pulls included: more
// days than moved, and never fewer. They are in order.
func (l *CreditReader) MovedCreditDays(ctx context.Context, a ledger.Account, since string) ([]ledger.Date, error) {
	found := map[ledger.Date]bool{}
	add := func(rows *sql.Rows) error {
		var d ledger.Date
		err := rows.Scan(sqldb.IntoDate(&d))
		found[d] = true
		return err
	}
	windows, err := l.changedWindows(ctx, a, since)
	for i := 0; err == nil && i < len(windows); i++ {
		err = sqldb.EachRow(ctx, l.db.Read, add, laterPulls+`
			SELECT DISTINCT v.effective
			FROM installment AS c
			JOIN installment AS v
				ON v.account = c.account AND v.sale_day = c.sale_day AND v.nsu = c.nsu AND v.auth = c.auth AND v.number = c.number
					AND v.occurrence = c.occurrence
			WHERE c.account = $1 AND c.sale_day BETWEEN $3 AND $4 AND v.effective IS NOT NULL
				AND (c.first_pull IN (SELECT id FROM later) OR c.ended_pull IN (SELECT id FROM later))`,
			int64(a), since, int64(windows[i].From), int64(windows[i].To))
	}
	if err == nil {
		err = sqldb.EachRow(ctx, l.db.Read, add, laterPulls+`
			SELECT DISTINCT v.credited_on
			FROM slip AS v
			WHERE v.account = $1 AND v.credited_on IS NOT NULL AND v.id IN (
				SELECT c.id
				FROM slip AS c
				LEFT JOIN (
					SELECT DISTINCT
						source,
						from_day,
						to_day
					FROM later
					WHERE source <> 'cards' AND complete = 1) AS p
					ON p.source = c.list AND c.list_day BETWEEN p.from_day AND p.to_day
				WHERE c.account = $1 AND (p.source IS NOT NULL OR c.first_pull IN (SELECT id FROM later)
					OR c.last_pull IN (SELECT id FROM later) OR c.ended_pull IN (SELECT id FROM later)))`, int64(a), since)
	}
	days := make([]ledger.Date, 0, len(found))
	for d := range found {
		days = append(days, d)
	}
	slices.Sort(days)
	return days, l.db.WrapError("read what was credited otherwise since", err)
}

// laterPulls is a WITH of the pulls of account $1 that run $2, a later reconcile or none yet was the first to know.
const laterPulls = `
			WITH later AS (
				SELECT
					id,
					source,
					from_day,
					to_day,
					complete
				FROM pull
				WHERE account = $1 AND (judged IS NULL OR judged >= $2))`

// changedWindows are the sale days in which such pulls changed installments: those of their windows, or all days when these do not hold
// all that the pulls say they brought.
func (l *CreditReader) changedWindows(ctx context.Context, a ledger.Account, since string) (windows []ledger.Period, err error) {
	var brought, found int64
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var p ledger.Period
		var n, gone int64
		err := rows.Scan(&p.From, &p.To, &n, &gone)
		if last := len(windows) - 1; n+gone > 0 && last >= 0 && p.From <= windows[last].To+1 {
			windows[last].To = max(windows[last].To, p.To)
		} else if n+gone > 0 {
			windows = append(windows, p)
		}
		brought += n
		return err
	}, `
		SELECT
			from_day,
			to_day,
			rows_new + changed,
			vanished
		FROM pull
		WHERE account = $1 AND (judged IS NULL OR judged >= $2) AND source = 'cards'
		ORDER BY from_day, to_day`, int64(a), since)
	for i := 0; err == nil && i < len(windows); i++ {
		err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
			var n int64
			err := rows.Scan(&n)
			found += n
			return err
		}, laterPulls+`
			SELECT COUNT(*)
			FROM installment AS c
			WHERE c.account = $1 AND c.sale_day BETWEEN $3 AND $4 AND c.first_pull IN (SELECT id FROM later)`,
			int64(a), since, int64(windows[i].From), int64(windows[i].To))
	}
	if err == nil && found != brought {
		windows = []ledger.Period{AllDays}
	}
	return windows, err
}
