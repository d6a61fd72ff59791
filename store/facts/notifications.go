package facts

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ReceiveNotifications moves notifications into the ledger and returns how many are new to it. Their key is account, movement and
// hash of the body. A later arrival of the same key counts as a repeat only if it is later than those already counted,
// so passing the same arrivals again changes nothing.
func (l *NotificationStore) ReceiveNotifications(ctx context.Context, all []ledger.Notification) (added int, err error) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b ledger.Notification) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	err = l.db.Transact(ctx, "receive notifications", func(t *sqldb.Tx) error {
		next := map[ledger.Account]int64{}
		added = 0 // an earlier try may have counted
		for i := range all {
			isNew, err := receiveNotification(ctx, t, &all[i], next)
			if err != nil {
				return err
			}
			if isNew {
				added++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}

// receiveNotification keeps one notification, or counts its repeat. next holds the next sequence of each account met so far.
func receiveNotification(ctx context.Context, t *sqldb.Tx, n *ledger.Notification, next map[ledger.Account]int64) (bool, error) {
	if _, met := next[n.Account]; !met {
		// Two who move the same inbox would give out one sequence twice.
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "notifications/"+n.Account.String()); err != nil {
			return false, err
		}
		var last sql.NullInt64
		err := t.QueryRowContext(ctx, `
			SELECT MAX(sequence)
			FROM notification
			WHERE account = $1`, int64(n.Account)).Scan(&last)
		if err != nil {
			return false, err
		}
		next[n.Account] = last.Int64 + 1
	}
	body := n.Body
	if body == nil {
		body = []byte{}
	}
	done, err := t.ExecContext(ctx, insertNotification, int64(n.Account), n.MovementID, n.BodyHash, next[n.Account],
		n.NSU, n.Auth, int64(n.Installment), int64(n.Moment), n.Type, n.OldValue, n.NewValue, body, sqldb.TimeArg(n.ReceivedAt))
	if err != nil {
		return false, err
	}
	if rows, err := done.RowsAffected(); err != nil || rows > 0 {
		next[n.Account]++
		return rows > 0, err
	}
	_, err = t.ExecContext(ctx, `
		UPDATE notification
		SET
			repeats = repeats + 1,
			last_arrival = $4
		WHERE account = $1 AND movement_id = $2 AND body_hash = $3 AND last_arrival < $4`,
		int64(n.Account), n.MovementID, n.BodyHash, sqldb.TimeArg(n.ReceivedAt))
	return false, err
}

const insertNotification = `
		INSERT INTO notification (
			account,
			movement_id,
			body_hash,
			sequence,
			nsu,
			auth,
			installment,
			moment,
			type,
			old_value,
			new_value,
			body,
			received_at,
			repeats,
			last_arrival,
			ambiguous,
			nights)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $13, 0, 0)
		ON CONFLICT (account, movement_id, body_hash) DO NOTHING`

// notificationColumns are the columns that scanNotification reads first, of a table named n. Bodies stay in the ledger.
const notificationColumns = `
			n.movement_id,
			n.body_hash,
			n.sequence,
			n.nsu,
			n.auth,
			n.installment,
			n.moment,
			n.type,
			n.old_value,
			n.new_value,
			n.received_at,
			n.repeats,
			n.sale_day,
			n.number,
			n.occurrence,
			n.ambiguous,
			n.linked_on,
			n.nights,
			n.last_night`

// scanNotification reads notificationColumns and then the targets named further.
func scanNotification(rows *sql.Rows, a ledger.Account, further ...any) (*ledger.LinkedNotification, error) {
	n := &ledger.LinkedNotification{Notification: ledger.Notification{Account: a}, Bodies: 1}
	var to ledger.InstallmentKey
	err := rows.Scan(append([]any{
		&n.MovementID, &n.BodyHash, &n.Sequence, &n.NSU, &n.Auth, &n.Installment, &n.Moment, &n.Type, &n.OldValue, &n.NewValue,
		sqldb.IntoTime(&n.ReceivedAt),
		&n.Repeats,
		sqldb.IntoDate(&to.Day),
		sqldb.IntoNumber(&to.Number),
		sqldb.IntoNumber(&to.Occurrence),
		sqldb.IntoBool(&n.Ambiguous),
		sqldb.IntoDate(&n.LinkedOn),
		&n.PlannedFor,
		sqldb.IntoDate(&n.LastPlannedOn),
	}, further...)...)
	if to.Day != 0 {
		to.Account, to.NSU, to.Auth = a, n.NSU, n.Auth
		n.Target = &to
	}
	return n, err
}

// Notifications calls fn for every notification of the account, without its body: unlinked ones first, the others in
// order of installment (day, NSU, authorization, number, occurrence), those of one installment by moment and movement.
func (l *NotificationStore) Notifications(ctx context.Context, a ledger.Account, fn func(*ledger.LinkedNotification) error) error {
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var bodies int
		var beforeID, before int64
		n, err := scanNotification(rows, a, &bodies, sqldb.IntoNumber(&beforeID), sqldb.IntoNumber(&before))
		if err != nil {
			return err
		}
		n.Bodies, n.PreviousID, n.PreviousMoment = bodies, beforeID, ledger.LocalTime(before)
		return fn(n)
	}, `
		SELECT `+notificationColumns+`,
			COUNT(*) OVER (PARTITION BY n.movement_id),
			LAG(n.movement_id) OVER (ORDER BY n.movement_id, n.moment, n.body_hash),
			LAG(n.moment) OVER (ORDER BY n.movement_id, n.moment, n.body_hash)
		FROM notification AS n
		WHERE n.account = $1
		ORDER BY COALESCE(n.sale_day, 0), n.nsu, n.auth, COALESCE(n.number, 0), COALESCE(n.occurrence, 0), n.moment,
			n.movement_id, n.body_hash`, int64(a))
	return l.db.WrapError("read the notifications of account "+a.String(), err)
}

