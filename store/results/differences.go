package results

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CardSums gives what the ledger holds of the days per day, brand and product, read from the rows by a walk of its own: the
// other side of the cards' bridge, N* − R, and the gross of the open rows. R is taken from the rows, not from what the
// rules made of it; what was paid before a claw-back is netted against it. Rows that no run has evaluated, and vanished ones,
// are in neither. No days at all are every day.
func (w *totalsWriter) CardSums(days []ledger.Date) ([]ledger.DaySum, error) {
	err := w.sumCardTotals(len(days) == 0, days)
	if err != nil {
		return nil, w.wrapError(err)
	}
	return w.conclusions.totals.listDaySums(days), nil
}

// SumCardsAhead begins to sum the days for CardSums and KeepTotals in the background. They come in order, and the caller writes
// no more expectations of their cards in this reconcile, unless it calls Restart.
func (w *totalsWriter) SumCardsAhead(days []ledger.Date) error {
	if len(days) == 0 {
		return nil
	}
	err := w.conclusions.installments.flushBatch(w.ctx)
	if err == nil {
		err = w.t.RunInBackground(func() error { return w.conclusions.totals.sumMissing(w.ctx, w.t, w.account, false, days) })
	}
	return w.wrapError(err)
}

// sumCardTotals sums what is not summed yet of the days, or of all days there can be. What is written after it is not in the totals:
// they are dropped, and summed again.
func (w *totalsWriter) sumCardTotals(all bool, days []ledger.Date) error {
	err := w.conclusions.flushAll()
	if err == nil {
		err = w.conclusions.totals.sumMissing(w.ctx, w.t, w.account, all, days)
	}
	w.conclusions.totals.isRead = true
	return err
}

// SlipSums gives V* − credited of the account's slips per due date, as CardSums does: credited is what was paid, once
// the view seen last has a credit date.
func (w *totalsWriter) SlipSums() ([]ledger.DaySum, error) {
	if err := w.conclusions.flushAll(); err != nil {
		return nil, w.wrapError(err)
	}
	rows, err := readDifferences(w.ctx, w.t, w.account, "slips", facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences)
	out := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		out[i] = ledger.DaySum{Day: b.Day, Difference: b.Amount}
	}
	return out, w.wrapError(err)
}

// SlipDifferences is Differences of slips alone.
func (l *RunReader) SlipDifferences(ctx context.Context, a ledger.Account) ([]ledger.BridgeRow, error) {
	slips, err := readDifferences(ctx, l.db.Read, a, "slips", facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences)
	return slips, l.db.WrapError("sum the slips of account "+a.String(), err)
}

// Differences returns the other side of the account's current bridge: both sides, cards before slips. Days are those
// that the rows are of: of cards the sale's, of slips the due date, which may be missing. The zero period is every day, and
// none.
func (l *RunReader) Differences(ctx context.Context, a ledger.Account, days ledger.Period) ([]ledger.BridgeRow, error) {
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

func readDifferences(ctx context.Context, q sqldb.Querier, a ledger.Account, side, query string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		b := ledger.BridgeRow{Account: a, Side: side}
		err := rows.Scan(&b.Day, &b.Brand, &b.Product, &b.Amount)
		out = append(out, b)
		return err
	}, query, int64(a))
	return out, err
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
