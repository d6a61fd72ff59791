package runs

import (
	"context"
	"database/sql"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RaiseAlert inserts an alert to be sent and reports whether it is new. An existing one is left alone.
func (l *AlertStore) RaiseAlert(ctx context.Context, a ledger.Alert) (isNew bool, err error) {
	err = l.db.TransactRepeatable(ctx, "raise the alert "+a.Happened, func(t *sqldb.Tx) error {
		done, err := t.ExecContext(ctx, `
			INSERT INTO alert (
				account,
				happened,
				cause,
				run,
				receiver,
				body,
				raised,
				failure)
			VALUES ($1, $2, $3, $4, $5, $6, $7, '')
			ON CONFLICT (account, happened, cause, run, receiver) DO NOTHING`,
			int64(a.Account), a.Happened, a.Cause, a.Run, a.Receiver, a.Body, sqldb.TimeArg(a.Raised))
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		isNew = n > 0
		return err
	})
	return isNew, err
}

// ClaimAlerts leases to the caller, until an instant, the alerts for the receivers that were raised at or after since,
// were not delivered, and are not leased to anybody. It returns them oldest first.
func (l *AlertStore) ClaimAlerts(ctx context.Context, receivers []string, since, now, until time.Time) ([]ledger.Alert, error) {
	const doing = "take the alerts that were not sent"
	if len(receivers) == 0 {
		return nil, nil
	}
	args := []any{sqldb.TimeArg(since), sqldb.TimeArg(now)}
	for _, r := range receivers {
		args = append(args, r)
	}
	where := `
		WHERE told IS NULL AND raised >= $1 AND (claimed IS NULL OR claimed < $2)
			AND receiver IN (` + sqldb.ListPlaceholders(3, len(receivers)) + `)`
	var waits bool
	if err := l.db.Read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM alert"+where+")", args...).Scan(&waits); err != nil || !waits {
		return nil, l.db.WrapError(doing, err) // nearly always: nothing is locked for that
	}
	var out []ledger.Alert
	err := l.db.Transact(ctx, doing, func(t *sqldb.Tx) error {
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "alerts"); err != nil {
			return err
		}
		out = nil
		err := sqldb.EachRow(ctx, t, func(rows *sql.Rows) error {
			var a ledger.Alert
			err := scanAlert(rows, &a)
			out = append(out, a)
			return err
		}, `
		SELECT `+alertColumns+`
		FROM alert`+where+`
		ORDER BY raised, account, happened, cause, run, receiver`, args...)
		if err != nil {
			return err
		}
		for _, a := range out {
			if err := updateAlert(ctx, t, &a, sqldb.TimeArg(until), nil, a.Failure); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// alertColumns are the columns that scanAlert reads.
const alertColumns = `
			account,
			happened,
			cause,
			run,
			receiver,
			body,
			raised,
			failure`

func scanAlert(row interface{ Scan(to ...any) error }, a *ledger.Alert) error {
	return row.Scan(&a.Account, &a.Happened, &a.Cause, &a.Run, &a.Receiver, &a.Body, sqldb.IntoTime(&a.Raised), &a.Failure)
}

// LastAlert returns the alert of a kind that was raised last for the receiver, whether or not it was delivered, or ErrNotFound.
func (l *AlertStore) LastAlert(ctx context.Context, happened, receiver string) (*ledger.Alert, error) {
	var a ledger.Alert
	err := scanAlert(l.db.Read.QueryRowContext(ctx, `
		SELECT `+alertColumns+`
		FROM alert
		WHERE account = 0 AND happened = $1 AND receiver = $2
		ORDER BY raised DESC, cause DESC
		LIMIT 1`, happened, receiver), &a)
	return &a, l.db.WrapError("read the last alert of a receiver", err)
}

// RecordAlertDelivery records that the receiver took the alert at an instant, or, with a failure, refused it for good. A zero instant
// means that neither happened, because of failure; the alert can then be claimed again.
func (l *AlertStore) RecordAlertDelivery(ctx context.Context, a ledger.Alert, at time.Time, failure string) error {
	return l.db.TransactRepeatable(ctx, "note that the alert was told", func(t *sqldb.Tx) error {
		return updateAlert(ctx, t, &a, nil, sqldb.TimeArg(at), failure)
	})
}

func updateAlert(ctx context.Context, t *sqldb.Tx, a *ledger.Alert, claimed, told any, failure string) error {
	_, err := t.ExecContext(ctx, `
		UPDATE alert
		SET
			claimed = $6,
			told = $7,
			failure = $8
		WHERE account = $1 AND happened = $2 AND cause = $3 AND run = $4 AND receiver = $5`,
		int64(a.Account), a.Happened, a.Cause, a.Run, a.Receiver, claimed, told, failure)
	return err
}
