package reportsums

import (
	"context"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// slipRows is what mergedSlips goes by, and FROM, with more joins of merged slip m, and WHERE of the slips that the query
// chooses. Brands choose none.
func (s *sumQuery) slipRows(more string) (facts.SlipConditions, string, []any, error) {
	date, err := s.q.SlipDate()
	if err != nil {
		return facts.SlipConditions{}, "", nil, err
	}
	w := &sqldb.Conditions{Args: []any{int64(s.q.Account)}} // $1 of mergedSlips
	conditions, join := s.q.SlipConditions(w)
	w.Add(date + " BETWEEN " + w.AddArg(int64(s.q.Period.From)) + " AND " + w.AddArg(int64(s.q.Period.To)))
	sqldb.AddIn(w, "e.class", s.q.Classes, func(c ledger.Class) any { return string(c) })
	if len(s.q.Brands) > 0 {
		w.Add("1 = 0")
	}
	return conditions, `merged AS m` + more + `
		LEFT JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + join + w.Where(), w.Args, nil
}

func (s *sumQuery) sumSlips(ctx context.Context) (reports.Sums, error) {
	conditions, from, args, err := s.slipRows("")
	if err != nil {
		return reports.Sums{}, err
	}
	return s.sumColumns(ctx, []sumColumn{
		{"value", roundToCents("m.value")},
		{"paid_value", roundToCents("m.paid_value")},
		{"penalty_due", roundToCents("e.penalty_due")},
		{"penalty_received", roundToCents("m.penalty_received")},
		{"interest_due", roundToCents("e.interest_due")},
		{"interest_received", roundToCents("m.interest_received")},
		{"days_late", "e.days_late"},
		{"float_days", "e.float_days"},
		{"tariff", roundToCents("e.tariff")},
		{"net_credited", roundToCents("e.net_credited")},
		{"impact", roundToCents("e.impact")},
	}, facts.MergedSlipsSQL(conditions), "COUNT(*)", from, args)
}

func (s *sumQuery) slipsSummary(ctx context.Context) (reports.Sums, error) {
	conditions, from, args, err := s.slipRows("")
	if err != nil {
		return reports.Sums{}, err
	}
	date, _ := s.q.SlipDate()
	with := facts.MergedSlipsSQL(conditions) + `,
		judged AS (
			SELECT MAX(r.as_of) AS as_of
			FROM run AS r
			WHERE r.id = (SELECT MAX(c.run) FROM reconciled AS c WHERE c.account = $1 AND ` + conditions.Reconciled + `)),
		figures AS (
			SELECT
				` + date + ` AS base_date,
				e.class,
				CASE WHEN e.due_adjusted < (SELECT as_of FROM judged) THEN 1 ELSE 0 END AS past,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE 1 END AS credited,
				CASE WHEN e.rest = 'credit_overdue' THEN 1 ELSE 0 END AS late,
				` + roundToCents("m.value") + ` AS face,
				` + roundToCents("COALESCE(m.paid_value, 0)") + ` AS paid,
				` + roundToCents("COALESCE(e.tariff, 0)") + ` AS tariff,
				` + roundToCents("e.face") + ` AS due,
				CASE WHEN e.brackets LIKE '%"` + string(ledger.LineLateNotShown) + `"%' THEN 1 ELSE 0 END AS unconfirmed
			FROM ` + from + `)`
	when := func(condition, x string) string { return "CASE WHEN " + condition + " THEN " + x + " END" }
	const open, overdue = "class = 'open' AND past = 0", "class = 'open' AND past = 1"
	return s.sumColumns(ctx, []sumColumn{
		{"issued_qty", "1"},
		{"issued", "face"},
		{"open_qty", when(open, "1")},
		{"open", when(open, "face")},
		{"overdue_qty", when(overdue, "1")},
		{"overdue", when(overdue, "face")},
		{"paid_qty", when("class = 'paid'", "1")},
		{"paid", when("class = 'paid'", "paid")},
		{"credited_qty", when("class = 'paid' AND credited = 1", "1")},
		{"credited", when("class = 'paid' AND credited = 1", "paid")},
		{"not_credited", when("class = 'paid' AND credited = 0 AND late = 0", "paid")},
		{"credit_overdue", when("class = 'paid' AND credited = 0 AND late = 1", "paid")},
		{"cancelled_qty", when("class = 'cancelled'", "1")},
		{"cancelled", when("class = 'cancelled'", "face")},
		{"failed_qty", when("class = 'failed'", "1")},
		{"failed", when("class = 'failed'", "face")},
		{"tariff", "tariff"},
		{"difference", when("class = 'paid' AND unconfirmed = 0", "due - paid")},
		{"short", when("class = 'paid' AND unconfirmed = 0 AND due > paid", "due - paid")},
		{"over", when("class = 'paid' AND unconfirmed = 0 AND due < paid", "paid - due")},
		{"charges_to_confirm", when("class = 'paid' AND unconfirmed = 1", "paid - face")},
	}, with, "(SELECT COUNT(*) FROM (SELECT DISTINCT base_date FROM figures) AS days)", "figures", args)
}
