package reports

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Sums are the totals of one table of a report as SQL computes them, or, of whole sale days, as a reconcile did from what it had written, without
// the code that reads rows for reports: the first of three proofs; the others are the writer's counters and a reader of what was written.
type Sums struct {
	Rows    int64            // of the table, header not counted
	Columns map[string]int64 // by column id; a column's null cells count as zero
}

// Sums computes a table's totals over the rows that the query chooses: installments, splits, splits-payable, summary,
// fees, claims, slips, slips-summary, or one of the EDI files below. unit says how the service spells rates. Every value is
// summed as it is printed:
//
//   - money of two decimals is rounded to cents per row, half away from zero, and given in ten-thousandths; money of
//     four decimals is exact;
//   - rates are percent, rounded per row to four decimals, half away from zero, and given in millionths;
//   - integers are plain; installment is the key's number, installments is 1 where the service says 0.
//
// A splits cell of an installment is the sum of its splits' values, each rounded to cents. The ordinal of a split is
// its place in the row, from 1; its difference is value − expected_value, both rounded, an absent value as zero, and
// empty without an expected value. splits-payable leaves out cancelled and charged-back rows.
//
// # summary
//
// For a live row let, in cents, n = rd(net), s = rd(net_contract), r = rd(received as sent, none is zero), and p the sum
// of its splits as above. The row counts as received unless the line of its rest (Expectation.Rest) is blocked,
// no_forecast, not_due or overdue.
//
//   - gross is gross_cents; the fees, net_expected (n), net_contract (s) and splits (p) are the printed cells;
//   - counts as received: received += r, short += max(n − r, 0), over += max(r − n, 0); otherwise the bucket
//     (not_due for no_forecast, too) += n − r and received += 0;
//   - overcharge += s − n; difference += (s − n) + the row's short − its over;
//   - counts as received: splits_received += p and, as σ = 0 reads it, net_kept += r − p;
//   - sales counts on each line the distinct sales with a live row on it, SalesOfTheSet each once for the whole query;
//     other_adjustments and what follows from it are those of restatement.
//   - exceptions_error and exceptions_warning count the cases that fire (see FiringCases) on chosen rows, on their splits and
//     on their sales, each once.
//
// Rows of the classes cancelled and chargeback are only in cancelled_installments, cancelled_gross (gross_cents) and
// cancelled_received (r). Rows that no run has evaluated are in no summary. Left out, because it is no sum of cells:
// mdr_effective_pct. Rows counts the lines: date of the basis, brand, product and band.
//
// # fees and claims
//
// Of live rows that a run has evaluated. A fee (mdr, anticipation, transaction, antifraud) of a row is off the contract when
// the row has a contract line and a bracket on the fee's line that names a case. charged is the printed amount; due is
// rd(charged − the bracket), or charged where nothing is off; difference is charged − due, both as printed.
//
//   - claims has a row for each fee that is off.
//   - fees sums every row under mdr, and under another fee those where it is not 0 or off. due, difference, overcharged,
//     undercharged and deviating are of rows with a contract line; difference is overcharged less undercharged. Rows counts the lines: fee, brand, product, band and contract line. Left out,
//     because they are no sums: contract and the practised ones. claims leaves contract and practised out, too.
//
// # slips-summary
//
// By the class of the last expectation. Of the open ones, overdue are those whose adjusted due date is before the
// as-of of the account's last reconcile. difference is rd(V*) − rd(Wp) of the paid, but for those
// with a bracket on late_charges_not_shown, of which charges_to_confirm is rd(Wp) − rd(V);
// short and over are its positive terms and the negative ones without their sign. credit_overdue are the paid without
// a credit date whose rest is on that line, not_credited the others. Left out: float_days, delinquency_pct.
//
// # statement and statement-net
//
// The entries of a statement of what the service settled, by credit date whatever the query's basis: rows, credits and
// debits. An installment is one entry of rd(received), a debit when negative. A slip is one of rd(Wp) and one of its
// tariff, a debit; statement-net has one of their difference instead. What is zero is no entry.
//
// # card-titles, card-titles-net-of-splits and slip-titles
//
// The titles of an EDI file (cobrança retorno) of installments or slips, column by column as their segments T, U and Y-50
// show them, and how many and how large their shares are. card-titles-net-of-splits reads received values as what is left
// after splits. Rows counts the titles: what no column holds, and a slip that is no title yet, is left out. An amount below
// zero is in the opposite column.
//
// # card-difference
//
// Of evaluated rows, difference is N* − R: R is taken from the rows, not from what the rules made of it; what was paid before a
// claw-back is netted against it. Rows is 0.
//
// # month-cards and month-slips
//
// What the report month shows and no other table sums: see MonthCards and MonthSlips.
func (l *SumReader) Sums(ctx context.Context, q Query, table string, unit ledger.Unit) (Sums, error) {
	doing := fmt.Sprintf("sum %s of account %s, %s %s", table, q.Account, q.Basis, q.Period)
	s := sumQuery{db: l.db, q: &q, unit: unit}
	var out Sums
	var err error
	switch table {
	case "installments", "summary", CardDifference:
		var all map[string]Sums
		all, err = (&cardSums{sumQuery: s}).sumCardTables(ctx)
		out = all[table]
	case "splits":
		out, err = s.sumSplits(ctx)
	case "splits-payable":
		out, err = s.sumPayable(ctx)
	case "fees":
		out, err = (&feeSums{s}).sumFees(ctx)
	case "claims":
		out, err = (&feeSums{s}).sumClaims(ctx)
	case "restatement":
		out, err = s.sumRestatement(ctx)
	case "slips":
		out, err = s.sumSlips(ctx)
	case "slips-summary":
		out, err = s.slipsSummary(ctx)
	case "card-titles":
		out, err = (&titleSums{s}).cardTitles(ctx, false)
	case "card-titles-net-of-splits":
		out, err = (&titleSums{s}).cardTitles(ctx, true)
	case "slip-titles":
		out, err = (&titleSums{s}).slipTitles(ctx)
	case MonthCards:
		out, err = s.sumMonthCards(ctx)
	case MonthSlips:
		out, err = s.sumMonthSlips(ctx)
	case "statement":
		out, err = (&titleSums{s}).sumStatement(ctx, false)
	case "statement-net":
		out, err = (&titleSums{s}).sumStatement(ctx, true)
	default:
		err = errors.New("nothing sums this table: it needs a case in Sums of store/reports")
	}
	return out, l.db.WrapError(doing, err)
}

