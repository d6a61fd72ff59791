package facts

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RecordSubscription records the address to which the service sends the account's notifications, empty if there is none,
// and whether it is ours, dated by the business clock. The first day on which it was ours is kept: from then on
// notifications can be expected.
func (l *Store) RecordSubscription(ctx context.Context, a ledger.Account, url string, matches bool, on ledger.Date) error {
	var since ledger.Date
	if matches {
		since = on
	}
	return l.db.Transact(ctx, "record the subscription of account "+a.String(), func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO subscription (
				account,
				since,
				url,
				matches,
				checked_on)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (account) DO UPDATE
			SET
				since = COALESCE(subscription.since, excluded.since),
				url = excluded.url,
				matches = excluded.matches,
				checked_on = excluded.checked_on`, int64(a), sqldb.DateArg(since), url, sqldb.BoolArg(matches), sqldb.DateArg(on))
		return err
	})
}

// NotificationStart returns since when the account receives notifications: its first one, and what is recorded of its
// subscription. Having neither is no error.
func (l *Store) NotificationStart(ctx context.Context, a ledger.Account) (ledger.NotificationStart, error) {
	var n ledger.NotificationStart
	doing := "read since when account " + a.String() + " is notified"
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT moment
		FROM notification
		WHERE account = $1
		ORDER BY sequence
		LIMIT 1`, int64(a)).Scan(&n.First)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, l.db.WrapError(doing, err)
	}
	s := &n.Subscription
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			since,
			url,
			matches,
			checked_on
		FROM subscription
		WHERE account = $1`, int64(a)).Scan(sqldb.IntoDate(&s.Since), &s.URL, sqldb.IntoBool(&s.Matches), sqldb.IntoDate(&s.CheckedOn))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, l.db.WrapError(doing, err)
	}
	return n, nil
}
