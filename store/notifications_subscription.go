package store

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
)

// RecordSubscription records the address to which the service sends the account's notifications, empty if there is none,
// and whether it is ours, dated by the business clock. The first day on which it was ours is kept: from then on
// notifications can be expected.
func (l *Ledger) RecordSubscription(ctx context.Context, a ledger.Account, url string, matches bool, on ledger.Date) error {
	var since ledger.Date
	if matches {
		since = on
	}
	return l.write(ctx, "record the subscription of account "+a.String(), func(t *tx) error {
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
				checked_on = excluded.checked_on`, int64(a), sqlDate(since), url, sqlBool(matches), sqlDate(on))
		return err
	})
}

// Notified returns since when the account receives notifications: its first one, and what is recorded of its
// subscription. Having neither is no error.
func (l *Ledger) Notified(ctx context.Context, a ledger.Account) (ledger.Notified, error) {
	var n ledger.Notified
	doing := "read since when account " + a.String() + " is notified"
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT moment
		FROM notification
		WHERE account = $1
		ORDER BY sequence
		LIMIT 1`, int64(a)).Scan(&n.First)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, l.fault(doing, err)
	}
	s := &n.Subscription
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			since,
			url,
			matches,
			checked_on
		FROM subscription
		WHERE account = $1`, int64(a)).Scan(scanDate{&s.Since}, &s.URL, scanBool{&s.Matches}, scanDate{&s.CheckedOn})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, l.fault(doing, err)
	}
	return n, nil
}
