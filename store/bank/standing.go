package bank

import (
	"context"

	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// StandingDeposit is a deposit as the last run concluded it, with its groups, lines and debits in order of their kind and subject.
type StandingDeposit struct {
	banking.Deposit
	Parts []banking.DepositPart
}

// StandingDeposits returns the deposits of a bank account as the last run concluded them, in order of name: also where it had a critical
// case.
func (s *BasisReader) StandingDeposits(ctx context.Context, a Account) (all []StandingDeposit, err error) {
	parts := map[string][]banking.DepositPart{}
	partColumns := partTable.Columns()
	err = sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		var p banking.DepositPart
		partColumns.Read(&p, f)
		parts[p.Deposit] = append(parts[p.Deposit], p)
		return f.Err()
	}, `
		SELECT `+partColumns.SelectList("c")+`
		FROM bank_deposit_part AS c
		WHERE c.account = $1 AND c.bank = $2 AND c.ended_run IS NULL
		ORDER BY c.kind, c.part`, int64(a.Home), a.ID)
	if err != nil {
		return nil, s.db.WrapError("read the sides of the deposits of bank account "+a.ID, err)
	}
	columns := depositTable.Columns()
	err = sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		d := StandingDeposit{Deposit: banking.Deposit{Account: a.Home, Bank: a.ID}}
		columns.Read(&d.Deposit, f)
		d.Parts = parts[d.Name]
		all = append(all, d)
		return f.Err()
	}, `
		SELECT `+columns.SelectList("c")+`
		FROM bank_deposit AS c
		WHERE c.account = $1 AND c.bank = $2 AND c.ended_run IS NULL
		ORDER BY c.name`, int64(a.Home), a.ID)
	return all, s.db.WrapError("read the deposits of bank account "+a.ID, err)
}
