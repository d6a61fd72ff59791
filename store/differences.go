package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"concilia/store/ledger"
)

// daysAtOnce is how many days one query sums: databases bound the arguments of one.
const daysAtOnce = 400

// CardSums gives what the ledger holds of the days per day, brand and product, by a query of its own over the rows: the
// other side of the cards' bridge, N* − R, and the gross of the open rows. R is taken from the rows, not from what the
// rules made of it; what was paid before a claw-back is netted against it. Rows no run has judged, and vanished ones,
// are in neither. No days at all are every day.
func (r *Reconciling) CardSums(days []ledger.Date) ([]ledger.DaySum, error) {
	if err := r.flush(); err != nil {
		return nil, r.t.l.fault(r.doing, err)
	}
	err := r.sums.rest(r.ctx, r.t, r.account, days)
	if err != nil {
		return nil, r.t.l.fault(r.doing, err)
	}
	out := r.sums.found
	if len(days) > 0 {
		asked := make(map[ledger.Date]bool, len(days))
		for _, d := range days {
			asked[d] = true
		}
		out = slices.DeleteFunc(slices.Clone(out), func(s ledger.DaySum) bool { return !asked[s.Day] })
	}
	slices.SortStableFunc(out, func(a, b ledger.DaySum) int { return cmp.Compare(a.Day, b.Day) })
	r.sums = cardSums{}
	return out, nil
}

// SumAhead lets the days be summed for CardSums beside what the caller does next. They come in order, and nothing more
// is believed of their cards in this reconcile, unless it begins Again.
func (r *Reconciling) SumAhead(days []ledger.Date) error {
	if len(days) == 0 {
		return nil
	}
	err := r.cards.flush(r.ctx)
	if err == nil {
		err = r.t.beside(func() error { return r.sums.of(r.ctx, r.t.Tx, r.account, days) })
	}
	return r.t.l.fault(r.doing, err)
}

// cardSums are the sums of some days.
type cardSums struct {
	days  []ledger.Date
	found []ledger.DaySum
}

// of sums days.
func (s *cardSums) of(ctx context.Context, q querier, a ledger.Account, days []ledger.Date) error {
	s.days = append(s.days, days...)
	for some := range slices.Chunk(days, daysAtOnce) {
		first, last := some[0], some[len(some)-1]
		if int(last-first) == len(some)-1 {
			if err := s.between(ctx, q, a, first, last); err != nil {
				return err
			}
			continue
		}
		args := []any{int64(a)}
		for _, d := range some {
			args = append(args, int64(d))
		}
		in := " IN (" + placeholders(2, len(some)) + ")"
		if err := s.where(ctx, q, " AND i.sale_day"+in+" AND e.sale_day"+in, args...); err != nil {
			return err
		}
	}
	return nil
}

// rest sums what is not summed yet of the days, or, when none is named, of all days there can be.
func (s *cardSums) rest(ctx context.Context, q querier, a ledger.Account, days []ledger.Date) error {
	slices.Sort(s.days)
	if len(days) > 0 {
		return s.of(ctx, q, a, slices.DeleteFunc(slices.Clone(days), func(d ledger.Date) bool {
			_, known := slices.BinarySearch(s.days, d)
			return known
		}))
	}
	from := always.From
	for _, d := range append(slices.Clone(s.days), always.To+1) {
		if d > from {
			if err := s.between(ctx, q, a, from, d-1); err != nil {
				return err
			}
		}
		from = d + 1
	}
	return nil
}

// between sums the days from first to last. They are named of either table: a planner carries a bound over a join from
// one only where it is a single value.
func (s *cardSums) between(ctx context.Context, q querier, a ledger.Account, first, last ledger.Date) error {
	return s.where(ctx, q, " AND i.sale_day BETWEEN $2 AND $3 AND e.sale_day BETWEEN $2 AND $3", int64(a), int64(first), int64(last))
}

func (s *cardSums) where(ctx context.Context, q querier, where string, args ...any) error {
	return each(ctx, q, func(rows *sql.Rows) error {
		var d ledger.DaySum
		err := rows.Scan(&d.Day, &d.Brand, &d.Product, &d.Difference, &d.Open)
		s.found = append(s.found, d)
		return err
	}, `
		SELECT
			i.sale_day,
			e.brand,
			e.product,`+cardDifference+`,
			CAST(SUM(CASE WHEN e.class = 'open' THEN i.gross ELSE 0 END) AS BIGINT)`+judgedCards+where+perCardDay, args...)
}

// SlipSums gives V* − credited of the account's slips per due date, as CardSums does: credited is what was paid, once
// the view seen last has a credit date.
func (r *Reconciling) SlipSums() ([]ledger.DaySum, error) {
	if err := r.flush(); err != nil {
		return nil, r.t.l.fault(r.doing, err)
	}
	rows, err := differences(r.ctx, r.t, r.account, "slips", mergedSlips(nowSlips())+slipDifferences)
	out := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		out[i] = ledger.DaySum{Day: b.Day, Difference: b.Amount}
	}
	return out, r.t.l.fault(r.doing, err)
}

// Differences gives the other side of the account's bridge as it stands: both sides, cards before slips.
func (l *Ledger) Differences(ctx context.Context, a ledger.Account) ([]ledger.BridgeRow, error) {
	cards, err := differences(ctx, l.db.Read, a, "cards", cardDifferences)
	if err != nil {
		return nil, l.fault("sum the cards of account "+a.String(), err)
	}
	slips, err := differences(ctx, l.db.Read, a, "slips", mergedSlips(nowSlips())+slipDifferences)
	return append(cards, slips...), l.fault("sum the slips of account "+a.String(), err)
}

func differences(ctx context.Context, q querier, a ledger.Account, side, query string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := each(ctx, q, func(rows *sql.Rows) error {
		b := ledger.BridgeRow{Account: a, Side: side}
		err := rows.Scan(&b.Day, &b.Brand, &b.Product, &b.Amount)
		out = append(out, b)
		return err
	}, query, int64(a))
	return out, err
}

const cardDifference = `
			CAST(SUM(e.net_contract - CASE
				WHEN e.class IN ('cancelled', 'chargeback') AND i.received < 0 THEN i.received + COALESCE((
					SELECT MAX(b.received)
					FROM installment AS b
					WHERE b.account = i.account AND b.sale_day = i.sale_day AND b.nsu = i.nsu AND b.auth = i.auth
						AND b.number = i.number AND b.occurrence = i.occurrence AND b.version < i.version
						AND b.received > 0), 0)
				ELSE COALESCE(i.received, 0)
			END) AS BIGINT)`

const judgedCards = `
		FROM installment AS i
		JOIN expectation AS e ON ` + expectationOf + `
		WHERE i.account = $1 AND i.ended_pull IS NULL`

const perCardDay = `
		GROUP BY i.sale_day, e.brand, e.product
		ORDER BY i.sale_day, e.brand, e.product`

const cardDifferences = `
		SELECT
			i.sale_day,
			e.brand,
			e.product,` + cardDifference + judgedCards + perCardDay

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
