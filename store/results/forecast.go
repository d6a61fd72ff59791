package results

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ForecastTable is what is to be credited, by business day.
var ForecastTable = AggregateTable{
	Name: "forecast", Keys: []string{"kind", "day"}, isNumber: map[string]bool{"day": true}, values: []string{"items", "printed", "exact"},
}

// KeepForecast adds up what the expectations of the account say is to be credited, and keeps it as of the run. It is called once
// in an attempt, after the last expectation.
func (r *ReconcileTx) KeepForecast(in ledger.ForecastReading) error {
	if err := r.flushAll(); err != nil {
		return r.t.DB.WrapError(r.doing, err)
	}
	f := forecastSums{tx: r, in: in}
	for _, read := range []func() error{f.readOpenCards, f.readSlips, f.readReceived} {
		if err := read(); err != nil {
			return r.t.DB.WrapError(r.doing, err)
		}
	}
	return r.t.DB.WrapError(r.doing, r.updateAggregates(ForecastTable, true, f.rows))
}

// forecastSums are the sums of a forecast. Rows of one kind and day add up.
type forecastSums struct {
	tx   *ReconcileTx
	in   ledger.ForecastReading
	rows []aggregateRow
}

func (f *forecastSums) add(kind ledger.ForecastKind, day ledger.Date, items, printed, exact int64) {
	f.rows = append(f.rows, aggregateRow{[]any{string(kind), int64(day)}, []int64{items, printed, exact}})
}

// query calls fn for a kind, a day, the number of items and their sums, printed and exact.
func (f *forecastSums) query(fn func(kind string, day ledger.Date, items, printed, exact int64), query string, args ...any) error {
	return sqldb.EachRow(f.tx.ctx, f.tx.t, func(rows *sql.Rows) error {
		var kind string
		var day ledger.Date
		var items, printed, exact int64
		if err := rows.Scan(&kind, sqldb.IntoDate(&day), &items, &printed, &exact); err != nil {
			return err
		}
		fn(kind, day, items, printed, exact)
		return nil
	}, query, append([]any{int64(f.tx.account)}, args...)...)
}

// openCardsSQL is FROM and WHERE of the installments of the account $1 that are to be received, late ones and blocked ones too.
const openCardsSQL = `installment AS i
			JOIN expectation AS e ON ` + facts.CurrentExpectationJoin + `
			WHERE i.account = $1 AND i.ended_pull IS NULL AND (e.class = 'open' OR e.class = 'blocked')
				AND e.rest IN ('not_due', 'no_forecast', 'overdue', 'blocked')`

// readOpenCards adds installments by the business day of their forecast, and their splits.
func (f *forecastSums) readOpenCards() error {
	const open = "e.net - e.received"
	cards := func(kind string, day ledger.Date, items, printed, exact int64) {
		switch kind {
		case "overdue":
			f.add(ledger.LateCards, 0, items, printed, exact)
		case "blocked":
			f.add(ledger.ForecastBlocked, f.settle(day), items, printed, exact)
		default:
			f.add(ledger.ForecastCards, f.settle(day), items, printed, exact)
		}
	}
	err := f.query(cards, `
		SELECT
			rest,
			forecast,
			COUNT(*),
			CAST(SUM(printed) AS BIGINT),
			CAST(SUM(exact) AS BIGINT)
		FROM (
			SELECT
				e.rest,
				i.forecast,
				`+sqldb.RoundToCents(open)+` AS printed,
				`+open+` AS exact
			FROM `+openCardsSQL+f.tx.t.DB.Dialect.OptimizationFence()+`) AS open_cards
		GROUP BY rest, forecast
		ORDER BY rest, forecast`)
	if err != nil || f.in.NetOfSplits {
		return err
	}
	d := f.tx.t.DB.Dialect
	value := "COALESCE(" + d.IntMember("x", "value") + ", 0)"
	return f.query(func(_ string, day ledger.Date, items, printed, exact int64) {
		f.add(ledger.ForecastSplits, f.settle(day), items, printed, exact)
	}, `
		SELECT
			'',
			forecast,
			COUNT(*),
			CAST(SUM(printed) AS BIGINT),
			CAST(SUM(exact) AS BIGINT)
		FROM (
			SELECT
				i.forecast,
				(SELECT CAST(SUM(`+sqldb.RoundToCents(value)+`) AS BIGINT) FROM `+d.UnnestJSON("i.splits", "x")+`) AS printed,
				(SELECT CAST(SUM(`+value+`) AS BIGINT) FROM `+d.UnnestJSON("i.splits", "x")+`) AS exact
			FROM `+openCardsSQL+` AND e.rest IN ('not_due', 'no_forecast') AND i.splits IS NOT NULL AND i.splits <> ''`+
		d.OptimizationFence()+`) AS shared
		WHERE printed <> 0 OR exact <> 0
		GROUP BY forecast
		ORDER BY forecast`)
}

