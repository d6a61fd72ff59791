package bank

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// Matches calls fn for what was matched with lines of the bank accounts of a home, as a run concluded it: in order of bank account, day
// and name. A bank account with a critical case has its matches too: what came to it is there.
func (s *ConclusionStore) Matches(ctx context.Context, home ledger.Account, run string, fn func(*banking.Deposit) error) error {
	d := banking.Deposit{Account: home}
	columns := depositTable.Columns()
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		d.Bank = f.NextText()
		columns.Read(&d, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&d)
	}, `
		SELECT
			c.bank,`+columns.SelectList("c")+`
		FROM bank_deposit AS c
		WHERE c.account = $1 AND `+standing+` AND c.matched_as <> '' AND c.credited IS NOT NULL
		ORDER BY c.bank, c.day, c.name`, int64(home), run)
	return s.db.WrapError("read the matches of account "+home.String(), err)
}
