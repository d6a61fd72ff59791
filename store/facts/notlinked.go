package facts

import (
	"context"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// UnlinkedCount returns the number of the accounts' notifications that are not linked to an installment, and the arrival of
// the oldest; zero if there is none.
func (l *Store) UnlinkedCount(ctx context.Context, accounts []ledger.Account) (n int64, oldest time.Time, err error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "account", accounts, func(a ledger.Account) any { return int64(a) })
	w.Add("sale_day IS NULL")
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*),
			MIN(received_at)
		FROM notification`+w.Where(), w.Args...).Scan(&n, sqldb.IntoTime(&oldest))
	return n, oldest, l.db.WrapError("count the notifications not linked", err)
}
