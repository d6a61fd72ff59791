package reportsums

import (
	"context"
	"database/sql"
	"fmt"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// The tables of Sums that only the report of a month asks for.
const (
	MonthCards = "month-cards"
	MonthSlips = "month-slips"
)

// Prefixes of the columns of MonthCards that are of one brand, whose name follows: one for each brand that has a row, and those of which an amount
// is attributed to no line of the bridge. MonthSlips has the second, of all slips, without a brand.
const (
	MonthBrand        = "brand "
	MonthUnattributed = "unattributed "
)

// unattributedSQL is true if a bracket of a row is attributed to no line.
const unattributedSQL = `CASE WHEN e.brackets LIKE '%"` + string(ledger.LineNotAttributed) + `"%' THEN 1 ELSE 0 END`

// sumMonthCards counts, of each brand, the sales with a live row. A brand without a live row and without gross of reversed ones is in no
// line of a month.
func (s *sumQuery) sumMonthCards(ctx context.Context) (reports.Sums, error) {
	out := reports.Sums{Columns: map[string]int64{"sales": 0}}
	from, args, err := s.cardRows("", "e.class IS NOT NULL")
	if err != nil {
		return out, err
	}
	const live = "e.class NOT IN ('cancelled', 'chargeback')"
	return out, sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var brand string
		var sales, unattributed int64
		if err := rows.Scan(&brand, &sales, &unattributed); err != nil {
			return err
		}
		out.Rows++
		out.Columns["sales"] += sales
		out.Columns[MonthBrand+brand] = 1
		if unattributed > 0 {
			out.Columns[MonthUnattributed+brand] = 1
		}
		return nil
	}, `
		SELECT
			e.brand,
			COUNT(DISTINCT CASE WHEN `+live+` THEN i.sale_day || ':' || LENGTH(i.nsu) || ':' || i.nsu || i.auth || ':' || i.sale END),
			CAST(SUM(`+unattributedSQL+`) AS BIGINT)
		FROM `+from+`
		GROUP BY e.brand
		HAVING SUM(CASE WHEN `+live+` THEN 1 ELSE 0 END) > 0 OR SUM(CASE WHEN `+live+` THEN 0 ELSE e.gross_cents END) <> 0
			OR SUM(CASE WHEN `+live+` THEN 0 ELSE i.gross END) <> 0
		ORDER BY e.brand`, args...)
}

// keptTotals are the columns of a summary that CardTotals gives: each is added up from columns that are kept of each sale day.
var keptTotals = []sumColumn{
	{"gross", "gross"},
	{"net_expected", "net_expected"},
	{"net_contract", "net_expected + difference - short + over"},
	{"received", "received"},
	{"not_due", "not_due"},
	{"overdue", "overdue"},
	{"blocked", "blocked"},
	{"difference", "difference"},
	{"cancelled_gross", "cancelled_gross"},
	{"cancelled_received", "cancelled_received"},
}

// CardTotals returns the totals of a summary by sale day, by column as Sums does. It reads no installment: reconciles keep what each sale
// day adds up to, and the query's period chooses days of these. The query must have a run and no filter, and its basis is not read.
func (l *Reader) CardTotals(ctx context.Context, q reports.Query) (reports.Sums, error) {
	s := sumQuery{db: l.db, q: &q}
	q.Basis = "operation"
	out, err := s.sumColumns(ctx, keptTotals, "", "COUNT(*)", `month_part
		WHERE account = $1 AND basis = 'operation' AND side = 'cards' AND sale_day BETWEEN $2 AND $3
			AND run <= $4 AND (ended_run IS NULL OR ended_run > $4)`,
		[]any{int64(q.Account), int64(q.Period.From), int64(q.Period.To), q.AsOfRun})
	if err == nil {
		err = s.sumAdjusted(ctx, &out)
	}
	return out, l.db.WrapError(fmt.Sprintf("add up the days of account %s, %s", q.Account, q.Period), err)
}

// sumMonthSlips sums what the line of the slips of a month shows, by the columns of the report.
func (s *sumQuery) sumMonthSlips(ctx context.Context) (reports.Sums, error) {
	conditions, from, args, err := s.slipRows("")
	if err != nil {
		return reports.Sums{}, err
	}
	with := facts.MergedSlipsSQL(conditions) + `,
		figures AS (
			SELECT
				e.class,
				CASE WHEN m.credited_on IS NOT NULL THEN 'received' WHEN e.rest = 'credit_overdue' THEN 'overdue' ELSE 'not_due' END AS status,
				` + roundToCents("m.value") + ` AS face,
				` + roundToCents("COALESCE(m.paid_value, 0)") + ` AS paid,
				` + roundToCents("COALESCE(e.tariff, 0)") + ` AS tariff,
				` + roundToCents("e.face") + ` AS due,
				CASE WHEN e.brackets LIKE '%"` + string(ledger.LineLateNotShown) + `"%' THEN 0 ELSE 1 END AS confirmed,
				` + unattributedSQL + ` AS unattributed
			FROM ` + from + `)`
	paid := func(x string) string { return "CASE WHEN class = 'paid' THEN " + x + " END" }
	in := func(status string) string {
		return "CASE WHEN class = 'paid' AND status = '" + status + "' THEN paid - tariff END"
	}
	return s.sumColumns(ctx, []sumColumn{
		{"sales", paid("1")},
		{"gross", paid("CASE WHEN confirmed = 1 THEN due ELSE face END")},
		{"fees", paid("tariff")},
		{"net_expected", paid("CASE WHEN confirmed = 1 THEN due ELSE paid END - tariff")},
		{"received", in("received")},
		{"not_due", in("not_due")},
		{"overdue", in("overdue")},
		{"short", paid("CASE WHEN confirmed = 1 AND due > paid THEN due - paid END")},
		{"over", paid("CASE WHEN confirmed = 1 AND paid > due THEN paid - due END")},
		{"difference", paid("CASE WHEN confirmed = 1 THEN due - paid END")},
		{"cancelled_gross", "CASE WHEN class = 'cancelled' THEN face END"},
		{MonthUnattributed, "unattributed"},
	}, with, "0", "figures", args)
}
