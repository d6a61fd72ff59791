package results

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// daysPerQuery is how many days one query sums: databases bound the arguments of one.
const daysPerQuery = 400

// cardDaySums are the sums of some days.
type cardDaySums struct {
	days []ledger.Date
	sums []ledger.DaySum
}

// sumDays sums days. It is for whoever has the connection of the transaction to himself.
func (s *cardDaySums) sumDays(ctx context.Context, t *sqldb.Tx, a ledger.Account, days []ledger.Date) error {
	s.days = append(s.days, days...)
	if t.DB.Dialect.JoinsBySeeking() {
		for begin, end := 0, 1; begin < len(days); begin, end = end, end+1 {
			for end < len(days) && days[end] == days[end-1]+1 {
				end++
			}
			if err := s.sumByWalk(ctx, t, a, days[begin], days[end-1]); err != nil {
				return err
			}
		}
		return nil
	}
	for some := range slices.Chunk(days, daysPerQuery) {
		first, last := some[0], some[len(some)-1]
		if int(last-first) == len(some)-1 {
			if err := s.sumPeriod(ctx, t, a, first, last); err != nil {
				return err
			}
			continue
		}
		args := []any{int64(a)}
		for _, d := range some {
			args = append(args, int64(d))
		}
		in := " IN (" + sqldb.ListPlaceholders(2, len(some)) + ")"
		if err := s.sumWhere(ctx, t.Tx, t.DB.Dialect, " AND i.sale_day"+in+" AND e.sale_day"+in, args...); err != nil {
			return err
		}
	}
	return nil
}

// sumOtherDays sums what is not summed yet of the days, or, when none is named, of all days there can be.
func (s *cardDaySums) sumOtherDays(ctx context.Context, t *sqldb.Tx, a ledger.Account, days []ledger.Date) error {
	slices.Sort(s.days)
	if len(days) > 0 {
		return s.sumDays(ctx, t, a, slices.DeleteFunc(slices.Clone(days), func(day ledger.Date) bool {
			_, known := slices.BinarySearch(s.days, day)
			return known
		}))
	}
	from := facts.AllDays.From
	for _, day := range append(slices.Clone(s.days), facts.AllDays.To+1) {
		if day > from {
			if err := s.sumPeriod(ctx, t, a, from, day-1); err != nil {
				return err
			}
		}
		from = day + 1
	}
	return nil
}

// sumPeriod sums the days from first to last. They are named of either table: a planner carries a bound over a join from
// one only where it is a single value.
func (s *cardDaySums) sumPeriod(ctx context.Context, t *sqldb.Tx, a ledger.Account, first, last ledger.Date) error {
	if t.DB.Dialect.JoinsBySeeking() {
		return s.sumByWalk(ctx, t, a, first, last)
	}
	if first == last { // one day less to join, to sort and to group by
		return s.sumWhere(ctx, t.Tx, t.DB.Dialect, " AND i.sale_day = $2 AND e.sale_day = $2", int64(a), int64(first))
	}
	return s.sumWhere(ctx, t.Tx, t.DB.Dialect, daysBetweenSQL, int64(a), int64(first), int64(last))
}

// daysBetweenSQL are the conditions on the days from $2 to $3.
const daysBetweenSQL = " AND i.sale_day BETWEEN $2 AND $3 AND e.sale_day BETWEEN $2 AND $3"

func (s *cardDaySums) sumWhere(ctx context.Context, q sqldb.Querier, d sqldb.Dialect, where string, args ...any) error {
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var sum ledger.DaySum
		err := rows.Scan(&sum.Day, &sum.Brand, &sum.Product, &sum.Difference, &sum.Open)
		s.sums = append(s.sums, sum)
		return err
	}, cardSumsSQL(d, where), args...)
}

// cardSumsSQL sums the judged rows that the conditions choose, behind that of the account $1. What is grouped holds no
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
				e.net_contract - CASE
					WHEN e.class IN ('cancelled', 'chargeback') AND i.received < 0 THEN i.received + COALESCE((
						SELECT MAX(b.received)
						FROM installment AS b
						WHERE b.account = i.account AND b.sale_day = i.sale_day AND b.nsu = i.nsu AND b.auth = i.auth
							AND b.number = i.number AND b.occurrence = i.occurrence AND b.version < i.version
							AND b.received > 0), 0)
					ELSE COALESCE(i.received, 0)
				END AS difference,
				CASE WHEN e.class = 'open' THEN i.gross ELSE 0 END AS waiting
			FROM installment AS i
			JOIN expectation AS e ON ` + facts.CurrentExpectationJoin + `
			WHERE i.account = $1 AND i.ended_pull IS NULL` + conditions + d.OptimizationFence() + `) AS judged
		GROUP BY day, brand, product
		ORDER BY day, brand, product`
}
