package reports

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// RowBalance is the balance of a role and a brand by the rows.
type RowBalance struct {
	Role   ledger.Role
	Brand  string
	Amount ledger.Amount
}

// JournalBalances are the balances of assets and liabilities by the rows of an account as of a run, whatever entries were made: what the
// journal has to have by a method once it has all of them.
func (l *SumReader) JournalBalances(ctx context.Context, a ledger.Account, source ledger.EventSource, run string, m ledger.Method, netOfSplits bool) (out []RowBalance, err error) {
	query, args := l.cardBalances(m, netOfSplits), []any{int64(a), run}
	roles := []ledger.Role{ledger.RoleReceivable, ledger.RoleService, ledger.RoleClaims, ledger.RoleExcess, ledger.RoleSplitPayable}
	if source == ledger.SlipEvents {
		w := &sqldb.Conditions{Args: []any{int64(a)}} // $1 of mergedSlips
		q := Query{Account: a, AsOfRun: run}
		conditions, join := q.slipConditions(w)
		query, args = slipBalances(conditions, join, m), w.Args
		roles = []ledger.Role{ledger.RoleService, ledger.RoleExcess, ledger.RoleSlipReceivable, ledger.RoleSlipTransit}
	}
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var brand string
		amounts := make([]ledger.Amount, len(roles))
		into := []any{&brand}
		for i := range amounts {
			into = append(into, &amounts[i])
		}
		err := rows.Scan(into...)
		for i, r := range roles {
			if amounts[i] != 0 {
				out = append(out, RowBalance{r, brand, amounts[i]})
			}
		}
		return err
	}, query, args...)
	return out, l.db.WrapError("sum what the journal of account "+a.String()+" has to have", err)
}

// sumBalances adds up amounts that a subquery has for each row, by brand.
func sumBalances(columns ...string) string {
	out := `
		SELECT
			brand`
	for _, c := range columns {
		out += `,
			CAST(COALESCE(SUM(` + c + `), 0) AS BIGINT)`
	}
	return out
}

func (l *SumReader) cardBalances(m ledger.Method, netOfSplits bool) string {
	settled := "e.class NOT IN ('cancelled', 'chargeback') AND i.effective IS NOT NULL AND " + centsOf("i.received") + " > 0"
	receivable := "CASE WHEN settled = 0 AND live = 1 THEN net ELSE 0 END"
	if m == ledger.Cash {
		receivable = "0"
	}
	cost, payable := "0", "CASE WHEN settled = 1 THEN 0 - splits ELSE 0 END"
	if netOfSplits {
		cost, payable = "splits", "0"
	}
	claim := "net - anticipation - " + cost + " - received"
	return sumBalances(receivable, "received",
		"CASE WHEN settled = 1 AND "+claim+" > 0 THEN "+claim+" WHEN settled = 0 AND received < 0 THEN 0 - received ELSE 0 END",
		"CASE WHEN settled = 1 AND "+claim+" < 0 THEN "+claim+" WHEN settled = 0 AND received > 0 THEN 0 - received ELSE 0 END",
		payable) + `
		FROM (
			SELECT
				e.brand,
				CASE WHEN e.class IN ('cancelled', 'chargeback') THEN 0 ELSE 1 END AS live,
				CASE WHEN ` + settled + ` THEN 1 ELSE 0 END AS settled,
				CASE WHEN i.effective IS NOT NULL THEN ` + centsOf("i.received") + ` ELSE 0 END AS received,
				e.gross_cents * 100 - ` + centsOf("i.mdr") + ` - ` + centsOf("i.fee") + ` - ` + centsOf("i.antifraud") + ` AS net,
				` + centsOf("i.anticipation") + ` AS anticipation,
				` + l.sharesInCents() + ` AS splits
			FROM installment AS i
			JOIN expectation AS e ON ` + facts.ExpectationJoin + ` AND ` + results.ExpectationCurrentAsOf("$2") + `
			WHERE i.account = $1 AND ` + facts.VersionCurrentAsOf("i", "$1", "$2") + `) AS states
		GROUP BY brand
		ORDER BY brand`
}

// sharesInCents is the sum of an installment's shares in cents. Most rows have none, and nothing is unnested for them.
func (l *SumReader) sharesInCents() string {
	d := l.db.Dialect
	return "CASE WHEN i.splits IS NULL THEN 0 ELSE COALESCE((SELECT SUM(" + centsOf(d.IntMember("x", "value")) + ") FROM " + d.UnnestJSON("i.splits", "x") + "), 0) END"
}

