package reportsums

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// RowBalance is the balance of a role and a brand by the rows.
type RowBalance struct {
	Role   bookkeeping.Role
	Brand  string
	Amount ledger.Amount
}

// Apart is what reports have in excess of the journal of an account's live installments: a report counts a row by its line of the bridge
// or its credit date, the journal those that have money and a day.
type Apart struct {
	// Received, Anticipation and Splits are of rows that were credited in a period.
	Received, Anticipation, Splits ledger.Amount
	// Claims are what all rows are short by, Rounding what the parts of settled rows come to less in cents than their sum, and Undated
	// what cancelled rows have received without a day.
	Claims, Undated, Rounding ledger.Amount
}

// CardJournal adds up an account's installments as of a run, whatever entries were made: the balances of assets and liabilities that the journal
// has to have by a method once it has all of them, and what reports of a period and the journal read otherwise.
func (l *Reader) CardJournal(
	ctx context.Context, a ledger.Account, run string, m bookkeeping.Method, p ledger.Period, netOfSplits bool,
) (balances []RowBalance, apart Apart, err error) {
	roles := []bookkeeping.Role{bookkeeping.RoleReceivable, bookkeeping.RoleService, bookkeeping.RoleClaims, bookkeeping.RoleExcess, bookkeeping.RoleSplitPayable}
	amounts := make([]ledger.Amount, len(roles))
	var of Apart
	var brand string
	into := []any{&brand}
	for i := range amounts {
		into = append(into, &amounts[i])
	}
	into = append(into, &of.Received, &of.Anticipation, &of.Splits, &of.Claims, &of.Undated, &of.Rounding)
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		err := rows.Scan(into...)
		balances = appendBalances(balances, brand, roles, amounts)
		apart.Received += of.Received
		apart.Anticipation += of.Anticipation
		apart.Splits += of.Splits
		apart.Claims += of.Claims
		apart.Undated += of.Undated
		apart.Rounding += of.Rounding
		return err
	}, l.cardJournalSQL(m, netOfSplits), int64(a), run, int64(p.From), int64(p.To))
	return balances, apart, l.db.WrapError("sum what the journal of account "+a.String()+" has to have", err)
}

// SlipJournal adds up an account's slips as of a run, as CardJournal does installments. owing is what payers paid for cancelled ones, and is not
// credited.
func (l *Reader) SlipJournal(ctx context.Context, a ledger.Account, run string, m bookkeeping.Method) (balances []RowBalance, owing ledger.Amount, err error) {
	roles := []bookkeeping.Role{bookkeeping.RoleService, bookkeeping.RoleExcess, bookkeeping.RoleSlipReceivable, bookkeeping.RoleSlipTransit}
	amounts := make([]ledger.Amount, len(roles))
	w := &sqldb.Conditions{Args: []any{int64(a)}} // $1 of MergedSlipsSQL
	q := reports.Query{Account: a, AsOfRun: run}
	conditions, join := q.SlipConditions(w)
	err = l.db.Read.QueryRowContext(ctx, slipJournalSQL(conditions, join, m), w.Args...).Scan(&amounts[0], &amounts[1], &amounts[2], &amounts[3], &owing)
	return appendBalances(nil, "", roles, amounts), owing, l.db.WrapError("sum what the journal of slips of account "+a.String()+" has to have", err)
}

// appendBalances appends the amounts of roles that are not zero.
func appendBalances(out []RowBalance, brand string, roles []bookkeeping.Role, amounts []ledger.Amount) []RowBalance {
	for i, r := range roles {
		if amounts[i] != 0 {
			out = append(out, RowBalance{r, brand, amounts[i]})
		}
	}
	return out
}

// sumAmounts adds up amounts that a subquery has for each row.
func sumAmounts(amounts ...string) string {
	out := ""
	for i, a := range amounts {
		if i > 0 {
			out += ","
		}
		out += `
			CAST(COALESCE(SUM(` + a + `), 0) AS BIGINT)`
	}
	return out
}

