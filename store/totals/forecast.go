package totals

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ForecastTable is what is to be credited, by business day.
var ForecastTable = Table{
	Name: "forecast", Keys: []string{"kind", "day"}, IsNumber: map[string]bool{"day": true}, Values: []string{"items", "printed", "exact"},
}

// ForecastPartTable is what the installments of a sale day add to the forecast, before the calendar moves a day: a run sums only the
// days that it evaluated.
var ForecastPartTable = Table{
	Name: "forecast_part", Keys: []string{"kind", "sale_day", "day"}, IsNumber: map[string]bool{"sale_day": true, "day": true},
	Values: []string{"items", "printed", "exact"},
}

// SumForecast sums what is to be credited to the account, and what was in the period of the reading, of the parts of every sale day
// and of the slips: rows of ForecastTable, of which those of one key add up.
func SumForecast(ctx context.Context, q sqldb.Querier, a ledger.Account, parts iter.Seq[Row], in ledger.ForecastReading) ([]Row, error) {
	f := forecastSums{ctx: ctx, q: q, account: a, in: in}
	for part := range parts {
		f.addPart(part)
	}
	err := errors.Join(f.readSlips(), f.readReceived())
	return f.rows, err
}

// forecastSums are the sums of a forecast. Rows of one kind and day add up.
type forecastSums struct {
	ctx     context.Context
	q       sqldb.Querier
	account ledger.Account
	in      ledger.ForecastReading
	rows    []Row
}

func (f *forecastSums) add(kind ledger.ForecastKind, day ledger.Date, items, printed, exact int64) {
	f.rows = append(f.rows, Row{[]any{string(kind), int64(day)}, []int64{items, printed, exact}})
}

// query calls fn for a kind, a day, the number of items and their sums, printed and exact.
func (f *forecastSums) query(fn func(kind string, day ledger.Date, items, printed, exact int64), query string, args ...any) error {
	return sqldb.EachRow(f.ctx, f.q, func(rows *sql.Rows) error {
		var kind string
		var day ledger.Date
		var items, printed, exact int64
		if err := rows.Scan(&kind, sqldb.IntoDate(&day), &items, &printed, &exact); err != nil {
			return err
		}
		fn(kind, day, items, printed, exact)
		return nil
	}, query, append([]any{int64(f.account)}, args...)...)
}

// addPart adds what the installments of a sale day are to bring, on the business day of their forecast.
func (f *forecastSums) addPart(part Row) {
	kind, day := ledger.ForecastKind(part.Key[0].(string)), ledger.Date(part.Key[2].(int64))
	if part.Values[0] == 0 || kind == ledger.ForecastSplits && f.in.NetOfSplits {
		return
	}
	f.add(kind, f.settle(day), part.Values[0], part.Values[1], part.Values[2])
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
	err := ForecastTable.EachRow(ctx, l.db.Read, a, run, func(r Row) {
		out = append(out, ledger.ForecastSum{
			Account: a, Kind: ledger.ForecastKind(r.Key[0].(string)), Day: ledger.Date(r.Key[1].(int64)), Items: r.Values[0],
			Printed: ledger.Amount(r.Values[1]), Exact: ledger.Amount(r.Values[2]),
		})
	})
	return out, l.db.WrapError("read the forecast of run "+run, err)
}
