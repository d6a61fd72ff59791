package reports

import (
	"context"

	"concilia/store/results"
)

// cardRows is FROM and WHERE of the rows that the query chooses.
func (s *sumQuery) cardRows(more string, conditions ...string) (string, []any, error) {
	date, err := s.q.cardDate()
	if err != nil {
		return "", nil, err
	}
	w := s.q.cardConditions(date)
	for _, c := range conditions {
		w.Add(c)
	}
	believed := s.q.expectationJoin(w)
	return `installment AS i
		LEFT JOIN expectation AS e ON ` + believed + more + w.Where(), w.Args, nil
}

const keyNumber = "i.number"

// keyCount is the count of the sale's installments, 0 read as 1.
const keyCount = "CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END"

// splitSum is the sum of a row's splits as printed; NULL when it has none.
func (s *sumQuery) splitSum() string {
	d := s.l.db.Dialect
	return "(SELECT SUM(" + roundToCents("COALESCE("+d.IntMember("x", "value")+", 0)") + ") FROM " + d.UnnestJSON("i.splits", "x") + ")"
}

func (s *sumQuery) sumInstallments(ctx context.Context) (Sums, error) {
	from, args, err := s.cardRows("")
	if err != nil {
		return Sums{}, err
	}
	return s.sumColumns(ctx, []sumColumn{
		{"installment", keyNumber},
		{"installments", keyCount},
		{"sale_total", "i.sale_total"},
		{"gross", "i.gross"},
		{"mdr", roundToCents("i.mdr")},
		{"mdr_rate", s.roundRate("i.mdr_rate")},
		{"contract_mdr_rate", roundPercent("e.contract_mdr_rate")},
		{"transaction_fee", roundToCents("i.fee")},
		{"transaction_fee_sale", roundToCents("i.sale_fee")},
		{"antifraud_fee", roundToCents("i.antifraud")},
		{"antifraud_fee_sale", roundToCents("i.sale_antifraud")},
		{"anticipation", roundToCents("i.anticipation")},
		{"anticipation_rate", s.roundRate("i.anticipation_rate")},
		{"anticipation_days", "e.days_anticipated"},
		{"splits", s.splitSum()},
		{"net_expected", roundToCents("e.net")},
		{"net_contract", roundToCents("e.net_contract")},
		{"received", roundToCents("i.received")},
		{"days_late", "e.days_late"},
		{"impact", roundToCents("e.impact")},
		{"version", "i.version"},
		{"gross_cents", "e.gross_cents"},
	}, "", "COUNT(*)", from, args)
}

func (s *sumQuery) sumSplits(ctx context.Context) (Sums, error) {
	d := s.l.db.Dialect
	from, args, err := s.cardRows(`
		CROSS JOIN ` + d.UnnestJSON("i.splits", "x") + `
		LEFT JOIN ` + d.UnnestJSON("e.splits", "y") + ` ON ` + d.ElementOrdinal("y") + ` = ` + d.ElementOrdinal("x"))
	if err != nil {
		return Sums{}, err
	}
	value, expected := d.IntMember("x", "value"), d.IntMember("y", "expected")
	return s.sumColumns(ctx, []sumColumn{
		{"installment", keyNumber},
		{"installments", keyCount},
		{"split", d.ElementOrdinal("x")},
		{"pct", s.roundRate(d.IntMember("x", "pct"))},
		{"base", roundToCents(d.IntMember("x", "base"))},
		{"value", roundToCents(value)},
		{"expected_value", roundToCents(expected)},
		{"contract_pct", roundPercent(d.IntMember("y", "contract_pct"))},
		{"difference", roundToCents("COALESCE("+value+", 0)") + " - " + roundToCents(expected)},
	}, "", "COUNT(*)", from, args)
}

func (s *sumQuery) sumPayable(ctx context.Context) (Sums, error) {
	d := s.l.db.Dialect
	from, args, err := s.cardRows(`
		CROSS JOIN `+d.UnnestJSON("i.splits", "x"), "e.class NOT IN ('cancelled', 'chargeback')")
	if err != nil {
		return Sums{}, err
	}
	return s.sumColumns(ctx, []sumColumn{{"splits", "g.splits"}, {"value", "g.value"}}, "", "COUNT(*)", `(
			SELECT
				COUNT(*) AS splits,
				SUM(`+roundToCents("COALESCE("+d.IntMember("x", "value")+", 0)")+`) AS value
			FROM `+from+`
			GROUP BY `+d.TextMember("x", "beneficiary")+`, i.effective) AS g`, args)
}

