package published

import (
	"context"
	"errors"
	"fmt"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ErrKept means that a revision is already in the ledger.
var ErrKept = errors.New("this revision is kept already: a published revision never changes")

// KeepSet records a revision whose files are archived, with a delivery to the place of its target that waits, in one
// transaction. It is written once and never changed: a second call fails with ErrKept. The set gets its number and when, at, it
// was published.
func (l *Store) KeepSet(ctx context.Context, s *Set, place string, at time.Time) error {
	doing := fmt.Sprintf("keep the set of %s, %s %s r%d", s.Account, s.Basis, s.Period, s.Revision)
	if _, err := l.ArchiveOf(ctx); err != nil { // its row counts the publications
		return err
	}
	var number int64
	err := l.db.Transact(ctx, doing, func(t *sqldb.Tx) (err error) {
		if number, err = insertSet(ctx, t, s, at); err != nil {
			return err
		}
		if err := keepDays(ctx, t, s); err != nil {
			return err
		}
		return addDelivery(ctx, t, s, place, number, nil)
	})
	if err == nil {
		s.Number, s.Published, s.Waiting = number, at.UTC().Truncate(time.Microsecond), true
	}
	return err
}

// insertSet writes the row of a revision and returns its number, the next one of the ledger's publications.
func insertSet(ctx context.Context, t *sqldb.Tx, s *Set, at time.Time) (number int64, err error) {
	tables, err1 := sqldb.MarshalText(s.Tables)
	files, err2 := sqldb.MarshalText(s.Files)
	manifest, err3 := sqldb.MarshalText(s.Manifest)
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, err
	}
	err = t.QueryRowContext(ctx, `
		UPDATE archive
		SET publication = publication + 1
		RETURNING publication`).Scan(&number)
	if err != nil {
		return 0, err
	}
	_, err = t.ExecContext(ctx, `
		INSERT INTO report (`+revisionColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision), s.Run,
		sqldb.DateArg(s.AsOf), s.Digest, tables, files, s.Inputs, manifest, number, at.UnixMicro(), sqldb.DateArg(s.RemovedOn),
		sqldb.DateArg(s.RetiredOn), s.State)
	if t.DB.Dialect.ClassifyError(err) == sqldb.DuplicateKey {
		return 0, ErrKept
	}
	return number, err
}

// addDelivery records that a place has a revision since an instant, or, without one, that it is to get it.
func addDelivery(ctx context.Context, t *sqldb.Tx, s *Set, place string, number int64, delivered any) error {
	_, err := t.ExecContext(ctx, `
		INSERT INTO delivery (
			account,
			basis,
			from_day,
			to_day,
			filter,
			revision,
			place,
			number,
			delivered)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (account, basis, from_day, to_day, filter, revision, place) DO UPDATE SET delivered = excluded.delivered`,
		s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision), place, number, delivered)
	return err
}

// Delivered records that a place has a revision since an instant. A delivery that waited for another place, because the
// target was changed meanwhile, waits no longer.
func (l *Store) Delivered(ctx context.Context, s *Set, place string, at time.Time) error {
	doing := fmt.Sprintf("note the delivery of %s, %s %s r%d", s.Account, s.Basis, s.Period, s.Revision)
	return l.db.Transact(ctx, doing, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			DELETE FROM delivery
			WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND revision = $6
				AND delivered IS NULL`,
			s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision))
		if err != nil {
			return err
		}
		return addDelivery(ctx, t, s, place, s.Number, at.UnixMicro())
	})
}

// NoteRemoved records the day on which the files of a revision were removed from the archive.
func (l *Store) NoteRemoved(ctx context.Context, s *Set, on ledger.Date) error {
	return l.updateSet(ctx, s, "note what was removed from the archive", "removed_on = $7", sqldb.DateArg(on))
}

// NoteState records what the content of a revision was found to be the same from.
func (l *Store) NoteState(ctx context.Context, s *Set, state string) error {
	return l.updateSet(ctx, s, "note what the content follows from", "state = $7", state)
}

// Retire records which files of a revision were deleted, each on its RetiredOn, and the day on which the last one was; a
// zero day means that some files remain.
func (l *Store) Retire(ctx context.Context, s *Set, on ledger.Date) error {
	files, err := sqldb.MarshalText(s.Files)
	if err != nil {
		return err
	}
	return l.updateSet(ctx, s, "note the retirement", "retired_on = $7, files = $8", sqldb.DateArg(on), files)
}

// updateSet sets what may change of a revision: where its files are and when they were compared, never what they say.
func (l *Store) updateSet(ctx context.Context, s *Set, doing, set string, args ...any) error {
	doing = fmt.Sprintf("%s of %s, %s %s r%d", doing, s.Account, s.Basis, s.Period, s.Revision)
	return l.db.Transact(ctx, doing, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE report
			SET `+set+`
			WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND revision = $6`,
			append([]any{
				s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision),
			}, args...)...)
		return err
	})
}