// cardJournalSQL reads each installment once, and computes each of its amounts once: r what was received, n what is expected of it, net what its
// fees leave.
func (l *Reader) cardJournalSQL(m bookkeeping.Method, netOfSplits bool) string {
	when := func(condition, amount string) string {
		return "CASE WHEN " + condition + " THEN " + amount + " ELSE 0 END"
	}
	const paid, credited = "effective > 0 AND r > 0", "live = 1 AND effective BETWEEN $3 AND $4"
	const settled, unsettled = "live = 1 AND " + paid, "NOT (live = 1 AND " + paid + ")"
	receivable, cost, payable := when("live = 1 AND NOT ("+paid+")", "net"), "0", when(settled, "0 - splits")
	if m == bookkeeping.Cash {
		receivable = "0"
	}
	if netOfSplits {
		cost, payable = "splits", "0"
	}
	claim := "net - anticipation - " + cost + " - r"
	return `
		SELECT
			brand,` + sumAmounts(
		receivable,
		when("effective > 0", "r"),
		"CASE WHEN "+settled+" AND "+claim+" > 0 THEN "+claim+" WHEN "+unsettled+" AND effective > 0 AND r < 0 THEN 0 - r ELSE 0 END",
		"CASE WHEN "+settled+" AND "+claim+" < 0 THEN "+claim+" WHEN "+unsettled+" AND effective > 0 AND r > 0 THEN 0 - r ELSE 0 END",
		payable,
		when(credited, "counted * r - "+when(paid, "r")),
		when(credited+" AND NOT ("+paid+")", "anticipation"),
		when(credited+" AND NOT ("+paid+")", "splits"),
		when("live = 1", "counted * (n - r) - CASE WHEN "+paid+" THEN n - r WHEN effective > 0 THEN 0 - r ELSE 0 END"),
		when("live = 0 AND effective = 0", "r"),
		when(settled, "n - (net - anticipation - "+cost+")"),
	) + `
		FROM (
			SELECT
				e.brand,
				CASE WHEN e.class IN ('cancelled', 'chargeback') THEN 0 ELSE 1 END AS live,
				CASE WHEN e.rest IN ('blocked', 'overdue', 'not_due', 'no_forecast') THEN 0 ELSE 1 END AS counted,
				COALESCE(i.effective, 0) AS effective,
				` + sqldb.CentsOf("i.received") + ` AS r,
				` + roundToCents("e.net") + ` AS n,
				e.gross_cents * 100 - ` + sqldb.CentsOf("i.mdr") + ` - ` + sqldb.CentsOf("i.fee") + ` - ` + sqldb.CentsOf("i.antifraud") + ` AS net,
				` + sqldb.CentsOf("i.anticipation") + ` AS anticipation,
				` + l.sharesInCents() + ` AS splits
			FROM installment AS i
			JOIN expectation AS e ON ` + facts.ExpectationJoin + ` AND ` + results.ExpectationCurrentAsOf("$2") + `
			WHERE i.account = $1 AND ` + facts.VersionCurrentAsOf("i", "$1", "$2") + l.db.Dialect.OptimizationFence() + `) AS states
		GROUP BY brand
		ORDER BY brand`
}

// sharesInCents is the sum of an installment's shares in cents. Most rows have none, and nothing is unnested for them.
func (l *Reader) sharesInCents() string {
	d := l.db.Dialect
	return "CASE WHEN i.splits IS NULL THEN 0 ELSE COALESCE((SELECT SUM(" + sqldb.CentsOf(d.IntMember("x", "value")) + ") FROM " + d.UnnestJSON("i.splits", "x") + "), 0) END"
}

func slipJournalSQL(conditions facts.SlipConditions, join string, m bookkeeping.Method) string {
	const paid = slipIsPaid
	receivable, transit := "CASE WHEN entered = 1 AND live = 1 AND paid = 0 THEN g ELSE 0 END", "CASE WHEN paid = 1 AND credited = 0 THEN p ELSE 0 END"
	const owing = "CASE WHEN owing = 1 AND credited = 0 THEN p ELSE 0 END"
	if m == bookkeeping.Cash {
		receivable, transit = "0", owing
	}
	return facts.MergedSlipsSQL(conditions) + slipCodes + `,
		states AS (
			SELECT
				` + roundToCents("m.value") + ` AS g,
				` + sqldb.CentsOf("m.paid_value") + ` AS p,
				` + sqldb.CentsOf("e.tariff") + ` AS tariff,
				` + slipIsRegistered() + ` AS entered,
				CASE WHEN e.class IN ('cancelled', 'failed') THEN 0 ELSE 1 END AS live,
				CASE WHEN ` + paid + ` AND e.class <> 'failed' THEN 1 ELSE 0 END AS paid,
				CASE WHEN ` + paid + ` AND e.class = 'cancelled' THEN 1 ELSE 0 END AS owing,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE 1 END AS credited
			FROM merged AS m
			JOIN codes AS k ON k.id = m.id
			JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + join + `)
		SELECT` + sumAmounts("CASE WHEN paid = 1 AND credited = 1 THEN p - tariff ELSE 0 END", "CASE WHEN owing = 1 THEN 0 - p ELSE 0 END", receivable, transit, owing) + `
		FROM states`
}

// ReversedRows are the installments that are cancelled or charged back, as of a run.
func (l *Reader) ReversedRows(ctx context.Context, a ledger.Account, run string) (subjects []string, err error) {
	err = sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		k := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: a, Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText()}}
		k.Number, k.Occurrence = int(f.NextInt()), int(f.NextInt())
		subjects = append(subjects, k.Subject())
		return f.Err()
	}, `
		SELECT
			i.sale_day,
			i.nsu,
			i.auth,
			i.number,
			i.occurrence
		FROM installment AS i
		JOIN expectation AS e ON `+facts.ExpectationJoin+` AND `+results.ExpectationCurrentAsOf("$2")+`
		WHERE i.account = $1 AND e.class IN ('cancelled', 'chargeback') AND `+facts.VersionCurrentAsOf("i", "$1", "$2"), int64(a), run)
	return subjects, l.db.WrapError("read the cancelled rows of account "+a.String(), err)
}