// sumSummary sums over the live rows, then over the reversed ones, and counts lines and sales over both: in one statement, whose
// figures are computed once per row.
func (s *sumQuery) sumSummary(ctx context.Context) (Sums, error) {
	from, args, err := s.cardRows("", "e.class IS NOT NULL")
	if err != nil {
		return Sums{}, err
	}
	date, _ := s.q.cardDate()
	with := `
		WITH figures AS MATERIALIZED (
			SELECT
				` + date + ` AS base_date,
				e.brand,
				e.product,
				e.band,
				i.sale_day,
				i.nsu,
				i.auth,
				i.sale,
				CASE WHEN e.class IN ('cancelled', 'chargeback') THEN 0 ELSE 1 END AS live,
				CASE e.rest
					WHEN 'blocked' THEN 'blocked'
					WHEN 'overdue' THEN 'overdue'
					WHEN 'not_due' THEN 'not_due'
					WHEN 'no_forecast' THEN 'not_due'
					ELSE 'received'
				END AS standing,
				e.gross_cents * 100 AS gross,
				` + roundToCents("COALESCE(i.mdr, 0)") + ` AS mdr,
				` + roundToCents("COALESCE(i.fee, 0)") + ` AS fee,
				` + roundToCents("COALESCE(i.antifraud, 0)") + ` AS antifraud,
				` + roundToCents("COALESCE(i.anticipation, 0)") + ` AS anticipation,
				COALESCE(` + s.splitSum() + `, 0) AS splits,
				` + roundToCents("e.net") + ` AS n,
				` + roundToCents("e.net_contract") + ` AS s,
				` + roundToCents("COALESCE(i.received, 0)") + ` AS r
			FROM ` + from + `)`
	live := func(x string) string { return "CASE WHEN live = 1 THEN " + x + " END" }
	in := func(standing, x string) string {
		return "CASE WHEN live = 1 AND standing = '" + standing + "' THEN " + x + " END"
	}
	dead := func(x string) string { return "CASE WHEN live = 0 THEN " + x + " END" }
	countDistinct := func(columns, where string) string {
		return "(SELECT COUNT(*) FROM (SELECT DISTINCT " + columns + " FROM figures" + where + ") AS things)"
	}
	const lineColumns = "base_date, brand, product, band"
	counts := []sumColumn{
		{"sales", countDistinct(saleColumns+", "+lineColumns, " WHERE live = 1")},
		{SalesOfTheSet, countDistinct(saleColumns, " WHERE live = 1")},
	}
	out, err := s.sumAndCountColumns(ctx, counts, []sumColumn{
		{"installments", live("1")},
		{"gross", live("gross")},
		{"mdr", live("mdr")},
		{"transaction_fee", live("fee")},
		{"antifraud_fee", live("antifraud")},
		{"anticipation_cost", live("anticipation")},
		{"splits", live("splits")},
		{"net_expected", live("n")},
		{"net_kept", in("received", "r - splits")},
		{"splits_received", in("received", "splits")},
		{"net_contract", live("s")},
		{"received", in("received", "r")},
		{"not_due", in("not_due", "n - r")},
		{"overdue", in("overdue", "n - r")},
		{"blocked", in("blocked", "n - r")},
		{"short", in("received", "CASE WHEN n > r THEN n - r ELSE 0 END")},
		{"over", in("received", "CASE WHEN r > n THEN r - n ELSE 0 END")},
		{"overcharge", live("s - n")},
		{"difference", live("s - n + CASE WHEN standing = 'received' THEN n - r ELSE 0 END")},
		{"cancelled_installments", dead("1")},
		{"cancelled_gross", dead("gross")},
		{"cancelled_received", dead("r")},
	}, with, countDistinct(lineColumns, ""), "figures", args)
	if err != nil {
		return out, err
	}
	cases, err := s.sumCases(ctx, results.FiringCases(s.q.AsOfRun, s.q.Account))
	if err != nil {
		return out, err
	}
	out.Columns["exceptions_error"], out.Columns["exceptions_warning"] = cases.Errors, cases.Warnings
	out.Columns["other_adjustments"] = 0
	return out, s.sumAdjusted(ctx, &out)
}

const saleColumns = "sale_day, nsu, auth, sale"

// SalesOfTheSet is the column of a summary's sums that counts a sale once; its sales count it on every line it stands on.
const SalesOfTheSet = "sales of the set"
