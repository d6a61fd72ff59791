package results

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CardSums gives what the ledger holds of the days per day, brand and product, by a query of its own over the rows: the
// other side of the cards' bridge, N* − R, and the gross of the open rows. R is taken from the rows, not from what the
// rules made of it; what was paid before a claw-back is netted against it. Rows no run has judged, and vanished ones,
// are in neither. No days at all are every day.
func (r *ReconcileTx) CardSums(days []ledger.Date) ([]ledger.DaySum, error) {
	if err := r.flushAll(); err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	err := r.sums.sumOtherDays(r.ctx, r.t, r.account, days)
	if err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	out := r.sums.sums
	if len(days) > 0 {
		asked := make(map[ledger.Date]bool, len(days))
		for _, d := range days {
			asked[d] = true
		}
		out = slices.DeleteFunc(slices.Clone(out), func(s ledger.DaySum) bool { return !asked[s.Day] })
	}
	slices.SortStableFunc(out, func(a, b ledger.DaySum) int { return cmp.Compare(a.Day, b.Day) })
	r.sums = cardDaySums{}
	return out, nil
}

// SumCardsAhead lets the days be summed for CardSums beside what the caller does next. They come in order, and nothing more
// is believed of their cards in this reconcile, unless it begins Again.
func (r *ReconcileTx) SumCardsAhead(days []ledger.Date) error {
	if len(days) == 0 {
		return nil
	}
	err := r.installments.flushBatch(r.ctx)
	if err == nil {
		err = r.t.RunInBackground(func() error { return r.sums.sumDays(r.ctx, r.t, r.account, days) })
	}
	return r.t.DB.WrapError(r.doing, err)
}

// SlipSums gives V* − credited of the account's slips per due date, as CardSums does: credited is what was paid, once
// the view seen last has a credit date.
func (r *ReconcileTx) SlipSums() ([]ledger.DaySum, error) {
	if err := r.flushAll(); err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	rows, err := readDifferences(r.ctx, r.t, r.account, "slips", facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences)
	out := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		out[i] = ledger.DaySum{Day: b.Day, Difference: b.Amount}
	}
	return out, r.t.DB.WrapError(r.doing, err)
}

// Differences gives the other side of the account's bridge as it stands: both sides, cards before slips. Days are those
// that the rows are of: of cards the sale's, of slips the due date, which may be missing. The zero period is every day, and
// none.
func (l *Store) Differences(ctx context.Context, a ledger.Account, days ledger.Period) ([]ledger.BridgeRow, error) {
	var cards cardDaySums
	within, args := "", []any{int64(a)}
	if days != (ledger.Period{}) {
		within, args = daysBetweenSQL, append(args, int64(days.From), int64(days.To))
	}
	if err := cards.sumWhere(ctx, l.db.Read, l.db.Dialect, within, args...); err != nil {
		return nil, l.db.WrapError("sum the cards of account "+a.String(), err)
	}
	slips, err := readDifferences(ctx, l.db.Read, a, "slips", facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences)
	out := make([]ledger.BridgeRow, 0, len(cards.sums)+len(slips))
	for _, d := range cards.sums {
		out = append(out, ledger.BridgeRow{Account: a, Side: "cards", Day: d.Day, Brand: d.Brand, Product: d.Product, Amount: d.Difference})
	}
	if days != (ledger.Period{}) {
		slips = slices.DeleteFunc(slips, func(b ledger.BridgeRow) bool { return !days.Contains(b.Day) })
	}
	return append(out, slips...), l.db.WrapError("sum the slips of account "+a.String(), err)
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
