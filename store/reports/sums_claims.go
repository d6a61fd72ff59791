package reports

import (
	"context"
	"strings"
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

// offContractSQL is what a live row with a contract line was charged off the contract, by the bracket of the fee that names a case;
// NULL where none does. Most rows have none, and their brackets are not parsed. The cast keeps it an integer on Postgres,
// for the rounding of what follows.
func (s *sumQuery) offContractSQL(f chargedFee) string {
	d := s.l.db.Dialect
	return `CASE WHEN e.contract_line <> '' AND e.brackets LIKE '%"Case"%' THEN (
				SELECT CAST(SUM(` + d.IntMember("b", "Amount") + `) AS BIGINT)
				FROM ` + d.UnnestJSON("e.brackets", "b") + `
				WHERE ` + d.TextMember("b", "Line") + ` = '` + f.line + `' AND ` + d.TextMember("b", "Case") + ` <> '') END`
}

// chargedFeesSQL is a WITH of the fees of the live rows, one by one, as printed. off is NULL where the fee is not off the
// contract.
func (s *sumQuery) chargedFeesSQL() (with string, args []any, err error) {
	from, args, err := s.cardRows("", "e.class NOT IN ('cancelled', 'chargeback')")
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(`
		WITH figures AS (
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
			FROM ` + from + `),
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
				` + roundToCents(f.chargedColumn()) + ` AS charged,
				` + roundToCents(f.chargedColumn()+" - COALESCE("+f.id+"_off, 0)") + ` AS due
			FROM figures`)
		// The MDR counts every row; another fee those that have it, or should have.
		if f.id != "mdr" {
			b.WriteString(`
			WHERE ` + f.chargedColumn() + ` <> 0 OR ` + f.id + `_off IS NOT NULL`)
		}
	}
	return b.String() + ")", args, nil
}

func (s *sumQuery) sumFees(ctx context.Context) (Sums, error) {
	with, args, err := s.chargedFeesSQL()
	if err != nil {
		return Sums{}, err
	}
	agreed := func(x string) string { return "CASE WHEN contract_line <> '' THEN " + x + " END" }
	return s.sumColumns(ctx, []sumColumn{
		{"installments", "1"},
		{"gross", "gross_cents"},
		{"due", agreed("due")},
		{"charged", "charged"},
		{"difference", agreed("charged - due")},
		{"overcharged", agreed("CASE WHEN charged > due THEN charged - due ELSE 0 END")},
		{"undercharged", agreed("CASE WHEN charged < due THEN due - charged ELSE 0 END")},
		{"deviating", agreed("CASE WHEN off IS NOT NULL THEN 1 ELSE 0 END")},
	}, with, "(SELECT COUNT(*) FROM (SELECT DISTINCT fee, brand, product, band, contract_line FROM charges) AS lines)",
		"charges", args)
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
