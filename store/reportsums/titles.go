package reportsums

import (
	"context"
	"strconv"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// ifPositive is x where it is above zero, else zero: what an unsigned column of a title holds of it.
func ifPositive(x string) string { return "CASE WHEN (" + x + ") > 0 THEN (" + x + ") ELSE 0 END" }

// titleSums sums titles of EDI files and entries of statements.
type titleSums struct{ sumQuery }

// titleCells are the sums of titles from rows that have their movement and, in cents, the columns of a title's payment.
func titleCells() []sumColumn {
	var cells []sumColumn
	for _, id := range []string{
		"face", "paid", "net", "fees", "additions", "discounts", "other_expenses", "other_credits", "shares", "shares_value",
	} {
		cells = append(cells, sumColumn{id, id})
	}
	return cells
}

// cardTitles sums the titles of installments. netOfSplits says that splits are taken out of what is received.
func (s *titleSums) cardTitles(ctx context.Context, netOfSplits bool) (reports.Sums, error) {
	// A row whose gross is below zero is no title.
	from, args, err := s.cardRows("", "e.gross_cents >= 0")
	if err != nil {
		return reports.Sums{}, err
	}
	d := s.db.Dialect
	share := roundToCents("COALESCE(" + d.IntMember("x", "value") + ", 0)")
	// shares below zero have no column.
	shares := func(sum string) string {
		return "COALESCE((SELECT " + sum + " FROM " + d.UnnestJSON("i.splits", "x") + " WHERE " + share + " >= 0), 0)"
	}
	cost := roundToCents("COALESCE(i.anticipation, 0)")
	if netOfSplits {
		cost += " + COALESCE(" + reports.SplitsInCents(s.db.Dialect) + ", 0)"
	}
	with := `
		WITH figures AS (
			SELECT
				CASE
					WHEN ` + roundToCents("COALESCE(i.received, 0)") + ` < 0 THEN 28
					WHEN e.class IN ('cancelled', 'chargeback') THEN 9
					WHEN e.class = 'received' THEN 6
					ELSE 2
				END AS movement,
				e.gross_cents * 100 AS gross,
				` + roundToCents("COALESCE(i.mdr, 0)") + ` + ` + roundToCents("COALESCE(i.fee, 0)") + ` + ` + roundToCents("COALESCE(i.antifraud, 0)") + ` AS fee,
				` + cost + ` AS cost,
				` + roundToCents("COALESCE(i.received, 0)") + ` AS received,
				` + shares("COUNT(*)") + ` AS shares,
				` + shares("SUM("+share+")") + ` AS shares_value
			FROM ` + from + `),
		titles AS (
			SELECT
				gross AS face,
				CASE WHEN movement = 6 THEN gross ELSE 0 END AS paid,
				CASE WHEN movement = 6 THEN received ELSE 0 END AS net,
				CASE WHEN movement <> 28 THEN ` + ifPositive("fee") + ` ELSE 0 END AS fees,
				0 AS additions,
				0 AS discounts,
				CASE movement
					WHEN 28 THEN - received
					WHEN 6 THEN ` + ifPositive("cost + "+ifPositive("gross - fee - cost - received")) + `
					ELSE 0
				END AS other_expenses,
				CASE WHEN movement = 6
					THEN ` + ifPositive("received - (gross - fee - cost)") + ` + ` + ifPositive("- (cost + "+ifPositive("gross - fee - cost - received")+")") + `
					ELSE 0
				END + CASE WHEN movement <> 28 THEN ` + ifPositive("- fee") + ` ELSE 0 END AS other_credits,
				CASE WHEN movement IN (2, 6) THEN shares ELSE 0 END AS shares,
				CASE WHEN movement IN (2, 6) THEN shares_value ELSE 0 END AS shares_value
			FROM figures)`
	return s.sumColumns(ctx, titleCells(), with, "COUNT(*)", "titles", args)
}

// slipIsPaid is a condition on a merged slip m.
const slipIsPaid = "m.paid_on IS NOT NULL AND m.paid_value IS NOT NULL"

// slipIsRegistered is 1 for a merged slip m with the codes k that a bank registered, 0 for another: what was paid or cancelled was.
func slipIsRegistered() string {
	return `CASE
					WHEN ` + slipIsPaid + ` OR m.cancelled_on IS NOT NULL THEN 1
					WHEN k.integration IN (` + numbersOf(ledger.IntegrationRejected, ledger.IntegrationFailed) + `)
						OR k.status = ` + numbersOf(ledger.BillFailed) + ` THEN 0
					WHEN k.status IN (` + numbersOf(ledger.BillIssued, ledger.BillOverdue, ledger.BillPaid) + `) THEN 1
					ELSE 0
				END`
}

// slipCodes is a WITH item, behind mergedSlips, of the two codes of a slip that several lists show: each is that of the view
// seen last which has it. What the credit list was asked with counts as an integration status where no list shows one.
const slipCodes = `,
		codes AS (
			SELECT
				id,
				COALESCE(
					MAX(CASE WHEN place = 1 THEN status END),
					MAX(CASE WHEN place = 2 THEN status END),
					MAX(CASE WHEN place = 3 THEN status END),
					MAX(CASE WHEN place = 4 THEN status END)) AS status,
				COALESCE(
					MAX(CASE WHEN place = 1 AND list <> 'slips.credit' THEN integration END),
					MAX(CASE WHEN place = 2 AND list <> 'slips.credit' THEN integration END),
					MAX(CASE WHEN place = 3 AND list <> 'slips.credit' THEN integration END),
					MAX(CASE WHEN place = 4 AND list <> 'slips.credit' THEN integration END),
					MAX(integration)) AS integration
			FROM ranked
			GROUP BY id)`

// slipTitles sums the titles of slips.
func (s *titleSums) slipTitles(ctx context.Context) (reports.Sums, error) {
	conditions, from, args, err := s.slipRows(`
		JOIN codes AS k ON k.id = m.id`)
	if err != nil {
		return reports.Sums{}, err
	}
	const paid = "m.paid_on IS NOT NULL AND m.paid_value IS NOT NULL"
	with := facts.MergedSlipsSQL(conditions) + slipCodes + `,
		figures AS (
			SELECT
				CASE
					WHEN m.value < 0 OR (` + paid + ` AND m.paid_value < 0) THEN 0
					WHEN ` + paid + ` AND m.paid_on > m.cancelled_on THEN 17
					WHEN ` + paid + ` THEN 6
					WHEN m.cancelled_on IS NOT NULL THEN 9
					WHEN k.integration IN (` + numbersOf(ledger.IntegrationRejected, ledger.IntegrationFailed) + `)
						OR k.status = ` + numbersOf(ledger.BillFailed) + ` THEN 3
					WHEN k.status IN (` + numbersOf(ledger.BillIssued, ledger.BillOverdue, ledger.BillPaid) + `) THEN 2
					ELSE 0
				END AS movement,
				` + roundToCents("m.value") + ` AS face,
				` + roundToCents("COALESCE(m.paid_value, 0)") + ` AS paid,
				` + roundToCents("COALESCE(e.tariff, 0)") + ` AS tariff,
				` + roundToCents("COALESCE(m.penalty_received, 0)") + ` + ` + roundToCents("COALESCE(m.interest_received, 0)") + ` AS charges
			FROM ` + from + `),
		titles AS (
			SELECT
				face,
				CASE WHEN movement IN (6, 17) THEN paid ELSE 0 END AS paid,
				CASE WHEN movement IN (6, 17) THEN ` + ifPositive("paid - tariff") + ` ELSE 0 END AS net,
				CASE WHEN movement IN (6, 17) THEN ` + ifPositive("tariff") + ` ELSE 0 END AS fees,
				CASE WHEN movement IN (6, 17) THEN ` + ifPositive("charges + "+ifPositive("paid - face - charges")) + ` ELSE 0 END AS additions,
				CASE WHEN movement IN (6, 17)
					THEN ` + ifPositive("face + charges - paid") + ` + ` + ifPositive("- (charges + "+ifPositive("paid - face - charges")+")") + `
					ELSE 0
				END AS discounts,
				0 AS other_expenses,
				CASE WHEN movement IN (6, 17) THEN ` + ifPositive("- tariff") + ` + ` + ifPositive("tariff - paid") + ` ELSE 0 END AS other_credits,
				0 AS shares,
				0 AS shares_value
			FROM figures
			WHERE movement <> 0)`
	return s.sumColumns(ctx, titleCells(), with, "COUNT(*)", "titles", args)
}

// numbersOf lists numbers for IN.
func numbersOf(numbers ...int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

// sumStatement adds up the entries of cards and of slips.
func (s *titleSums) sumStatement(ctx context.Context, net bool) (reports.Sums, error) {
	q := *s.q
	q.Basis = "credit"
	of := titleSums{sumQuery{db: s.db, q: &q, unit: s.unit}}
	from, args, err := of.cardRows("")
	if err != nil {
		return reports.Sums{}, err
	}
	out, err := of.sumEntries(ctx, []string{roundToCents("COALESCE(i.received, 0)")}, "", from, args)
	if err != nil {
		return out, err
	}
	conditions, from, args, err := of.slipRows("")
	if err != nil {
		return out, err
	}
	// A tariff is a debit: its amount is below zero.
	paid, tariff := roundToCents("COALESCE(m.paid_value, 0)"), "- "+roundToCents("COALESCE(e.tariff, 0)")
	amounts := []string{paid, tariff}
	if net {
		amounts = []string{paid + " " + tariff}
	}
	slips, err := of.sumEntries(ctx, amounts, facts.MergedSlipsSQL(conditions), from, args)
	out.Rows += slips.Rows
	for id, v := range slips.Columns {
		out.Columns[id] += v
	}
	return out, err
}

// sumEntries counts and adds up signed amounts; what is zero is no entry.
func (s *titleSums) sumEntries(ctx context.Context, amounts []string, with, from string, args []any) (reports.Sums, error) {
	rows, credits, debits := "0", "0", "0"
	for _, a := range amounts {
		rows += " + CASE WHEN " + a + " <> 0 THEN 1 ELSE 0 END"
		credits += " + CASE WHEN " + a + " > 0 THEN " + a + " ELSE 0 END"
		debits += " - CASE WHEN " + a + " < 0 THEN " + a + " ELSE 0 END"
	}
	return s.sumColumns(ctx, []sumColumn{{"credits", credits}, {"debits", debits}}, with, "COALESCE(SUM("+rows+"), 0)", from, args)
}