func slipBalances(conditions facts.SlipConditions, join string, m ledger.Method) string {
	const paid = "m.paid_on IS NOT NULL AND m.paid_value IS NOT NULL"
	receivable, transit := "CASE WHEN entered = 1 AND live = 1 AND paid = 0 THEN g ELSE 0 END", "CASE WHEN paid = 1 AND credited = 0 THEN p ELSE 0 END"
	if m == ledger.Cash {
		receivable, transit = "0", "CASE WHEN owing = 1 AND credited = 0 THEN p ELSE 0 END"
	}
	return facts.MergedSlipsSQL(conditions) + slipCodes + `,
		states AS (
			SELECT
				'' AS brand,
				` + roundToCents("m.value") + ` AS g,
				` + centsOf("m.paid_value") + ` AS p,
				` + centsOf("e.tariff") + ` AS tariff,
				CASE
					WHEN ` + paid + ` OR m.cancelled_on IS NOT NULL THEN 1
					WHEN k.integration IN (` + numbersOf(ledger.IntegrationRejected, ledger.IntegrationFailed) + `)
						OR k.status = ` + numbersOf(ledger.BillFailed) + ` THEN 0
					WHEN k.status IN (` + numbersOf(ledger.BillIssued, ledger.BillOverdue, ledger.BillPaid) + `) THEN 1
					ELSE 0
				END AS entered,
				CASE WHEN e.class IN ('cancelled', 'failed') THEN 0 ELSE 1 END AS live,
				CASE WHEN ` + paid + ` AND e.class <> 'failed' THEN 1 ELSE 0 END AS paid,
				CASE WHEN ` + paid + ` AND e.class = 'cancelled' THEN 1 ELSE 0 END AS owing,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE 1 END AS credited
			FROM merged AS m
			JOIN codes AS k ON k.id = m.id
			JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + join + `)` +
		sumBalances("CASE WHEN paid = 1 AND credited = 1 THEN p - tariff ELSE 0 END", "CASE WHEN owing = 1 THEN 0 - p ELSE 0 END", receivable, transit) + `
		FROM states
		GROUP BY brand`
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

// SetApart adds up what reports and the journal read otherwise, as of a run.
func (l *SumReader) SetApart(ctx context.Context, a ledger.Account, run string, p ledger.Period, netOfSplits bool) (out Apart, err error) {
	cost := "0"
	if netOfSplits {
		cost = "splits"
	}
	const credited, settled = "live = 1 AND effective BETWEEN $3 AND $4", "effective > 0 AND r > 0"
	sum := func(condition, amount string) string {
		return "CAST(COALESCE(SUM(CASE WHEN " + condition + " THEN " + amount + " ELSE 0 END), 0) AS BIGINT)"
	}
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			`+sum(credited, "counted * r - CASE WHEN "+settled+" THEN r ELSE 0 END")+`,
			`+sum(credited+" AND NOT ("+settled+")", "anticipation")+`,
			`+sum(credited+" AND NOT ("+settled+")", "splits")+`,
			`+sum("live = 1", "counted * (n - r) - CASE WHEN "+settled+" THEN n - r WHEN effective > 0 THEN 0 - r ELSE 0 END")+`,
			`+sum("live = 0 AND effective = 0", "r")+`,
			`+sum("live = 1 AND "+settled, "n - (parts - "+cost+")")+`
		FROM (
			SELECT
				CASE WHEN e.class IN ('cancelled', 'chargeback') THEN 0 ELSE 1 END AS live,
				CASE WHEN e.rest IN ('blocked', 'overdue', 'not_due', 'no_forecast') THEN 0 ELSE 1 END AS counted,
				COALESCE(i.effective, 0) AS effective,
				`+centsOf("i.received")+` AS r,
				`+roundToCents("e.net")+` AS n,
				`+centsOf("i.anticipation")+` AS anticipation,
				`+l.sharesInCents()+` AS splits,
				e.gross_cents * 100 - `+centsOf("i.mdr")+` - `+centsOf("i.fee")+` - `+centsOf("i.antifraud")+` - `+centsOf("i.anticipation")+` AS parts
			FROM installment AS i
			JOIN expectation AS e ON `+facts.ExpectationJoin+` AND `+results.ExpectationCurrentAsOf("$2")+`
			WHERE i.account = $1 AND `+facts.VersionCurrentAsOf("i", "$1", "$2")+`) AS states`,
		int64(a), run, int64(p.From), int64(p.To)).Scan(&out.Received, &out.Anticipation, &out.Splits, &out.Claims, &out.Undated, &out.Rounding)
	return out, l.db.WrapError("sum what reports and the journal of account "+a.String()+" read otherwise", err)
}

// ReversedRows are the installments that are cancelled or charged back, as of a run.
func (l *SumReader) ReversedRows(ctx context.Context, a ledger.Account, run string) (subjects []string, err error) {
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
