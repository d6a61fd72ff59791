package reportsums

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/totals"
)

// cardRows is FROM and WHERE of the rows that the query chooses.
func (s *sumQuery) cardRows(more string, conditions ...string) (string, []any, error) {
	date, err := s.q.CardDate()
	if err != nil {
		return "", nil, err
	}
	w := s.q.CardConditions(date)
	for _, c := range conditions {
		w.Add(c)
	}
	join := s.q.ExpectationJoin(w)
	return `installment AS i
		LEFT JOIN expectation AS e ON ` + join + more + w.Where(), w.Args, nil
}

const keyNumber = "i.number"

func (s *sumQuery) sumSplits(ctx context.Context) (reports.Sums, error) {
	d := s.db.Dialect
	from, args, err := s.cardRows(`
		CROSS JOIN `+d.UnnestJSON("i.splits", "x")+`
		LEFT JOIN `+d.UnnestJSON("e.splits", "y")+` ON `+d.ElementOrdinal("y")+` = `+d.ElementOrdinal("x"), "i.splits IS NOT NULL")
	if err != nil {
		return reports.Sums{}, err
	}
	value, expected := d.IntMember("x", "value"), d.IntMember("y", "expected")
	return s.sumColumns(ctx, []sumColumn{
		{"installment", keyNumber},
		{"installments", facts.CountSQL},
		{"split", d.ElementOrdinal("x")},
		{"pct", s.roundRate(d.IntMember("x", "pct"))},
		{"base", roundToCents(d.IntMember("x", "base"))},
		{"value", roundToCents(value)},
		{"expected_value", roundToCents(expected)},
		{"contract_pct", roundPercent(d.IntMember("y", "contract_pct"))},
		{"difference", roundToCents("COALESCE("+value+", 0)") + " - " + roundToCents(expected)},
	}, "", "COUNT(*)", from, args)
}

func (s *sumQuery) sumPayable(ctx context.Context) (reports.Sums, error) {
	d := s.db.Dialect
	from, args, err := s.cardRows(`
		CROSS JOIN `+d.UnnestJSON("i.splits", "x"), "i.splits IS NOT NULL", "e.class NOT IN ('cancelled', 'chargeback')")
	if err != nil {
		return reports.Sums{}, err
	}
	return s.sumColumns(ctx, []sumColumn{{"splits", "g.splits"}, {"value", "g.value"}}, "", "COUNT(*)", `(
			SELECT
				COUNT(*) AS splits,
				SUM(`+roundToCents("COALESCE("+d.IntMember("x", "value")+", 0)")+`) AS value
			FROM `+from+`
			GROUP BY `+d.TextMember("x", "beneficiary")+`, i.effective) AS g`, args)
}

// cardSums sums the card tables.
type cardSums struct {
	sumQuery
	addsDays bool // from the sums of days that reconciles kept, instead of the rows
}

// CardDifference is the table of Sums of the other side of the bridge of cards.
const CardDifference = "card-difference"

// cardTables are the tables that one statement sums: their rows are read once for all of them.
var cardTables = []string{"installments", "summary", CardDifference}

// NameSummedTogether names the tables that one statement sums with a table: equal names are summed together.
func NameSummedTogether(table string) string {
	if slices.Contains(cardTables, table) {
		return "cards"
	}
	return table
}

