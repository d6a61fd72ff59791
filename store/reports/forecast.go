package reports

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// ForecastSums returns what is to be credited to the account by business day, summed over installments and expectations as they
// were as of the run of the query: the other side of what the run itself kept. settle is the business day of a forecast, and zero if
// the calendar does not know it.
func (l *Store) ForecastSums(ctx context.Context, q Query, netOfSplits bool, settle func(ledger.Date) ledger.Date) ([]ledger.ForecastSum, error) {
	var out []ledger.ForecastSum
	add := func(kind ledger.ForecastKind, day ledger.Date, items, printed, exact int64) {
		if items != 0 || printed != 0 || exact != 0 {
			out = append(out, ledger.ForecastSum{
				Account: q.Account, Kind: kind, Day: day, Items: items, Printed: ledger.Amount(printed), Exact: ledger.Amount(exact),
			})
		}
	}
	from, args := q.openRowsSQL()
	s := sumQuery{l: l}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var day ledger.Date
		var blocked bool
		var items, printed, exact, splits int64
		if err := rows.Scan(sqldb.IntoDate(&day), sqldb.IntoBool(&blocked), &items, &printed, &exact, &splits); err != nil {
			return err
		}
		if day != 0 {
			day = settle(day)
		}
		if blocked {
			add(ledger.ForecastBlocked, day, items, printed, exact)
			return nil
		}
		add(ledger.ForecastCards, day, items, printed, exact)
		if !netOfSplits {
			add(ledger.ForecastSplits, day, 0, splits, splits)
		}
		return nil
	}, `
		SELECT
			forecast,
			blocked,
			COUNT(*),
			CAST(SUM(printed) AS BIGINT),
			CAST(SUM(exact) AS BIGINT),
			CAST(SUM(splits) AS BIGINT)
		FROM (
			SELECT
				i.forecast,
				CASE WHEN `+restBlocked+` THEN 1 ELSE 0 END AS blocked,
				`+roundToCents("e.net - e.received")+` AS printed,
				e.net - e.received AS exact,
				COALESCE(`+s.splitSum()+`, 0) AS splits
			FROM `+from+`) AS open_rows
		GROUP BY forecast, blocked
		ORDER BY forecast, blocked`, args...)
	if err != nil {
		return nil, l.db.WrapError("sum the forecast of account "+q.Account.String(), err)
	}
	current, args := "e.ended_run IS NULL", []any{int64(q.Account)}
	if q.AsOfRun != "" {
		current, args = results.ExpectationCurrentAsOf("$2"), append(args, q.AsOfRun)
	}
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var paid bool
		var day ledger.Date
		var items, printed, exact int64
		if err := rows.Scan(sqldb.IntoBool(&paid), sqldb.IntoDate(&day), &items, &printed, &exact); err != nil {
			return err
		}
		kind := ledger.ForecastSlipsDue
		if paid {
			kind = ledger.ForecastSlipsPaid
		}
		add(kind, day, items, printed, exact)
		return nil
	}, `
		SELECT
			CASE WHEN e.class = 'paid' THEN 1 ELSE 0 END,
			e.credit_on,
			COUNT(*),
			CAST(SUM(`+roundToCents("e.credit_net")+`) AS BIGINT),
			CAST(SUM(e.credit_net) AS BIGINT)
		FROM slip_expectation AS e
		WHERE e.account = $1 AND `+current+` AND e.rest IN ('unpaid_not_due', 'credit_not_due') AND e.credit_on IS NOT NULL
			AND e.net_credited IS NULL
		GROUP BY 1, e.credit_on
		ORDER BY 1, e.credit_on`, args...)
	return out, l.db.WrapError("sum the forecast of slips of account "+q.Account.String(), err)
}
