package runs

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// StoreDocument writes a document under its SHA-256 in hex. An existing one stays as it is.
func (l *DocumentStore) StoreDocument(ctx context.Context, kind, sha256 string, body []byte) error {
	if body == nil {
		body = []byte{}
	}
	return l.db.Transact(ctx, "keep document "+kind, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO document (
				sha256,
				kind,
				body)
			VALUES ($1, $2, $3)
			ON CONFLICT (sha256) DO NOTHING`, sha256, kind, body)
		return err
	})
}

// Document returns what StoreDocument kept, or ErrNotFound.
func (l *DocumentStore) Document(ctx context.Context, sha256 string) (kind string, body []byte, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			kind,
			body
		FROM document
		WHERE sha256 = $1`, sha256).Scan(&kind, &body)
	return kind, body, l.db.WrapError("read document "+sha256, err)
}

// FirstDay returns the first day the account is answered for, or ErrNotFound if none was written yet.
func (l *DocumentStore) FirstDay(ctx context.Context, a ledger.Account) (ledger.Date, error) {
	var d ledger.Date
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT since
		FROM account
		WHERE account = $1`, int64(a)).Scan(sqldb.IntoDate(&d))
	return d, l.db.WrapError("read since of account "+a.String(), err)
}

// SetFirstDay writes the first day the account is answered for. It only moves it back: a later day is ignored.
func (l *DocumentStore) SetFirstDay(ctx context.Context, a ledger.Account, d ledger.Date) error {
	return l.db.Transact(ctx, "write since of account "+a.String(), func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO account (
				account,
				since)
			VALUES ($1, $2)
			ON CONFLICT (account) DO UPDATE
			SET since = excluded.since
			WHERE excluded.since < account.since`, int64(a), int64(d))
		return err
	})
}
