package reportsums

import (
	"context"
	"errors"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// Reader sums in SQL what reports show. It is safe for use by many goroutines.
type Reader struct {
	db      *sqldb.DB
	results *results.Store
}

// New sums in db, over its results.
func New(db *sqldb.DB, c *results.Store) *Reader { return &Reader{db: db, results: c} }

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
func (l *Reader) Sums(ctx context.Context, q reports.Query, table string, unit ledger.Unit) (reports.Sums, error) {
	doing := fmt.Sprintf("sum %s of account %s, %s %s", table, q.Account, q.Basis, q.Period)
	s := sumQuery{db: l.db, q: &q, unit: unit}
	var out reports.Sums
	var err error
	switch table {
	case "installments", "summary", CardDifference:
		var all map[string]reports.Sums
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
		err = errors.New("nothing sums this table: it needs a case in Sums of store/reportsums")
	}
	return out, l.db.WrapError(doing, err)
}

// asOfBasis is the basis of a state: it chooses all rows.
const asOfBasis = "asof"

// sumQuery is one question for sums.
type sumQuery struct {
	db   *sqldb.DB
	q    *reports.Query
	unit ledger.Unit
}

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

// sumColumn is a column of a report and the SQL of its printed value.
type sumColumn = reports.SumColumn

// sumColumns is reports.SumColumns in the database of the question.
func (s *sumQuery) sumColumns(ctx context.Context, cells []sumColumn, with, rows, from string, args []any) (reports.Sums, error) {
	return reports.SumColumns(ctx, s.db, cells, with, rows, from, args)
}