func (f *forecastSums) settle(day ledger.Date) ledger.Date {
	if day == 0 {
		return 0
	}
	return f.in.Settle(day)
}

// readSlips adds slips by the day on which they should be credited.
func (f *forecastSums) readSlips() error {
	return f.query(func(rest string, day ledger.Date, items, printed, exact int64) {
		switch {
		case rest == "credit_overdue":
			f.add(ledger.LateSlips, 0, items, printed, exact)
		case rest == "credit_not_due":
			f.add(ledger.ForecastSlipsPaid, day, items, printed, exact)
		case day != 0:
			f.add(ledger.ForecastSlipsDue, day, items, printed, exact)
		default:
			f.add(ledger.ForecastUnregistered, 0, items, printed, exact)
		}
	}, `
		SELECT
			rest,
			credit_on,
			COUNT(*),
			CAST(SUM(`+sqldb.RoundToCents("credit_net")+`) AS BIGINT),
			CAST(SUM(credit_net) AS BIGINT)
		FROM slip_expectation
		WHERE account = $1 AND ended_run IS NULL AND net_credited IS NULL AND credit_net IS NOT NULL
		GROUP BY rest, credit_on
		ORDER BY rest, credit_on`)
}

// readReceived adds what was credited on the days of the period.
func (f *forecastSums) readReceived() error {
	return f.query(func(kind string, _ ledger.Date, items, printed, exact int64) {
		if items > 0 {
			f.add(ledger.ForecastKind(kind), 0, items, printed, exact)
		}
	}, `
		SELECT
			'`+string(ledger.ReceivedCards)+`',
			0,
			COUNT(*),
			CAST(COALESCE(SUM(`+sqldb.RoundToCents("i.received")+`), 0) AS BIGINT),
			CAST(COALESCE(SUM(i.received), 0) AS BIGINT)
		FROM installment AS i
		WHERE i.account = $1 AND i.ended_pull IS NULL AND i.effective BETWEEN $2 AND $3 AND i.received IS NOT NULL
		UNION ALL
		SELECT
			'`+string(ledger.ReceivedSlips)+`',
			0,
			COUNT(*),
			CAST(COALESCE(SUM(`+sqldb.RoundToCents("credit_net")+`), 0) AS BIGINT),
			CAST(COALESCE(SUM(credit_net), 0) AS BIGINT)
		FROM slip_expectation
		WHERE account = $1 AND ended_run IS NULL AND net_credited IS NOT NULL AND credit_on BETWEEN $2 AND $3`,
		int64(f.in.Received.From), int64(f.in.Received.To))
}

// ForecastOfRun returns the account's forecast as the run left it, by kind and day.
func (l *Store) ForecastOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.ForecastSum, error) {
	var out []ledger.ForecastSum
	err := readAggregates(ctx, l.db.Read, ForecastTable, a, run, func(c aggregateRow) {
		out = append(out, ledger.ForecastSum{
			Account: a, Kind: ledger.ForecastKind(c.key[0].(string)), Day: ledger.Date(c.key[1].(int64)), Items: c.values[0],
			Printed: ledger.Amount(c.values[1]), Exact: ledger.Amount(c.values[2]),
		})
	})
	return out, l.db.WrapError("read the forecast of run "+run, err)
}
