package totals

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SlipDifferences is Differences of slips alone.
func (l *Store) SlipDifferences(ctx context.Context, a ledger.Account) ([]ledger.BridgeRow, error) {
	slips, err := SumSlips(ctx, l.db.Read, a)
	return slips, l.db.WrapError("sum the slips of account "+a.String(), err)
}

// Differences returns the other side of the account's current bridge: both sides, cards before slips. Days are those
// that the rows are of: of cards the sale's, of slips the due date, which may be missing. The zero period is every day, and
// none.
func (l *Store) Differences(ctx context.Context, a ledger.Account, days ledger.Period) ([]ledger.BridgeRow, error) {
	within, args := "", []any{int64(a)}
	if days != (ledger.Period{}) {
		within, args = daysBetweenSQL, append(args, int64(days.From), int64(days.To))
	}
	cards, err := sumCards(ctx, l.db.Read, l.db.Dialect, within, args...)
	if err != nil {
		return nil, l.db.WrapError("sum the cards of account "+a.String(), err)
	}
	slips, err := l.SlipDifferences(ctx, a)
	out := make([]ledger.BridgeRow, 0, len(cards)+len(slips))
	for _, d := range cards {
		out = append(out, ledger.BridgeRow{Account: a, Side: "cards", Day: d.Day, Brand: d.Brand, Product: d.Product, Amount: d.Difference})
	}
	if days != (ledger.Period{}) {
		slips = slices.DeleteFunc(slips, func(b ledger.BridgeRow) bool { return !days.Contains(b.Day) })
	}
	return append(out, slips...), err
}

// SumSlips gives the difference of the account's slips per due date: V* less what was paid, once the view seen last has a credit date.
func SumSlips(ctx context.Context, q sqldb.Querier, a ledger.Account) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	return out, sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		b := ledger.BridgeRow{Account: a, Side: "slips"}
		err := rows.Scan(&b.Day, &b.Brand, &b.Product, &b.Amount)
		out = append(out, b)
		return err
	}, facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences, int64(a))
}

// slipDifferences goes behind mergedSlips.
const slipDifferences = `
		SELECT
			COALESCE(e.day, 0),
			'',
			'',
			CAST(SUM(e.face - CASE WHEN m.credited_on IS NULL THEN 0 ELSE COALESCE(m.paid_value, 0) END) AS BIGINT)
		FROM merged AS m
		JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND e.ended_run IS NULL
		GROUP BY COALESCE(e.day, 0)
		ORDER BY COALESCE(e.day, 0)`

// daysBetweenSQL are the conditions on the days from $2 to $3.
const daysBetweenSQL = " AND i.sale_day BETWEEN $2 AND $3 AND e.sale_day BETWEEN $2 AND $3"

// sumCards sums the evaluated rows of the account $1 that the conditions choose, by day, brand and product.
func sumCards(ctx context.Context, q sqldb.Querier, d sqldb.Dialect, conditions string, args ...any) ([]ledger.DaySum, error) {
	var out []ledger.DaySum
	return out, sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var sum ledger.DaySum
		err := rows.Scan(&sum.Day, &sum.Brand, &sum.Product, &sum.Difference, &sum.Open)
		out = append(out, sum)
		return err
	}, cardSumsSQL(d, conditions), args...)
}

// CardDifferenceSQL is N* − R of an installment i with its expectation e.
const CardDifferenceSQL = `e.net_contract - CASE
					WHEN e.class IN ('cancelled', 'chargeback') AND i.received < 0 THEN i.received + COALESCE((
						SELECT MAX(b.received)
						FROM installment AS b
						WHERE b.account = i.account AND b.sale_day = i.sale_day AND b.nsu = i.nsu AND b.auth = i.auth
							AND b.number = i.number AND b.occurrence = i.occurrence AND b.version < i.version
							AND b.received > 0), 0)
					ELSE COALESCE(i.received, 0)
				END`

// cardSumsSQL sums the evaluated rows that the conditions choose, after that of the account $1. What is grouped holds no
// more of a row than its sums need.
func cardSumsSQL(d sqldb.Dialect, conditions string) string {
	return `
		SELECT
			day,
			brand,
			product,
			CAST(SUM(difference) AS BIGINT),
			CAST(SUM(waiting) AS BIGINT)
		FROM (
			SELECT
				i.sale_day AS day,
				e.brand AS brand,
				e.product AS product,
				` + CardDifferenceSQL + ` AS difference,
				CASE WHEN e.class = 'open' THEN i.gross ELSE 0 END AS waiting
			FROM installment AS i
			JOIN expectation AS e ON ` + facts.CurrentExpectationJoin + `
			WHERE i.account = $1 AND i.ended_pull IS NULL` + conditions + d.OptimizationFence() + `) AS judged
		GROUP BY day, brand, product
		ORDER BY day, brand, product`
}
