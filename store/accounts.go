package store

import (
	"context"

	"concilia/store/ledger"
)

// Since returns the first day the account is answered for, or ErrNotFound if none was written yet.
func (l *Ledger) Since(ctx context.Context, a ledger.Account) (ledger.Date, error) {
	var d ledger.Date
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT since
		FROM account
		WHERE account = $1`, int64(a)).Scan(scanDate{&d})
	return d, l.fault("read since of account "+a.String(), err)
}

// SetSince writes the first day the account is answered for. It only moves it back: a later day is ignored.
func (l *Ledger) SetSince(ctx context.Context, a ledger.Account, d ledger.Date) error {
	return l.write(ctx, "write since of account "+a.String(), func(t *tx) error {
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
