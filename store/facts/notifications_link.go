package facts

import (
	"context"
	"database/sql"
	"time"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// UnlinkedNotifications calls fn for every notification of the account that is linked to no installment, in order of movement, with the
// installments it may speak of: those of its NSU, authorization and number, whenever they were sold, in order of sale
// day. A number 0 is that of a sale of one installment too. Bodies are left out.
func (l *NotificationStore) UnlinkedNotifications(
	ctx context.Context, a ledger.Account, fn func(*ledger.LinkedNotification, []ledger.InstallmentKey) error,
) error {
	var last *ledger.LinkedNotification
	var fits []ledger.InstallmentKey
	flush := func() error {
		if last == nil {
			return nil
		}
		return fn(last, fits)
	}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var k ledger.InstallmentKey
		n, err := scanNotification(rows, a, sqldb.IntoDate(&k.Day), sqldb.IntoNumber(&k.Number), sqldb.IntoNumber(&k.Occurrence))
		if err != nil {
			return err
		}
		if last == nil || last.Sequence != n.Sequence {
			if err := flush(); err != nil {
				return err
			}
			last, fits = n, nil
		}
		k.Account, k.NSU, k.Auth = a, n.NSU, n.Auth
		if k.Day != 0 {
			fits = append(fits, k)
		}
		return nil
	}, `
		SELECT `+notificationColumns+`,
			i.sale_day,
			i.number,
			i.occurrence
		FROM notification AS n
		LEFT JOIN installment AS s ON s.account = n.account AND s.nsu = n.nsu AND s.auth = n.auth AND s.leads = 1
		LEFT JOIN installment AS i ON i.account = s.account AND i.sale_day = s.sale_day AND i.nsu = s.nsu
			AND i.auth = s.auth AND i.version = 1
			AND (i.number = n.installment OR (n.installment = 0 AND i.number = 1 AND i.count_sent <= 1))
		WHERE n.account = $1 AND n.sale_day IS NULL
		ORDER BY n.movement_id, n.body_hash, i.sale_day, i.number, i.occurrence`, int64(a))
	if err == nil {
		err = flush()
	}
	return l.db.WrapError("read the notifications of account "+a.String()+" that are linked to none", err)
}

// LinkNotifications writes the results of linking notifications that were not linked yet: the installment, or that several fit, and
// the nights on which none was found. A linked notification is left alone. The run must hold the account.
func (l *NotificationStore) LinkNotifications(ctx context.Context, run *ledger.Run, a ledger.Account, all []ledger.LinkedNotification) error {
	if len(all) == 0 {
		return nil
	}
	return l.db.Transact(ctx, "link the notifications of account "+a.String(), func(t *sqldb.Tx) error {
		if err := runs.CheckLease(ctx, t, run.ID, a); err != nil {
			return err
		}
		for i := range all {
			if err := linkNotification(ctx, t, a, &all[i]); err != nil {
				return err
			}
		}
		l.leases.ExtendRunLease(ctx, t, run.ID, a)
		return nil
	})
}

func linkNotification(ctx context.Context, t *sqldb.Tx, a ledger.Account, n *ledger.LinkedNotification) error {
	var day, number, occurrence any
	if n.Target != nil {
		day, number, occurrence = int64(n.Target.Day), int64(n.Target.Number), int64(n.Target.Occurrence)
	}
	_, err := t.ExecContext(ctx, `
		UPDATE notification
		SET
			sale_day = $4,
			number = $5,
			occurrence = $6,
			ambiguous = $7,
			linked_on = $8,
			nights = $9,
			last_night = $10
		WHERE account = $1 AND movement_id = $2 AND body_hash = $3 AND sale_day IS NULL`,
		int64(a), n.MovementID, n.BodyHash, day, number, occurrence, sqldb.BoolArg(n.Ambiguous), sqldb.DateArg(n.LinkedOn),
		int64(n.PlannedFor), sqldb.DateArg(n.LastPlannedOn))
	return err
}

// NotifiedDays returns, in order, the sale days of linked notifications for which no complete pull of cards has been
// made since the notification arrived.
func (l *NotificationStore) NotifiedDays(ctx context.Context, a ledger.Account) ([]ledger.Date, error) {
	doing := "read the days that notifications of account " + a.String() + " name"
	seen, err := LoadLastSeen(ctx, l.db.Read, a, ledger.Cards, AllDays)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	var days []ledger.Date
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var d ledger.Date
		var arrived time.Time
		if err := rows.Scan(&d, sqldb.IntoTime(&arrived)); err != nil {
			return err
		}
		if last, pulled := seen[d]; !pulled || last.Began.Before(arrived) {
			days = append(days, d)
		}
		return nil
	}, `
		SELECT
			sale_day,
			MAX(received_at)
		FROM notification
		WHERE account = $1 AND sale_day IS NOT NULL
		GROUP BY sale_day
		ORDER BY sale_day`, int64(a))
	return days, l.db.WrapError(doing, err)
}

// CompletePullDates returns, for every day with a complete pull of the source, the distinct business days on which such pulls
// began, in order.
func (l *NotificationStore) CompletePullDates(ctx context.Context, a ledger.Account, source ledger.Source) (map[ledger.Date][]ledger.Date, error) {
	dates := make(map[ledger.Date][]ledger.Date)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var from, to, on ledger.Date
		if err := rows.Scan(&from, &to, &on); err != nil {
			return err
		}
		for d := from; d <= to; d++ {
			if had := dates[d]; len(had) == 0 || had[len(had)-1] != on {
				dates[d] = append(had, on)
			}
		}
		return nil
	}, `
		SELECT
			from_day,
			to_day,
			pulled_on
		FROM pull
		WHERE account = $1 AND source = $2 AND complete = 1 AND pulled_on IS NOT NULL
		ORDER BY pulled_on, began, id`, int64(a), string(source))
	return dates, l.db.WrapError("read the pulls of account "+a.String(), err)
}