// LeftOut counts the selected rows of the account that have no date for the query's basis, and therefore belong to no
// period. A count is 0 if the basis does not apply to cards or slips.
func (l *SumReader) LeftOut(ctx context.Context, q Query) (cards, slips int64, err error) {
	doing := fmt.Sprintf("count what is left out of account %s, %s", q.Account, q.Basis)
	if date, err := q.cardDate(); err == nil {
		w := &sqldb.Conditions{}
		q.addCurrent(w)
		w.Add(date + " IS NULL")
		if date == forecastDate {
			w.Add(forecastOn("= 0"))
		}
		from := "installment AS i"
		if len(q.Brands)+len(q.Classes) > 0 { // else no row has to be looked up
			q.addFilters(w)
			from += `
			LEFT JOIN expectation AS e ON ` + q.expectationJoin(w)
		}
		err := l.db.Read.QueryRowContext(ctx, `
			SELECT COUNT(*)
			FROM `+from+w.Where(), w.Args...).Scan(&cards)
		if err != nil {
			return 0, 0, l.db.WrapError(doing, err)
		}
	}
	date, err := q.slipDate()
	if err != nil || len(q.Brands) > 0 {
		return cards, 0, nil
	}
	w := &sqldb.Conditions{Args: []any{int64(q.Account)}}
	conditions, join := q.slipConditions(w)
	w.Add(date + " IS NULL")
	sqldb.AddIn(w, "e.class", q.Classes, func(c ledger.Class) any { return string(c) })
	err = l.db.Read.QueryRowContext(ctx, facts.MergedSlipsSQL(conditions)+`
		SELECT COUNT(*)
		FROM merged AS m
		LEFT JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND `+join+w.Where(),
		w.Args...).Scan(&slips)
	return cards, slips, l.db.WrapError(doing, err)
}

// sumQuery is one question for sums.
type sumQuery struct {
	db   *sqldb.DB
	q    *Query
	unit ledger.Unit
}

// sumColumn is a column of a report and the SQL of its printed value.
type sumColumn struct{ id, sql string }

// roundToCents is sqldb.RoundToCents.
func roundToCents(x string) string { return sqldb.RoundToCents(x) }

// roundRate gives a rate as sent in percent with four decimals; of contract rates, which are percent, use percent.
func (s *sumQuery) roundRate(x string) string {
	if s.unit == ledger.Fraction {
		x = "(" + x + ") * 100"
	}
	return roundPercent(x)
}

// roundPercent rounds millionths to four decimals. The step happens to be that of cents, and so does the half.
func roundPercent(x string) string { return sqldb.RoundToCents(x) }

// sumColumns runs one query: SELECT rows, then every cell's sum, from what from says.
func (s *sumQuery) sumColumns(ctx context.Context, cells []sumColumn, with, rows, from string, args []any) (Sums, error) {
	return s.sumAndCountColumns(ctx, nil, cells, with, rows, from, args)
}

// sumAndCountColumns is sumColumns with counts, which are taken as they are and not summed.
func (s *sumQuery) sumAndCountColumns(ctx context.Context, counts, cells []sumColumn, with, rows, from string, args []any) (Sums, error) {
	var b strings.Builder
	b.WriteString(with + `
		SELECT
			` + rows)
	for _, c := range counts {
		b.WriteString(`,
			` + c.sql)
	}
	for _, c := range cells {
		// Postgres sums BIGINT as numeric; the cast makes what does not fit an error on both.
		b.WriteString(`,
			CAST(COALESCE(SUM(` + c.sql + `), 0) AS BIGINT)`)
	}
	b.WriteString(`
		FROM ` + from)
	columns := slices.Concat(counts, cells)
	out := Sums{Columns: make(map[string]int64, len(columns))}
	values := make([]int64, len(columns))
	targets := []any{sqldb.IntoNumber(&out.Rows)}
	for i := range values {
		targets = append(targets, &values[i])
	}
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error { return rows.Scan(targets...) }, b.String(), args...)
	for i, c := range columns {
		out.Columns[c.id] = values[i]
	}
	return out, err
}