// SumTogether is Sums of a table and of those that are summed with it, by their names. Where the query chooses all rows of its sale days as of
// a run, the sums of cards are added up from those of days that reconciles kept.
func (l *Reader) SumTogether(ctx context.Context, q reports.Query, table string, unit ledger.Unit) (map[string]reports.Sums, error) {
	if !slices.Contains(cardTables, table) {
		one, err := l.Sums(ctx, q, table, unit)
		return map[string]reports.Sums{table: one}, err
	}
	s := cardSums{sumQuery{db: l.db, q: &q, unit: unit}, q.ChoosesWholeDays()}
	out, err := s.sumCardTables(ctx)
	return out, l.db.WrapError(fmt.Sprintf("sum the cards of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// sumCardTables sums the card tables at once: of their rows each figure is computed once. A summary has live rows and reversed
// ones, and lines and sales are counted over both.
func (s *cardSums) sumCardTables(ctx context.Context) (map[string]reports.Sums, error) {
	sum := s.sumCardRows
	if s.addsDays {
		sum = s.addUpDays
	}
	all, err := sum(ctx)
	if err != nil {
		return nil, err
	}
	installments, summary := reports.Sums{Rows: all.Rows, Columns: map[string]int64{}}, reports.Sums{Columns: map[string]int64{}}
	for id, v := range all.Columns {
		if of, ok := strings.CutPrefix(id, summaryPrefix); ok {
			summary.Columns[of] = v
		} else if id != CardDifference {
			installments.Columns[id] = v
		}
	}
	summary.Rows = summary.Columns["rows"]
	delete(summary.Columns, "rows")
	err = s.addToSummary(ctx, &summary)
	difference := reports.Sums{Columns: map[string]int64{"difference": all.Columns[CardDifference]}}
	return map[string]reports.Sums{"installments": installments, "summary": summary, CardDifference: difference}, err
}

// summaryPrefix is before the columns of the summary where those of all card tables are together.
const summaryPrefix = "summary "

// sumCardRows sums the columns of the card tables over the rows.
func (s *cardSums) sumCardRows(ctx context.Context) (reports.Sums, error) {
	from, args, err := s.cardRows("")
	if err != nil {
		return reports.Sums{}, err
	}
	countDistinct := func(columns, where string) string {
		return "(SELECT COUNT(*) FROM (SELECT DISTINCT " + columns + " FROM figures WHERE " + where + ") AS things)"
	}
	const lineColumns = "base_date, brand, product, band"
	counts := []sumColumn{
		{summaryPrefix + "rows", countDistinct(lineColumns, "live IS NOT NULL")},
		{summaryPrefix + "sales", countDistinct(saleColumns+", "+lineColumns, "live = 1")},
		{summaryPrefix + SalesOfTheSet, countDistinct(saleColumns, "live = 1")},
	}
	cells := append(installmentColumns(), sumColumn{CardDifference, "CASE WHEN live IS NOT NULL THEN difference END"})
	for _, c := range summaryColumns() {
		cells = append(cells, sumColumn{summaryPrefix + c[0], c[1]})
	}
	return reports.SumAndCountColumns(ctx, s.db, counts, cells, s.cardFiguresSQL("MATERIALIZED", from), "COUNT(*)", "figures", args)
}

// addToSummary adds what is not on the rows of a summary: cases, and changes of closed periods.
func (s *cardSums) addToSummary(ctx context.Context, summary *reports.Sums) error {
	cases, err := s.sumCases(ctx, caselog.FiringCases(s.q.AsOfRun, s.q.Account))
	if err != nil {
		return err
	}
	summary.Columns["exceptions_error"], summary.Columns["exceptions_warning"] = cases.Columns["errors"], cases.Columns["warnings"]
	summary.Columns["other_adjustments"] = 0
	return s.sumAdjusted(ctx, summary)
}

// SumSummaryColumns sums some columns of the summary, without what else it counts: the row is not read for the others. Those of ofPart are
// summed in a part of the query's period alone. Where the query chooses all rows of its sale days as of a run, they are added up from those of
// days that reconciles kept.
func (l *Reader) SumSummaryColumns(ctx context.Context, q reports.Query, columns []string, part ledger.Period, ofPart []string) (map[string]ledger.Amount, error) {
	s := cardSums{sumQuery: sumQuery{db: l.db, q: &q, unit: ledger.Percent}}
	var with, from, date string
	var args []any
	all := summaryColumns()
	if q.ChoosesWholeDays() {
		all, date = daySummaryColumns(), "sale_day"
		from, args = s.keptDays()
	} else {
		rows, values, err := s.cardRows("", "e.class IS NOT NULL")
		if err != nil {
			return nil, err
		}
		with, from, date, args = s.cardFiguresSQL("", rows), "figures", "base_date", values
	}
	var cells []sumColumn
	for _, c := range all {
		switch {
		case slices.Contains(columns, c[0]):
			cells = append(cells, c)
		case slices.Contains(ofPart, c[0]):
			cells = append(cells, sumColumn{c[0], fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s END", date, part.From, part.To, c[1])})
		}
	}
	sums, err := s.sumColumns(ctx, cells, with, "COUNT(*)", from, args)
	if err == nil {
		err = s.sumAdjusted(ctx, &sums)
	}
	out := map[string]ledger.Amount{}
	for _, c := range cells {
		out[c[0]] = ledger.Amount(sums.Columns[c[0]])
	}
	return out, l.db.WrapError(fmt.Sprintf("sum columns of summary of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// cardFiguresSQL has a row for each installment, of whole cents where they are printed so, from which the card tables are added up. live is
// NULL of a row that no run has evaluated. With the hint MATERIALIZED each is computed once.
func (s *cardSums) cardFiguresSQL(hint, from string) string {
	date, _ := s.q.CardDate()
	return `
		WITH figures AS ` + hint + ` (
			SELECT
				` + date + ` AS base_date,
				e.brand,
				e.product,
				e.band,
				i.sale_day,
				i.nsu,
				i.auth,
				i.sale,
				CASE WHEN e.class IN ('cancelled', 'chargeback') THEN 0 WHEN e.class IS NOT NULL THEN 1 END AS live,
				CASE e.rest
					WHEN 'blocked' THEN 'blocked'
					WHEN 'overdue' THEN 'overdue'
					WHEN 'not_due' THEN 'not_due'
					WHEN 'no_forecast' THEN 'not_due'
					ELSE 'received'
				END AS status,
				e.gross_cents * 100 AS gross,
				` + roundToCents("COALESCE(i.mdr, 0)") + ` AS mdr,
				` + roundToCents("COALESCE(i.fee, 0)") + ` AS fee,
				` + roundToCents("COALESCE(i.antifraud, 0)") + ` AS antifraud,
				` + roundToCents("COALESCE(i.anticipation, 0)") + ` AS anticipation,
				COALESCE(` + reports.SplitsInCents(s.db.Dialect) + `, 0) AS splits,
				` + roundToCents("e.net") + ` AS n,
				` + roundToCents("e.net_contract") + ` AS s,
				` + roundToCents("COALESCE(i.received, 0)") + ` AS r,
				` + totals.CardDifferenceSQL + ` AS difference,
				` + keyNumber + ` AS number,
				` + facts.CountSQL + ` AS count_of,
				i.sale_total,
				i.gross AS gross_sent,
				` + s.roundRate("i.mdr_rate") + ` AS mdr_rate,
				` + roundPercent("e.contract_mdr_rate") + ` AS contract_mdr_rate,
				` + roundToCents("i.sale_fee") + ` AS sale_fee,
				` + roundToCents("i.sale_antifraud") + ` AS sale_antifraud,
				` + s.roundRate("i.anticipation_rate") + ` AS anticipation_rate,
				e.days_anticipated,
				e.days_late,
				` + roundToCents("e.impact") + ` AS impact,
				i.version
			FROM ` + from + `)`
}

// installmentColumns are the sums of the installments over those rows.
func installmentColumns() []sumColumn {
	return []sumColumn{
		{"installment", "number"},
		{"installments", "count_of"},
		{"sale_total", "sale_total"},
		{"gross", "gross_sent"},
		{"mdr", "mdr"},
		{"mdr_rate", "mdr_rate"},
		{"contract_mdr_rate", "contract_mdr_rate"},
		{"transaction_fee", "fee"},
		{"transaction_fee_sale", "sale_fee"},
		{"antifraud_fee", "antifraud"},
		{"antifraud_fee_sale", "sale_antifraud"},
		{"anticipation", "anticipation"},
		{"anticipation_rate", "anticipation_rate"},
		{"anticipation_days", "days_anticipated"},
		{"splits", "splits"},
		{"net_expected", "n"},
		{"net_contract", "s"},
		{"received", "r"},
		{"days_late", "days_late"},
		{"impact", "impact"},
		{"version", "version"},
		{"gross_cents", "gross / 100"},
	}
}

// summaryColumns are the sums of the summary over those rows.
func summaryColumns() []sumColumn {
	live := func(x string) string { return "CASE WHEN live = 1 THEN " + x + " END" }
	in := func(status, x string) string {
		return "CASE WHEN live = 1 AND status = '" + status + "' THEN " + x + " END"
	}
	dead := func(x string) string { return "CASE WHEN live = 0 THEN " + x + " END" }
	return []sumColumn{
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
		{"difference", live("s - n + CASE WHEN status = 'received' THEN n - r ELSE 0 END")},
		{"cancelled_installments", dead("1")},
		{"cancelled_gross", dead("gross")},
		{"cancelled_received", dead("r")},
	}
}

const saleColumns = "sale_day, nsu, auth, sale"

// SalesOfTheSet is the column of a summary's sums that counts a sale once; its sales count it on every line that it has a row on.
const SalesOfTheSet = "sales of the set"
