package reports

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
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
	join := s.q.expectationJoin(w)
	return `installment AS i
		LEFT JOIN expectation AS e ON ` + join + more + w.Where(), w.Args, nil
}

const keyNumber = "i.number"

// keyCount is the count of the sale's installments, 0 read as 1.
const keyCount = "CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END"

// splitSum is the sum of a row's splits as printed; NULL when it has none. Most rows have none, and nothing is unnested for them.
func (s *sumQuery) splitSum() string {
	d := s.db.Dialect
	return "CASE WHEN i.splits IS NOT NULL THEN (SELECT SUM(" + roundToCents("COALESCE("+d.IntMember("x", "value")+", 0)") +
		") FROM " + d.UnnestJSON("i.splits", "x") + ") END"
}

func (s *sumQuery) sumSplits(ctx context.Context) (Sums, error) {
	d := s.db.Dialect
	from, args, err := s.cardRows(`
		CROSS JOIN `+d.UnnestJSON("i.splits", "x")+`
		LEFT JOIN `+d.UnnestJSON("e.splits", "y")+` ON `+d.ElementOrdinal("y")+` = `+d.ElementOrdinal("x"), "i.splits IS NOT NULL")
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
	d := s.db.Dialect
	from, args, err := s.cardRows(`
		CROSS JOIN `+d.UnnestJSON("i.splits", "x"), "i.splits IS NOT NULL", "e.class NOT IN ('cancelled', 'chargeback')")
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
func (l *SumReader) SumTogether(ctx context.Context, q Query, table string, unit ledger.Unit) (map[string]Sums, error) {
	if !slices.Contains(cardTables, table) {
		one, err := l.Sums(ctx, q, table, unit)
		return map[string]Sums{table: one}, err
	}
	s := sumQuery{db: l.db, q: &q, unit: unit, addsDays: q.choosesWholeDays()}
	out, err := s.sumCardTables(ctx)
	return out, l.db.WrapError(fmt.Sprintf("sum the cards of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// sumCardTables sums the card tables at once: of their rows each figure is computed once. A summary has live rows and reversed
// ones, and lines and sales are counted over both.
func (s *sumQuery) sumCardTables(ctx context.Context) (map[string]Sums, error) {
	sum := s.sumCardRows
	if s.addsDays {
		sum = s.addUpDays
	}
	all, err := sum(ctx)
	if err != nil {
		return nil, err
	}
	installments, summary := Sums{Rows: all.Rows, Columns: map[string]int64{}}, Sums{Columns: map[string]int64{}}
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
	difference := Sums{Columns: map[string]int64{"difference": all.Columns[CardDifference]}}
	return map[string]Sums{"installments": installments, "summary": summary, CardDifference: difference}, err
}

// summaryPrefix is before the columns of the summary where those of all card tables are together.
const summaryPrefix = "summary "

// sumCardRows sums the columns of the card tables over the rows.
func (s *sumQuery) sumCardRows(ctx context.Context) (Sums, error) {
	from, args, err := s.cardRows("")
	if err != nil {
		return Sums{}, err
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
		cells = append(cells, sumColumn{summaryPrefix + c.id, c.sql})
	}
	return s.sumAndCountColumns(ctx, counts, cells, s.cardFiguresSQL("MATERIALIZED", from), "COUNT(*)", "figures", args)
}

// addToSummary adds what is not on the rows of a summary: cases, and changes of closed periods.
func (s *sumQuery) addToSummary(ctx context.Context, summary *Sums) error {
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
func (l *SumReader) SumSummaryColumns(ctx context.Context, q Query, columns []string, part ledger.Period, ofPart []string) (map[string]ledger.Amount, error) {
	s := sumQuery{db: l.db, q: &q, unit: ledger.Percent}
	var with, from, date string
	var args []any
	all := summaryColumns()
	if q.choosesWholeDays() {
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
		case slices.Contains(columns, c.id):
			cells = append(cells, c)
		case slices.Contains(ofPart, c.id):
			cells = append(cells, sumColumn{c.id, fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s END", date, part.From, part.To, c.sql)})
		}
	}
	sums, err := s.sumColumns(ctx, cells, with, "COUNT(*)", from, args)
	if err == nil {
		err = s.sumAdjusted(ctx, &sums)
	}
	out := map[string]ledger.Amount{}
	for _, c := range cells {
		out[c.id] = ledger.Amount(sums.Columns[c.id])
	}
	return out, l.db.WrapError(fmt.Sprintf("sum columns of summary of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// cardFiguresSQL has a row for each installment, of whole cents where they are printed so, from which the card tables are added up. live is
// NULL of a row that no run has evaluated. With the hint MATERIALIZED each is computed once.
func (s *sumQuery) cardFiguresSQL(hint, from string) string {
	date, _ := s.q.cardDate()
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
				COALESCE(` + s.splitSum() + `, 0) AS splits,
				` + roundToCents("e.net") + ` AS n,
				` + roundToCents("e.net_contract") + ` AS s,
				` + roundToCents("COALESCE(i.received, 0)") + ` AS r,
				` + results.CardDifferenceSQL + ` AS difference,
				` + keyNumber + ` AS number,
				` + keyCount + ` AS count_of,
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

// chargedFee is one of the fees of an installment: its line in brackets, and the column of what was charged.
type chargedFee struct{ id, line, column string }

func (f chargedFee) chargedColumn() string { return f.id + "_charged" }

var chargedFees = []chargedFee{
	{"mdr", "mdr", "i.mdr"},
	{"anticipation", "anticipation", "i.anticipation"},
	{"transaction", "transaction_fee", "i.fee"},
	{"antifraud", "antifraud", "i.antifraud"},
}

// offContractSQL is what a live row with a contract line was charged off the contract, by the bracket of the fee that names a case;
// NULL where none does. Most rows have none, and their brackets are not parsed. The cast keeps it an integer on Postgres,
// for the rounding of what follows.
func (s *sumQuery) offContractSQL(f chargedFee) string {
	d := s.db.Dialect
	return `CASE WHEN e.contract_line <> '' AND e.brackets LIKE '%"Case"%' THEN (
				SELECT CAST(SUM(` + d.IntMember("b", "Amount") + `) AS BIGINT)
				FROM ` + d.UnnestJSON("e.brackets", "b") + `
				WHERE ` + d.TextMember("b", "Line") + ` = '` + f.line + `' AND ` + d.TextMember("b", "Case") + ` <> '') END`
}

// feeFiguresSQL is a WITH of the live rows and their fees: what was charged, and what of that is off the contract, which is NULL
// where the fee is not. With the hint MATERIALIZED the rows are read once for all that is asked of them; without it once for each
// fee, of which conditions then choose.
func (s *sumQuery) feeFiguresSQL(hint string) (with string, args []any, err error) {
	from, args, err := s.cardRows("", "e.class NOT IN ('cancelled', 'chargeback')")
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(`
		WITH figures AS ` + hint + ` (
			SELECT
				i.number,
				` + keyCount + ` AS count_of,
				i.gross,
				e.gross_cents * 100 AS gross_cents,
				e.brand,
				e.product,
				e.band,
				e.contract_line`)
	for _, f := range chargedFees {
		b.WriteString(`,
				COALESCE(` + f.column + `, 0) AS ` + f.chargedColumn() + `,
				` + s.offContractSQL(f) + ` AS ` + f.id + `_off`)
	}
	b.WriteString(`
			FROM ` + from + ")")
	return b.String(), args, nil
}

// asCharged and asDue are the amount of a fee that was charged and that was due, as printed.
func (f chargedFee) asCharged() string { return roundToCents(f.chargedColumn()) }

func (f chargedFee) asDue() string {
	return roundToCents(f.chargedColumn() + " - COALESCE(" + f.id + "_off, 0)")
}

// isCounted is the condition on a row that it counts for the fee: the MDR counts every row, another fee those that have it, or
// should have.
func (f chargedFee) isCounted() string {
	if f.id == "mdr" {
		return "1 = 1"
	}
	return "(" + f.chargedColumn() + " <> 0 OR " + f.id + "_off IS NOT NULL)"
}

// chargedFeesSQL is a WITH of the fees of the live rows, one by one, as printed. off is NULL where the fee is not off the
// contract.
func (s *sumQuery) chargedFeesSQL() (with string, args []any, err error) {
	figures, args, err := s.feeFiguresSQL("")
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(figures + `,
		charges AS (`)
	for n, f := range chargedFees {
		if n > 0 {
			b.WriteString(`
			UNION ALL`)
		}
		b.WriteString(`
			SELECT
				'` + f.id + `' AS fee,
				number,
				count_of,
				gross,
				gross_cents,
				brand,
				product,
				band,
				contract_line,
				` + f.id + `_off AS off,
				` + f.asCharged() + ` AS charged,
				` + f.asDue() + ` AS due
			FROM figures
			WHERE ` + f.isCounted())
	}
	return b.String() + ")", args, nil
}

func (s *sumQuery) sumFees(ctx context.Context) (Sums, error) {
	with, args, err := s.feeFiguresSQL("MATERIALIZED")
	if err != nil {
		return Sums{}, err
	}
	// All fees of a row are added up at once. Only what is off the contract, which few are, differs from what was due.
	ofEach := func(one func(chargedFee) string) string {
		terms := make([]string, len(chargedFees))
		for i, f := range chargedFees {
			terms[i] = one(f)
		}
		return strings.Join(terms, " + ")
	}
	counted := func(x string) string {
		return ofEach(func(f chargedFee) string { return "CASE WHEN " + f.isCounted() + " THEN " + x + " ELSE 0 END" })
	}
	off := func(of func(charged, due string) string) string {
		return ofEach(func(f chargedFee) string {
			return "CASE WHEN " + f.id + "_off IS NOT NULL THEN " + of(f.asCharged(), f.asDue()) + " ELSE 0 END"
		})
	}
	above := func(a, b string) string {
		return "CASE WHEN " + a + " > " + b + " THEN " + a + " - " + b + " ELSE 0 END"
	}
	lines := ofEach(func(f chargedFee) string {
		return "(SELECT COUNT(*) FROM (SELECT DISTINCT brand, product, band, contract_line FROM figures WHERE " + f.isCounted() + ") AS lines)"
	})
	return s.sumColumns(ctx, []sumColumn{
		{"installments", counted("1")},
		{"gross", counted("gross_cents")},
		{"due", "CASE WHEN contract_line <> '' THEN " + ofEach(chargedFee.asDue) + " END"},
		{"charged", ofEach(chargedFee.asCharged)},
		{"difference", off(func(charged, due string) string { return charged + " - " + due })},
		{"overcharged", off(above)},
		{"undercharged", off(func(charged, due string) string { return above(due, charged) })},
		{"deviating", off(func(string, string) string { return "1" })},
	}, with, lines, "figures", args)
}

func (s *sumQuery) sumClaims(ctx context.Context) (Sums, error) {
	with, args, err := s.chargedFeesSQL()
	if err != nil {
		return Sums{}, err
	}
	return s.sumColumns(ctx, []sumColumn{
		{"installment", "number"},
		{"installments", "count_of"},
		{"gross", "gross"},
		{"due", "due"},
		{"charged", "charged"},
		{"difference", "charged - due"},
	}, with, "COUNT(*)", "charges WHERE off IS NOT NULL", args)
}

// ToleratedOn returns what the rules tolerated on the rows that the query chooses, cards and slips, by code and month of the
// sale or due date, in absolute cents; on basis asof on all rows, as the run left it.
func (l *SumReader) ToleratedOn(ctx context.Context, q Query) ([]ledger.ToleratedAmount, error) {
	if q.Basis == asOfBasis {
		return l.results.RoundingOfRun(ctx, q.Account, q.AsOfRun)
	}
	s := sumQuery{db: l.db, q: &q}
	sums := map[ledger.ToleratedAmount]ledger.Amount{} // by code and month
	var err error
	if _, none := q.cardDate(); none == nil {
		from, args, fault := s.toleratedCards()
		err = errors.Join(fault, s.addTolerated(ctx, sums, "", "i.sale_day", from, args))
	}
	if _, none := q.slipDate(); none == nil && err == nil {
		conditions, from, args, fault := s.slipRows("")
		err = errors.Join(fault, s.addTolerated(ctx, sums, facts.MergedSlipsSQL(conditions), "e.day", from, args))
	}
	out := make([]ledger.ToleratedAmount, 0, len(sums))
	for t, amount := range sums {
		t.Amount = amount
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b ledger.ToleratedAmount) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), cmp.Compare(a.Month, b.Month))
	})
	return out, l.db.WrapError(fmt.Sprintf("sum what is tolerated of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// toleratedCards is FROM and WHERE of the chosen rows on which something is tolerated. On the basis of the sale, whose day
// expectations have, an index has the few that tolerate anything, and only the rows of those are looked up.
func (s *sumQuery) toleratedCards() (from string, args []any, err error) {
	const tolerates = `e.brackets LIKE '%"rounding"%'`
	date, err := s.q.cardDate()
	if err != nil || date != saleDate {
		return s.cardRows("", tolerates)
	}
	w := s.q.cardConditions(date)
	w.Add("e.account = " + w.AddArg(int64(s.q.Account)))
	w.Add("e.sale_day BETWEEN " + w.AddArg(int64(s.q.Period.From)) + " AND " + w.AddArg(int64(s.q.Period.To)))
	w.Add(tolerates)
	w.Add(s.q.expectationJoin(w))
	return "expectation AS e" + s.db.Dialect.UseIndex("expectation_tolerated") + " CROSS JOIN installment AS i" + w.Where(), w.Args, nil
}

// addTolerated adds the brackets of rounding of expectations e, whose day is that expression.
func (s *sumQuery) addTolerated(
	ctx context.Context, sums map[ledger.ToleratedAmount]ledger.Amount, with, day, from string, args []any,
) error {
	d := s.db.Dialect
	return sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var code string
		var day ledger.Date
		var amount ledger.Amount
		if err := rows.Scan(&code, sqldb.IntoDate(&day), &amount); err != nil {
			return err
		}
		of := ledger.ToleratedAmount{Code: code}
		if day != 0 {
			of.Month = day.MonthStart()
		}
		sum, err := sums[of].Add(amount)
		sums[of] = sum
		return err
	}, with+`
		SELECT
			`+d.TextMember("b", "Code")+`,
			r.day,
			CAST(SUM(ABS(`+d.IntMember("b", "Amount")+`)) AS BIGINT)
		FROM (
			SELECT
				`+day+` AS day,
				CASE WHEN e.brackets LIKE '%"rounding"%' THEN e.brackets ELSE '[]' END AS brackets
			FROM `+from+`) AS r
		CROSS JOIN `+d.UnnestJSON("r.brackets", "b")+`
		WHERE `+d.TextMember("b", "Line")+` = 'rounding' AND `+d.TextMember("b", "Code")+` <> ''
		GROUP BY `+d.TextMember("b", "Code")+`, r.day`, args...)
}
