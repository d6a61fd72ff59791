package runs

import (
	"context"
	"database/sql"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// AccountLease is a current lease of an account.
type AccountLease struct {
	Account ledger.Account
	Run     string
	Since   time.Time
	Until   time.Time // unless it is renewed before
	Host    string
	Process int // on Host
}

// AccountLeases returns the current leases by account, without those that were released or have expired, or whose process on
// this host is gone.
func (l *Store) AccountLeases(ctx context.Context) ([]AccountLease, error) {
	var out []AccountLease
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var a ledger.Account
		var h leaseRow
		err := rows.Scan(&a, &h.run, sqldb.IntoTime(&h.since), sqldb.IntoTime(&h.until), &h.host, &h.process)
		if l.db.Now().Before(h.until) && !h.hasProcessEnded() {
			out = append(out, AccountLease{Account: a, Run: h.run, Since: h.since, Until: h.until, Host: h.host, Process: h.process})
		}
		return err
	}, `
		SELECT
			account,
			run,
			since,
			until,
			host,
			process
		FROM lease
		ORDER BY account`)
	return out, l.db.WrapError("read who holds the accounts", err)
}
