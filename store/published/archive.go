package published

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"strings"

	"concilia/store/sqldb"
)

// Archive is what the ledger knows of the archive of its published files.
type Archive struct {
	Ledger      string // the ledger's own id, which the archive names
	Place       string // as it was configured last; empty: none was begun
	Publication int64  // number of the last revision that was recorded; 0: none
}

// ArchiveOf returns what the ledger knows of its archive. The first call gives the ledger its id.
func (l *ArchiveStore) ArchiveOf(ctx context.Context) (Archive, error) {
	const doing = "read which archive the ledger has"
	a, err := readArchive(ctx, l.db.Read)
	if !errors.Is(err, sql.ErrNoRows) {
		return a, l.db.WrapError(doing, err)
	}
	err = l.db.Transact(ctx, "give the ledger an id", func(t *sqldb.Tx) error {
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "archive"); err != nil {
			return err
		}
		if a, err = readArchive(ctx, t.Tx); !errors.Is(err, sql.ErrNoRows) {
			return err // another process was quicker
		}
		a = Archive{Ledger: strings.ToLower(rand.Text())}
		_, err := t.ExecContext(ctx, `
			INSERT INTO archive (
				ledger,
				place,
				publication)
			VALUES ($1, '', 0)`, a.Ledger)
		return err
	})
	return a, err
}

func readArchive(ctx context.Context, from interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
},
) (a Archive, err error) {
	err = from.QueryRowContext(ctx, `
		SELECT
			ledger,
			place,
			publication
		FROM archive`).Scan(&a.Ledger, &a.Place, &a.Publication)
	return a, err
}

// SetArchivePlace records where the archive is. The ledger has an id by then.
func (l *ArchiveStore) SetArchivePlace(ctx context.Context, place string) error {
	return l.db.Transact(ctx, "note the place of the archive", func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE archive
			SET place = $1`, place)
		return err
	})
}
