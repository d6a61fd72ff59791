package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ErrInboxClosed means that the inbox was closed, ErrInboxFull that an account has as many notifications waiting as may.
var (
	ErrInboxClosed error = words.NewFault("ledger_fault.inbox_closed", "")
	ErrInboxFull   error = words.NewFault("ledger_fault.inbox_full", "")
)

// Inbox keeps notifications until the ledger takes them over. It never waits for the ledger: on SQLite it is a separate
// file next to the ledger, on Postgres a table that no run locks. It is safe for concurrent use by goroutines and
// processes: one may keep while another moves.
//
// A notification that was moved leaves its key behind, so that repeats of it are recognised for ever.
type Inbox struct {
	l      *Ledger
	insert *sql.Stmt
	queue  chan *pendingNotification
	done   chan struct{} // closed when the writer has ended

	mu     sync.RWMutex // guards closed and, while it is held for reading, sends to queue
	closed bool

	room inboxRoom
}

// pendingNotification is a notification on its way to the writer, and its way back.
type pendingNotification struct {
	n    *ledger.Notification
	kept chan keepResult // has room for one result, so that the writer does not wait
}

type keepResult struct {
	repeat bool
	err    error
}

// OpenInbox opens the inbox of the ledger at dsn. On SQLite that is the file NAME-inbox.db next to the ledger NAME.db,
// made when it is not there; the ledger's own file is not touched. On Postgres the inbox is one of the ledger's
// tables, so it brings these to the version of the program.
func OpenInbox(ctx context.Context, dsn string) (*Inbox, error) {
	var l *Ledger
	var err error
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		l, err = openInboxFile(ctx, path)
	} else {
		l, err = openInboxTable(ctx, dsn)
	}
	if err != nil {
		return nil, err
	}
	b := &Inbox{l: l, queue: make(chan *pendingNotification, inboxBatch), done: make(chan struct{})}
	if b.insert, err = l.db.Write.PrepareContext(ctx, inboxInsert); err != nil {
		return nil, errors.Join(l.db.WrapError("open the inbox", err), l.Close())
	}
	go b.writeBatches()
	return b, nil
}

// InboxPath is the file of the inbox of the SQLite ledger at path.
func InboxPath(path string) string {
	if path == "" {
		return ""
	}
	return strings.TrimSuffix(path, ".db") + "-inbox.db"
}

func openInboxFile(ctx context.Context, path string) (*Ledger, error) {
	db, err := sqldb.Open(ctx, "sqlite:"+InboxPath(path))
	if err != nil {
		if errors.Is(err, sqldb.ErrDSN) || ctx.Err() != nil {
			return nil, err
		}
		return nil, &sqldb.UnavailableError{Err: err}
	}
	useWallClock(db)
	l := &Ledger{db: db}
	err = l.db.Transact(ctx, "make the inbox", func(t *sqldb.Tx) error {
		var version int
		if err := t.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch version {
		case inboxVersion:
			return nil
		case 0:
			_, err := t.ExecContext(ctx, inboxSchema)
			return err
		}
		return words.NewFault("ledger_fault.inbox_version", "", "has", version, "known", inboxVersion, "cause", ErrNewer)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

func openInboxTable(ctx context.Context, dsn string) (*Ledger, error) {
	l, err := Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if _, _, err := l.Migrate(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// LimitWaiting bounds how many notifications of an account wait for the ledger, nearly: several processes that keep at once
// may exceed it by what they keep between two counts. 0 is no bound. It is called before the first Keep.
func (b *Inbox) LimitWaiting(most int64) { b.room.most = most }

// How often what waits is counted: after so many were kept, and when it is full after so long.
const (
	keptBetweenCounts = 10_000
	fullBetweenCounts = 5 * time.Second
)

// inboxRoom remembers how many notifications of each account wait, so that not every one of them counts the others.
type inboxRoom struct {
	most int64

	mu       sync.Mutex
	accounts map[ledger.Account]*accountRoom
}

type accountRoom struct {
	waiting int64 // when they were counted, and those kept since
	kept    int   // since
	counted time.Time
}

// checkRoom returns ErrInboxFull where an account has no room for another notification.
func (b *Inbox) checkRoom(ctx context.Context, a ledger.Account) error {
	if b.room.most <= 0 {
		return nil
	}
	b.room.mu.Lock()
	defer b.room.mu.Unlock()
	r, now := b.room.accounts[a], b.l.db.Now()
	if r == nil || r.kept >= keptBetweenCounts || r.waiting >= b.room.most && now.Sub(r.counted) >= fullBetweenCounts {
		r = &accountRoom{counted: now}
		err := b.l.db.Read.QueryRowContext(ctx, "SELECT COUNT(*) FROM inbox WHERE account = $1 AND moved <> 1", int64(a)).Scan(&r.waiting)
		if err != nil {
			return b.l.db.WrapError("count what waits in the inbox", err)
		}
		if b.room.accounts == nil {
			b.room.accounts = make(map[ledger.Account]*accountRoom)
		}
		b.room.accounts[a] = r
	}
	if r.waiting >= b.room.most {
		return fmt.Errorf("%w (%d of account %s)", ErrInboxFull, r.waiting, a)
	}
	r.waiting++
	r.kept++
	return nil
}

// Keep writes a notification and reports whether the inbox has seen the same account, movement and body before. It
// returns after the commit. After an error the notification may or may not be kept; keeping it again does no harm.
func (b *Inbox) Keep(ctx context.Context, n ledger.Notification) (repeat bool, err error) {
	if err := b.checkRoom(ctx, n.Account); err != nil {
		return false, err
	}
	letter := &pendingNotification{n: &n, kept: make(chan keepResult, 1)}
	if err := b.enqueue(ctx, letter); err != nil {
		return false, err
	}
	select {
	case o := <-letter.kept:
		return o.repeat, o.err
	case <-ctx.Done():
		return false, fmt.Errorf("keep a notification: %w", ctx.Err())
	}
}

func (b *Inbox) enqueue(ctx context.Context, letter *pendingNotification) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return ErrInboxClosed
	}
	select {
	case b.queue <- letter:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("keep a notification: %w", ctx.Err())
	}
}

// Close writes what was passed to Keep before, then closes the database. Closing again does nothing.
func (b *Inbox) Close() error {
	b.mu.Lock()
	again := b.closed
	b.closed = true
	b.mu.Unlock()
	if again {
		return nil
	}
	close(b.queue)
	<-b.done
	return errors.Join(b.insert.Close(), b.l.Close())
}

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
// stay; what arrived again meanwhile stays pending. It locks the inbox only briefly, so that Keep can go on meanwhile.
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
			defer func() { _ = stmt.Close() }() // the commit returns the error
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

// CheckWritable checks that the inbox could keep a notification, by rolling back a write for account 0, which does not exist.
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
