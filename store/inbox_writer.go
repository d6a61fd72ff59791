package store

import (
	"context"
	"slices"
	"time"

	"concilia/store/sqldb"
)

const (
	// inboxBatch bounds what one commit takes, and with it how long the first of them waits for the last.
	inboxBatch = 256
	// inboxLinger is how long a commit waits for company. Senders that are answered together come back together, so
	// a moment is enough; a lone one barely notices.
	inboxLinger = time.Millisecond
	// inboxTimeout bounds one commit. The service gives up after 30 s (interface document, Events), so that an answer
	// later than this comes after the last caller has gone.
	inboxTimeout = 15 * time.Second
)

// inboxVersion is the version of the file's schema, its user_version.
const inboxVersion = 1

// What the ledger has of a row of the inbox.
const (
	inboxNew   = 0 // nothing
	inboxMoved = 1 // everything
	inboxAgain = 2 // the notification, but not that it came again
)

// inboxSchema is the table of the file on SQLite; on Postgres the migrations have its twin. arrival is the order of
// arrival, last_arrival when it came last, moved one of the constants above, repeats the times it came again. The body
// of a moved row is empty.
const inboxSchema = `
	CREATE TABLE inbox (
	  arrival      INTEGER PRIMARY KEY,
	  account      INTEGER NOT NULL,
	  movement     INTEGER NOT NULL,
	  body_hash    TEXT    NOT NULL,
	  nsu          TEXT    NOT NULL,
	  auth         TEXT    NOT NULL,
	  number       INTEGER NOT NULL,
	  moment       INTEGER NOT NULL,
	  type         TEXT    NOT NULL,
	  old_value    TEXT    NOT NULL,
	  new_value    TEXT    NOT NULL,
	  body         BLOB    NOT NULL,
	  received_at  INTEGER NOT NULL,
	  last_arrival INTEGER NOT NULL,
	  moved        INTEGER NOT NULL,
	  repeats      INTEGER NOT NULL,
	  UNIQUE (account, movement, body_hash)
	) STRICT;
	CREATE INDEX inbox_pending ON inbox (arrival) WHERE moved <> 1;
	PRAGMA user_version = 1;`

const inboxInsert = `
	INSERT INTO inbox (
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
		moved,
		repeats)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, 0, 0)
	ON CONFLICT (account, movement, body_hash) DO UPDATE
	SET
		repeats = inbox.repeats + 1,
		last_arrival = excluded.last_arrival,
		body = excluded.body,
		moved = CASE WHEN inbox.moved = 0 THEN 0 ELSE 2 END
	RETURNING repeats`

// writeBatches commits what is handed in, many at a time, until the inbox is closed.
func (b *Inbox) writeBatches() {
	defer close(b.done)
	for first := range b.queue {
		batch := b.gatherBatch(first)
		outcomes := make([]keepResult, len(batch))
		err := b.commitBatch(batch, outcomes)
		if err != nil && len(batch) > 1 && b.l.db.Dialect.ClassifyError(err) == sqldb.OtherError {
			// Something is wrong with one of them: the others must not suffer for it.
			for i := range batch {
				outcomes[i].err = b.commitBatch(batch[i:i+1], outcomes[i:i+1])
			}
			err = nil
		}
		for i, letter := range batch {
			if err != nil {
				outcomes[i] = keepResult{err: err}
			}
			if outcomes[i].err != nil {
				outcomes[i].err = b.l.db.WrapError("keep a notification", outcomes[i].err)
			}
			letter.kept <- outcomes[i]
		}
	}
}

// gatherBatch waits a moment for what comes after first.
func (b *Inbox) gatherBatch(first *pendingNotification) []*pendingNotification {
	batch := append(make([]*pendingNotification, 0, inboxBatch), first)
	linger := time.NewTimer(inboxLinger)
	defer linger.Stop()
	for len(batch) < inboxBatch {
		select {
		case next, ok := <-b.queue:
			if !ok {
				return batch
			}
			batch = append(batch, next)
		case <-linger.C:
			return batch
		}
	}
	return batch
}

// commitBatch keeps a batch in one transaction and fills in what each was.
func (b *Inbox) commitBatch(batch []*pendingNotification, outcomes []keepResult) error {
	ctx, cancel := context.WithTimeout(context.Background(), inboxTimeout)
	defer cancel()
	order := make([]int, len(batch))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compareKeys(batch[i].n, batch[j].n) })
	t, err := b.l.db.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback()
	insert := t.StmtContext(ctx, b.insert)
	defer func() { _ = insert.Close() }() // the commit returns the error
	for _, i := range order {
		n := batch[i].n
		var repeats int64
		err := insert.QueryRowContext(ctx, int64(n.Account), n.MovementID, n.BodyHash, n.NSU, n.Auth, int64(n.Installment),
			int64(n.Moment), n.Type, n.OldValue, n.NewValue, n.Body, n.ReceivedAt.UnixMicro()).Scan(&repeats)
		if err != nil {
			return err
		}
		outcomes[i] = keepResult{repeat: repeats > 0}
	}
	return t.Commit()
}
