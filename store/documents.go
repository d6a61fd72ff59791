package store

import (
	"context"

	"concilia/store/ledger"
)

// KeepDocument writes a document under its SHA-256 in hex. An existing one stays as it is.
func (l *Ledger) KeepDocument(ctx context.Context, kind, sha256 string, body []byte) error {
	if body == nil {
		body = []byte{}
	}
	return l.write(ctx, "keep document "+kind, func(t *tx) error {
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

// Document returns what KeepDocument kept, or ErrNotFound.
func (l *Ledger) Document(ctx context.Context, sha256 string) (kind string, body []byte, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			kind,
			body
		FROM document
		WHERE sha256 = $1`, sha256).Scan(&kind, &body)
	return kind, body, l.fault("read document "+sha256, err)
}

// Quarantine returns the account's rows that could not be parsed and that the service still sends, by source and hash.
func (l *Ledger) Quarantine(ctx context.Context, a ledger.Account) ([]ledger.Quarantined, error) {
	return l.quarantine(ctx, l.db.Read, a)
}
