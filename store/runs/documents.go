package runs

import (
	"context"

	"concilia/store/sqldb"
)

// StoreDocument writes a document under its SHA-256 in hex. An existing one stays as it is.
func (l *Store) StoreDocument(ctx context.Context, kind, sha256 string, body []byte) error {
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
func (l *Store) Document(ctx context.Context, sha256 string) (kind string, body []byte, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			kind,
			body
		FROM document
		WHERE sha256 = $1`, sha256).Scan(&kind, &body)
	return kind, body, l.db.WrapError("read document "+sha256, err)
}
