package store

import (
	"context"
	"time"

	"concilia/store/ledger"
)

// NotLinked returns the number of the accounts' notifications that are not linked to an installment, and the arrival of
// the oldest; zero if there is none.
func (l *Ledger) NotLinked(ctx context.Context, accounts []ledger.Account) (n int64, oldest time.Time, err error) {
	var w where
	whereIn(&w, "account", accounts, func(a ledger.Account) any { return int64(a) })
	w.add("sale_day IS NULL")
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*),
			MIN(received_at)
		FROM notification`+w.text(), w.args...).Scan(&n, scanTime{&oldest})
	return n, oldest, l.fault("count the notifications not linked", err)
}
