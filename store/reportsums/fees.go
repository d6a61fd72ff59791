package reportsums

import (
	"context"
	"strings"

	"concilia/store/facts"
	"concilia/store/reports"
)

// chargedFee is one of the fees of an installment: its line in brackets, and the column of what was charged.
type chargedFee struct{ id, line, column string }

func (f chargedFee) chargedColumn() string { return f.id + "_charged" }

var chargedFees = []chargedFee{
	{"mdr", "mdr", "i.mdr"},
	{"anticipation", "anticipation", "i.anticipation"},
	{"transaction", "transaction_fee", "i.fee"},
	{"antifraud", "antifraud", "i.antifraud"},
}

// feeSums sums the fees of installments, and the claims that follow from them.
type feeSums struct{ sumQuery }

// offContractSQL is what a live row with a contract line was charged off the contract, by the bracket of the fee that names a case;
// NULL where none does. Most rows have none, and their brackets are not parsed. The cast keeps it an integer on Postgres,
// for the rounding of what follows.
func (s *feeSums) offContractSQL(f chargedFee) string {
	d := s.db.Dialect
	return `CASE WHEN e.contract_line <> '' AND e.brackets LIKE '%"Case"%' THEN (
				SELECT CAST(SUM(` + d.IntMember("b", "Amount") + `) AS BIGINT)
				FROM ` + d.UnnestJSON("e.brackets", "b") + `
				WHERE ` + d.TextMember("b", "Line") + ` = '` + f.line + `' AND ` + d.TextMember("b", "Case") + ` <> '') END`
}

// feeFiguresSQL is a WITH of the live rows and their fees: what was charged, and what of that is off the contract, which is NULL
// where the fee is not. With the hint MATERIALIZED the rows are read once for all that is asked of them; without it once for each
// fee, of which conditions then choose.
func (s *feeSums) feeFiguresSQL(hint string) (with string, args []any, err error) {
	from, args, err := s.cardRows("", "e.class NOT IN ('cancelled', 'chargeback')")
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(`
		WITH figures AS ` + hint + ` (
			SELECT
				i.number,
				` + facts.CountSQL + ` AS count_of,
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
func (s *feeSums) chargedFeesSQL() (with string, args []any, err error) {
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

func (s *feeSums) sumFees(ctx context.Context) (reports.Sums, error) {
	with, args, err := s.feeFiguresSQL("MATERIALIZED")
	if err != nil {
		return reports.Sums{}, err
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

func (s *feeSums) sumClaims(ctx context.Context) (reports.Sums, error) {
	with, args, err := s.chargedFeesSQL()
	if err != nil {
		return reports.Sums{}, err
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
