package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"concilia/store/sqldb"
)

// Waiting says how many notifications the ledger does not have yet, and when the first of them came; zero when none waits.
func (b *Inbox) Waiting(ctx context.Context) (n int64, oldest time.Time, err error) {
	err = b.l.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*),
			MIN(CASE WHEN moved = 0 THEN received_at ELSE last_arrival END)
		FROM inbox
		WHERE moved <> 1`).Scan(&n, sqldb.IntoTime(&oldest))
	return n, oldest, b.l.db.WrapError("count what waits in the inbox", err)
}

// errProbe undoes what Writable wrote.
var errProbe = errors.New("nothing is kept of this")

// CheckWritable checks that the inbox could keep a notification, by rolling back a write for account 0, which nobody has.
func (b *Inbox) CheckWritable(ctx context.Context) error {
	err := b.l.db.Transact(ctx, "write into the inbox", func(t *sqldb.Tx) error {
		var repeats int64
		err := t.QueryRowContext(ctx, inboxInsert, 0, 0, "", "", "", 0, 0, "", "", "", []byte{}, 0).Scan(&repeats)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return errProbe
	})
	if errors.Is(err, errProbe) {
		return nil
	}
	return err
}
