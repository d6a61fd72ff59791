package runs

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// FirstDay returns the first day the account is answered for, or ErrNotFound if none was written yet.
func (l *Store) FirstDay(ctx context.Context, a ledger.Account) (ledger.Date, error) {
	var d ledger.Date
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT since
		FROM account
		WHERE account = $1`, int64(a)).Scan(sqldb.IntoDate(&d))
	return d, l.db.WrapError("read since of account "+a.String(), err)
}

// SetFirstDay writes the first day the account is answered for. It only moves it back: a later day is ignored.
func (l *Store) SetFirstDay(ctx context.Context, a ledger.Account, d ledger.Date) error {
	return l.db.Transact(ctx, "write since of account "+a.String(), func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO account (
				account,
				since)
			VALUES ($1, $2)
			ON CONFLICT (account) DO UPDATE
			SET since = excluded.since
			WHERE excluded.since < account.since`, int64(a), int64(d))
		return err
	})
}
