package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Pending returns at most limit of the oldest notifications that the ledger does not have yet, in order of arrival. One
// that arrived again is returned again, with the time of its last arrival: however often it arrived since it was moved,
// that counts as one repeat.
func (b *Inbox) Pending(ctx context.Context, limit int) ([]ledger.Notification, error) {
	var out []ledger.Notification
	err := sqldb.EachRow(ctx, b.l.db.Read, func(rows *sql.Rows) error {
		var n ledger.Notification
		var first, last time.Time
		var moved int64
		err := rows.Scan(&n.Account, &n.MovementID, &n.BodyHash, &n.NSU, &n.Auth, &n.Installment, &n.Moment, &n.Type,
			&n.OldValue, &n.NewValue, &n.Body, sqldb.IntoTime(&first), sqldb.IntoTime(&last), &moved)
		if err != nil {
			return err
		}
		if moved == inboxNew {
			n.ReceivedAt = first
			out = append(out, n)
		}
		if moved == inboxAgain || last.After(first) {
			n.ReceivedAt = last
			out = append(out, n)
		}
		return nil
	}, `
		SELECT
			account,
			movement,
			body_hash,
			nsu,
			auth,
			number,
			moment,
			type,
			old_value,
			new_value,
			body,
			received_at,
			last_arrival,
			moved
		FROM inbox
		WHERE moved <> 1
		ORDER BY arrival
		LIMIT $1`, int64(limit))
	return out, b.l.db.WrapError("read the inbox", err)
}

// MarkMoved reports that the ledger has these notifications, as Pending returned them. Their bodies are deleted, their keys
// stay; what arrived again meanwhile stays pending. It locks the inbox only briefly, so that Keep can go on beside it.
func (b *Inbox) MarkMoved(ctx context.Context, moved []ledger.Notification) error {
	moved = slices.Clone(moved)
	slices.SortFunc(moved, func(x, y ledger.Notification) int {
		return cmp.Or(compareKeys(&x, &y), x.ReceivedAt.Compare(y.ReceivedAt))
	})
	for part := range slices.Chunk(moved, inboxBatch) {
		err := b.l.db.Transact(ctx, "empty the inbox", func(t *sqldb.Tx) error {
			stmt, err := t.PrepareContext(ctx, `
				UPDATE inbox
				SET
					moved = CASE WHEN last_arrival <= $4 THEN 1 ELSE 2 END,
					body = CASE WHEN last_arrival <= $4 THEN $5 ELSE body END
				WHERE account = $1 AND movement = $2 AND body_hash = $3`)
			if err != nil {
				return err
			}
			defer func() { _ = stmt.Close() }() // the commit tells what went wrong
			for _, n := range part {
				_, err := stmt.ExecContext(ctx, int64(n.Account), n.MovementID, n.BodyHash, n.ReceivedAt.UnixMicro(), []byte{})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compareKeys is the order in which rows are written. Two processes that write the same rows lock them in the same
// order, so that neither waits for the other in a circle.
func compareKeys(x, y *ledger.Notification) int {
	return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.MovementID, y.MovementID), cmp.Compare(x.BodyHash, y.BodyHash))
}
