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
func (l *AgendaReader) ForecastSums(ctx context.Context, q Query, netOfSplits bool, settle func(ledger.Date) ledger.Date) ([]ledger.ForecastSum, error) {
	out := forecastSums{account: q.Account}
	if err := l.sumForecastOfCards(ctx, q, netOfSplits, settle, &out); err != nil {
		return nil, l.db.WrapError("sum the forecast of account "+q.Account.String(), err)
	}
	err := l.sumForecastOfSlips(ctx, q, &out)
	return out.list, l.db.WrapError("sum the forecast of slips of account "+q.Account.String(), err)
}

// forecastSums collects the sums of an account's forecast that are not zero.
type forecastSums struct {
	account ledger.Account
	list    []ledger.ForecastSum
}

func (f *forecastSums) addSum(kind ledger.ForecastKind, day ledger.Date, items, printed, exact int64) {
	if items != 0 || printed != 0 || exact != 0 {
		f.list = append(f.list, ledger.ForecastSum{
			Account: f.account, Kind: kind, Day: day, Items: items, Printed: ledger.Amount(printed), Exact: ledger.Amount(exact),
		})
	}
}

// sumForecastOfCards adds what is to be credited for open installments, and the splits that are taken out of it.
func (l *AgendaReader) sumForecastOfCards(ctx context.Context, q Query, netOfSplits bool, settle func(ledger.Date) ledger.Date, out *forecastSums) error {
	from, args := q.openRowsSQL()
	return sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
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
			out.addSum(ledger.ForecastBlocked, day, items, printed, exact)
			return nil
		}
		out.addSum(ledger.ForecastCards, day, items, printed, exact)
		if !netOfSplits {
			out.addSum(ledger.ForecastSplits, day, 0, splits, splits)
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
				`+sqldb.RoundToCents("e.net - e.received")+` AS printed,
				e.net - e.received AS exact,
				COALESCE(`+SplitsInCents(l.db.Dialect)+`, 0) AS splits
			FROM `+from+`) AS open_rows
		GROUP BY forecast, blocked
		ORDER BY forecast, blocked`, args...)
}

// sumForecastOfSlips adds the slips that are due or paid and not credited yet.
func (l *AgendaReader) sumForecastOfSlips(ctx context.Context, q Query, out *forecastSums) error {
	current, args := "e.ended_run IS NULL", []any{int64(q.Account)}
	if q.AsOfRun != "" {
		current, args = results.ExpectationCurrentAsOf("$2"), append(args, q.AsOfRun)
	}
	return sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
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
		out.addSum(kind, day, items, printed, exact)
		return nil
	}, `
		SELECT
			CASE WHEN e.class = 'paid' THEN 1 ELSE 0 END,
			e.credit_on,
			COUNT(*),
			CAST(SUM(`+sqldb.RoundToCents("e.credit_net")+`) AS BIGINT),
			CAST(SUM(e.credit_net) AS BIGINT)
		FROM slip_expectation AS e
		WHERE e.account = $1 AND `+current+` AND e.rest IN ('unpaid_not_due', 'credit_not_due') AND e.credit_on IS NOT NULL
			AND e.net_credited IS NULL
		GROUP BY 1, e.credit_on
		ORDER BY 1, e.credit_on`, args...)
}
