package store

import (
	"context"

	"concilia/store/ledger"
)

// slipRows is what mergedSlips goes by, and FROM, with more joins of merged slip m, and WHERE of the slips that the query
// chooses. Brands choose none.
func (s *summing) slipRows(more string) (slipSight, string, []any, error) {
	date, err := s.q.slipDate()
	if err != nil {
		return slipSight{}, "", nil, err
	}
	w := &where{args: []any{int64(s.q.Account)}} // $1 of mergedSlips
	sight, believed := s.q.slipSight(w)
	w.add(date + " BETWEEN " + w.arg(int64(s.q.Period.From)) + " AND " + w.arg(int64(s.q.Period.To)))
	whereIn(w, "e.class", s.q.Classes, func(c ledger.Class) any { return string(c) })
	if len(s.q.Brands) > 0 {
		w.add("1 = 0")
	}
	return sight, `merged AS m` + more + `
		LEFT JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + believed + w.text(), w.args, nil
}

func (s *summing) slips(ctx context.Context) (Sums, error) {
	sight, from, args, err := s.slipRows("")
	if err != nil {
		return Sums{}, err
	}
	return s.total(ctx, []cell{
		{"value", cents("m.value")},
		{"paid_value", cents("m.paid_value")},
		{"penalty_due", cents("e.penalty_due")},
		{"penalty_received", cents("m.penalty_received")},
		{"interest_due", cents("e.interest_due")},
		{"interest_received", cents("m.interest_received")},
		{"days_late", "e.days_late"},
		{"float_days", "e.float_days"},
		{"tariff", cents("e.tariff")},
		{"net_credited", cents("e.net_credited")},
		{"impact", cents("e.impact")},
	}, mergedSlips(sight), "COUNT(*)", from, args)
}

func (s *summing) slipsSummary(ctx context.Context) (Sums, error) {
	sight, from, args, err := s.slipRows("")
	if err != nil {
		return Sums{}, err
	}
	date, _ := s.q.slipDate()
	with := mergedSlips(sight) + `,
		judged AS (
			SELECT MAX(r.as_of) AS as_of
			FROM run AS r
			WHERE r.id = (SELECT MAX(c.run) FROM reconciled AS c WHERE c.account = $1 AND ` + sight.judged + `)),
		figures AS (
			SELECT
				` + date + ` AS base_date,
				e.class,
				CASE WHEN e.due_adjusted < (SELECT as_of FROM judged) THEN 1 ELSE 0 END AS past,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE 1 END AS credited,
				CASE WHEN e.rest = 'credit_overdue' THEN 1 ELSE 0 END AS late,
				` + cents("m.value") + ` AS face,
				` + cents("COALESCE(m.paid_value, 0)") + ` AS paid,
				` + cents("COALESCE(e.tariff, 0)") + ` AS tariff,
				` + cents("e.face") + ` AS due,
				CASE WHEN e.brackets LIKE '%"` + string(ledger.LineLateNotShown) + `"%' THEN 1 ELSE 0 END AS unconfirmed
			FROM ` + from + `)`
	when := func(condition, x string) string { return "CASE WHEN " + condition + " THEN " + x + " END" }
	const open, overdue = "class = 'open' AND past = 0", "class = 'open' AND past = 1"
	return s.total(ctx, []cell{
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

// slipSight are the conditions of mergedSlips on a view v, a pull p and a reconcile c, and the pull that showed v last.
type slipSight struct{ stands, proven, known, judged, last string }

// nowSlips reads the slips as they are.
func nowSlips() slipSight {
	return slipSight{
		stands: "v.ended_pull IS NULL", proven: "v.proven = 1", known: "1 = 1", judged: "1 = 1",
		last: "COALESCE(v.last_pull, v.first_pull)",
	}
}

// mergedSlips is ledger.SlipOf in SQL, for sums that must not come from the same code as the rows: of the views of
// account $1 that stand, the one seen last, with the charges and the cancellation of the credit list's.
func mergedSlips(s slipSight) string {
	return `
		WITH covered AS MATERIALIZED (
			SELECT
				d.list,
				d.list_day,
				MAX(p.began) AS began
			FROM (
				SELECT DISTINCT
					v.list,
					v.list_day
				FROM slip AS v
				WHERE v.account = $1 AND ` + s.stands + ` AND ` + s.proven + ` AND v.list_day IS NOT NULL) AS d
			JOIN pull AS p ON p.account = $1 AND p.source = d.list AND p.complete = 1 AND p.from_day <= d.list_day
				AND p.to_day >= d.list_day AND ` + s.known + `
			GROUP BY d.list, d.list_day),
		ranked AS (
			SELECT
				v.id,
				v.list,
				v.value,
				v.issued,
				v.due,
				v.paid_on,
				v.credited_on,
				v.paid_value,
				v.status,
				v.integration,
				ROW_NUMBER() OVER (
					PARTITION BY v.id
					ORDER BY
						CASE WHEN ` + s.proven + ` AND c.began > p.began THEN c.began ELSE p.began END DESC,
						CASE v.list
							WHEN 'slips.detail' THEN 0
							WHEN 'slips.credit' THEN 1
							WHEN 'slips.payment' THEN 2
							ELSE 3
						END) AS place
			FROM slip AS v
			JOIN pull AS p ON p.account = v.account AND p.id = ` + s.last + `
			LEFT JOIN covered AS c ON c.list = v.list AND c.list_day = v.list_day
			WHERE v.account = $1 AND ` + s.stands + `),
		merged AS (
			SELECT
				r.id,
				r.value,
				r.issued,
				r.due,
				r.paid_on,
				r.credited_on,
				r.paid_value,
				v.cancelled_on,
				v.penalty_received,
				v.interest_received
			FROM ranked AS r
			LEFT JOIN slip AS v ON v.account = $1 AND v.id = r.id AND v.list = 'slips.credit' AND ` + s.stands + `
			WHERE r.place = 1)`
}
