package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RequestedWindow is a window that was answered completely at least once, with the business days on which it was asked.
type RequestedWindow struct {
	Source      ledger.Source
	Period      ledger.Period
	First, Last ledger.Date // dates of the first and the last such pull
	LastChange  ledger.Date // of the last that brought a new, changed or vanished row; none: no pull ever did
}

// RequestedWindows returns the completely answered windows of the account that touch since or a later day, except details of
// single slips.
func (l *Store) RequestedWindows(ctx context.Context, a ledger.Account, since ledger.Date) ([]RequestedWindow, error) {
	var out []RequestedWindow
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var w RequestedWindow
		err := rows.Scan(&w.Source, &w.Period.From, &w.Period.To, sqldb.IntoDate(&w.First), sqldb.IntoDate(&w.Last), sqldb.IntoDate(&w.LastChange))
		out = append(out, w)
		return err
	}, `
		SELECT
			source,
			from_day,
			to_day,
			first_on,
			last_on,
			moved_on
		FROM asked
		WHERE account = $1 AND to_day >= $2
		ORDER BY source, from_day, to_day`, int64(a), int64(since))
	return out, l.db.WrapError("read what account "+a.String()+" was asked for", err)
}

// recordWindow notes of the window of a pull that arrived whole when it was asked for. Pulls may be kept in any order. A day
// of 0 is none.
func recordWindow(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) error {
	if !p.Complete || p.Window.Source == ledger.SlipDetail {
		return nil
	}
	var moved ledger.Date
	if p.Counts.New+p.Counts.Changed+p.Counts.Vanished > 0 {
		moved = p.On
	}
	_, err := t.ExecContext(ctx, `
		INSERT INTO asked (
			account,
			source,
			from_day,
			to_day,
			first_on,
			last_on,
			moved_on)
		VALUES ($1, $2, $3, $4, $5, $5, $6)
		ON CONFLICT (account, source, from_day, to_day) DO UPDATE SET
			first_on = CASE
				WHEN excluded.first_on > 0 AND (asked.first_on = 0 OR excluded.first_on < asked.first_on) THEN excluded.first_on
				ELSE asked.first_on
			END,
			last_on = CASE WHEN excluded.last_on > asked.last_on THEN excluded.last_on ELSE asked.last_on END,
			moved_on = CASE WHEN excluded.moved_on > asked.moved_on THEN excluded.moved_on ELSE asked.moved_on END`,
		int64(p.Window.Account), string(p.Window.Source), int64(p.Window.Period.From), int64(p.Window.Period.To), int64(p.On), int64(moved))
	return err
}