// NotificationsOf returns the notifications about installments sold on a day, by moment and movement, without bodies and
// without their place among the others of their movement.
func (l *NotificationStore) NotificationsOf(ctx context.Context, a ledger.Account, day ledger.Date) ([]ledger.LinkedNotification, error) {
	var all []ledger.LinkedNotification
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		n, err := scanNotification(rows, a)
		if err == nil {
			all = append(all, *n)
		}
		return err
	}, `
		SELECT `+notificationColumns+`
		FROM notification AS n
		WHERE n.account = $1 AND n.sale_day = $2
		ORDER BY n.moment, n.movement_id, n.body_hash`, int64(a), int64(day))
	return all, l.db.WrapError("read the notifications of account "+a.String(), err)
}

// RecordSubscription records the address to which the service sends the account's notifications, empty if there is none,
// and whether it is ours, dated by the business clock. The first day on which it was ours is kept: from then on
// notifications can be expected.
func (l *NotificationStore) RecordSubscription(ctx context.Context, a ledger.Account, url string, matches bool, on ledger.Date) error {
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
func (l *NotificationStore) NotificationStart(ctx context.Context, a ledger.Account) (ledger.NotificationStart, error) {
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

// UnlinkedCount returns the number of the accounts' notifications that are not linked to an installment, and the arrival of
// the oldest; zero if there is none.
func (l *NotificationStore) UnlinkedCount(ctx context.Context, accounts []ledger.Account) (n int64, oldest time.Time, err error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "account", accounts, func(a ledger.Account) any { return int64(a) })
	w.Add("sale_day IS NULL")
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*),
			MIN(received_at)
		FROM notification`+w.Where(), w.Args...).Scan(&n, sqldb.IntoTime(&oldest))
	return n, oldest, l.db.WrapError("count the notifications not linked", err)
}
