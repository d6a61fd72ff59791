package reportsums

import (
	"context"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// MovementSums adds up the measures of the movement over the rows of an account as of a run: what the events of every cut up to then
// add up to.
func (l *Reader) MovementSums(ctx context.Context, a ledger.Account, source bookkeeping.EventSource, run string) (m bookkeeping.Measures, err error) {
	query, args := l.cardStates(), []any{int64(a), run}
	if source == bookkeeping.SlipEvents {
		w := &sqldb.Conditions{Args: []any{int64(a)}} // $1 of mergedSlips
		q := reports.Query{Account: a, AsOfRun: run}
		conditions, join := q.SlipConditions(w)
		query, args = slipStates(conditions, join), w.Args
	}
	var into []any
	for _, v := range m.All() {
		into = append(into, v)
	}
	err = l.db.Read.QueryRowContext(ctx, query, args...).Scan(into...)
	return m, l.db.WrapError("sum the titles of account "+a.String(), err)
}

// KeptMovementSums is MovementSums of cards by what reconciles kept of their sale days, each summed over the rows as it had written them: a quiet
// night reads no row.
func (l *Reader) KeptMovementSums(ctx context.Context, a ledger.Account, source bookkeeping.EventSource, run string) (m bookkeeping.Measures, err error) {
	if source == bookkeeping.SlipEvents {
		return l.MovementSums(ctx, a, source, run)
	}
	q := reports.Query{Account: a, Period: facts.AllDays, AsOfRun: run}
	s := cardSums{sumQuery: sumQuery{db: l.db, q: &q}}
	from, args := s.keptDays()
	sums, err := s.sumColumns(ctx, []sumColumn{
		{"face", "gross_cents"},
		{"closed", "gone_gross + settled_gross"},
		{"received", "dated_received"},
		{"fees", "settled_fees"},
		{"anticipation", "settled_anticipation"},
		{"splits", "settled_splits"},
	}, "", "COUNT(*)", from, args)
	for i, id := range bookkeeping.MeasureIDs() {
		*m.All()[i] = ledger.Amount(sums.Columns[id])
	}
	return m, l.db.WrapError("sum the days of account "+a.String(), err)
}

// sumsOfStates adds up the columns that a subquery has: g the face of a title, whether it is one, is closed and is settled, and the
// amounts.
const sumsOfStates = `
		SELECT
			CAST(COALESCE(SUM(CASE WHEN known = 1 THEN g END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN closed = 1 THEN g END), 0) AS BIGINT),
			CAST(COALESCE(SUM(received), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN settled = 1 THEN fees END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN settled = 1 THEN anticipation END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN settled = 1 THEN splits END), 0) AS BIGINT)`

func (l *Reader) cardStates() string {
	const reversed = "e.class IN ('cancelled', 'chargeback')"
	settled := "NOT " + reversed + " AND i.effective IS NOT NULL AND " + sqldb.CentsOf("i.received") + " > 0"
	return sumsOfStates + `
		FROM (
			SELECT
				e.gross_cents * 100 AS g,
				1 AS known,
				CASE WHEN ` + reversed + ` OR ` + settled + ` THEN 1 ELSE 0 END AS closed,
				CASE WHEN ` + settled + ` THEN 1 ELSE 0 END AS settled,
				CASE WHEN i.effective IS NOT NULL THEN ` + sqldb.CentsOf("i.received") + ` ELSE 0 END AS received,
				` + sqldb.CentsOf("i.mdr") + ` + ` + sqldb.CentsOf("i.fee") + ` + ` + sqldb.CentsOf("i.antifraud") + ` AS fees,
				` + sqldb.CentsOf("i.anticipation") + ` AS anticipation,
				` + l.sharesInCents() + ` AS splits
			FROM installment AS i
			JOIN expectation AS e ON ` + facts.ExpectationJoin + ` AND ` + results.ExpectationCurrentAsOf("$2") + `
			WHERE i.account = $1 AND ` + facts.VersionCurrentAsOf("i", "$1", "$2") + `) AS states`
}

func slipStates(conditions facts.SlipConditions, join string) string {
	const paid = slipIsPaid
	return facts.MergedSlipsSQL(conditions) + slipCodes + `,
		states AS (
			SELECT
				` + roundToCents("m.value") + ` AS g,
				` + slipIsRegistered() + ` AS known,
				CASE WHEN ` + paid + ` OR m.cancelled_on IS NOT NULL THEN 1 ELSE 0 END AS closed,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE 1 END AS settled,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE ` + sqldb.CentsOf("m.paid_value") + ` END AS received,
				` + sqldb.CentsOf("e.tariff") + ` AS fees,
				0 AS anticipation,
				0 AS splits
			FROM merged AS m
			JOIN codes AS k ON k.id = m.id
			JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + join + `)` + sumsOfStates + `
		FROM states`
}
