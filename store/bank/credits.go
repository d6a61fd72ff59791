package bank

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// PaidAt is the bank account into which a side of an account is paid, as a run concluded it, and the days that its conclusion has:
// empty (From after To) where none is settled, or it had a critical case.
type PaidAt struct {
	Bank string
	Side banking.CreditSide
	Days ledger.Period
}

// PaidInto are the bank accounts into which an account of the service is paid, in order of side.
func (s *CreditReader) PaidInto(ctx context.Context, of ledger.Account, run string) (all []PaidAt, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var p PaidAt
		var verdict ledger.Verdict
		err := rows.Scan(&p.Bank, &p.Side, sqldb.IntoDate(&p.Days.From), sqldb.IntoDate(&p.Days.To), &verdict)
		if verdict == ledger.Incomplete || p.Days.From == 0 || p.Days.To == 0 {
			p.Days = ledger.Period{From: 1}
		}
		all = append(all, p)
		return err
	}, `
		SELECT
			c.bank,
			c.side,
			c.since,
			s.frontier,
			s.verdict
		FROM bank_paid AS c
		JOIN bank_standing AS s
			ON s.account = c.account AND s.bank = c.bank AND s.run <= $2 AND (s.ended_run IS NULL OR s.ended_run > $2)
		WHERE c.of_account = $1 AND `+standing+`
		ORDER BY c.side, c.bank`, int64(of), run)
	return all, s.db.WrapError("read into which bank account account "+of.String()+" is paid", err)
}

// CreditsAsked asks for what came of a side of an account on days of a period, as a run concluded it. Empty Brands and Classes choose all.
type CreditsAsked struct {
	Account ledger.Account // of the service
	Side    banking.CreditSide
	Run     string
	Period  ledger.Period
	Brands  []string
	Classes []ledger.Class
}

// conditions choose rows c of bank_credit.
func (q *CreditsAsked) conditions() *sqldb.Conditions {
	w := &sqldb.Conditions{Args: []any{int64(q.Account), q.Run}}
	w.Add("c.of_account = $1")
	w.Add(standing)
	w.Add("c.side = " + w.AddArg(string(q.Side)))
	w.Add("c.day BETWEEN " + w.AddArg(int64(q.Period.From)) + " AND " + w.AddArg(int64(q.Period.To)))
	sqldb.AddIn(w, "c.brand", q.Brands, func(b string) any { return b })
	sqldb.AddIn(w, "c.class", q.Classes, func(c ledger.Class) any { return string(c) })
	return w
}

// BankCredits calls fn for what came, in order of day, brand, product, band and class.
func (s *CreditReader) BankCredits(ctx context.Context, q CreditsAsked, fn func(*banking.Credit) error) error {
	w, columns := q.conditions(), creditTable.Columns()
	var c banking.Credit
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		columns.Read(&c, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&c)
	}, `
		SELECT `+columns.SelectList("c")+`
		FROM bank_credit AS c`+w.Where()+`
		ORDER BY c.day, c.brand, c.product, c.band, c.class`, w.Args...)
	return s.db.WrapError("read what came to the bank for account "+q.Account.String(), err)
}

// SumBankCredits sums what should have come and what came.
func (s *CreditReader) SumBankCredits(ctx context.Context, q CreditsAsked) (expected, credited ledger.Amount, err error) {
	w := q.conditions()
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error { return rows.Scan(&expected, &credited) }, `
		SELECT
			CAST(COALESCE(SUM(c.expected), 0) AS BIGINT),
			CAST(COALESCE(SUM(c.credited), 0) AS BIGINT)
		FROM bank_credit AS c`+w.Where(), w.Args...)
	return expected, credited, s.db.WrapError("sum what came to the bank for account "+q.Account.String(), err)
}
