package reports

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Set is a published set of files: account, basis, period and filter in one revision.
type Set struct {
	Account  string // digits, or all
	Basis    string
	Period   ledger.Period
	Filter   string // canonical; empty is none
	Revision int    // from 0
	Run      string // that made it
	AsOf     ledger.Date
	Digest   string            // of the content
	Tables   map[string]string // table to its digest
	Files    []File
	// Recipe is the SHA-256 of the document that tells how to render the revision again.
	Recipe string
	// Waiting says that the revision is proven and not on its target yet.
	Waiting bool
	// RetiredOn is the as-of of the run that took the last of the files away for its age; none: there are some.
	RetiredOn ledger.Date
}

// File is a published file of a set.
type File struct {
	Path          string
	Kind          string
	Format        string
	SHA256        string
	Bytes         int64
	Rows          int64
	Revision      int
	NSA           int // of an EDI file, else 0
	LayoutVersion int
	// RetiredOn is the as-of of the run that took the file away for its age; none: it was not taken away.
	RetiredOn ledger.Date `json:",omitzero"`
}

// StandingSet returns the last revision of a set, or ErrNotFound.
func (l *Store) StandingSet(ctx context.Context, account, basis string, period ledger.Period, filter string,
) (*Set, error) {
	doing := fmt.Sprintf("read the set of %s, %s %s", account, basis, period)
	sets, err := l.sets(ctx, doing, `
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5
		ORDER BY revision DESC
		LIMIT 1`, account, basis, int64(period.From), int64(period.To), filter)
	switch {
	case err != nil:
		return nil, err
	case len(sets) == 0:
		return nil, l.db.WrapError(doing, sql.ErrNoRows)
	}
	return sets[0], nil
}

// Revisions returns the revisions of a set made by runs up to and including run, last first; an empty run returns all.
func (l *Store) Revisions(ctx context.Context, account, basis string, period ledger.Period, filter, run string,
) ([]*Set, error) {
	return l.sets(ctx, fmt.Sprintf("read the revisions of %s, %s %s", account, basis, period), `
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND ($6 = '' OR run <= $6)
		ORDER BY revision DESC`, account, basis, int64(period.From), int64(period.To), filter, run)
}

// WaitingSets gives the revisions that their target does not have yet, in the order in which it has to get them.
func (l *Store) WaitingSets(ctx context.Context) ([]*Set, error) {
	return l.sets(ctx, "read what waits to be published", `
		WHERE waiting = 1
		ORDER BY account, basis, from_day, to_day, filter, revision`)
}

// PublishedSets returns the revisions of an account, or of all accounts together, that still have files, by set with the
// last revision first.
func (l *Store) PublishedSets(ctx context.Context, account string) ([]*Set, error) {
	return l.sets(ctx, "read what is published of "+account, `
		WHERE account = $1 AND waiting = 0 AND retired_on IS NULL
		ORDER BY basis, from_day, to_day, filter, revision DESC`, account)
}

func (l *Store) sets(ctx context.Context, doing, where string, args ...any) ([]*Set, error) {
	var out []*Set
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		s := &Set{}
		var tables, files string
		err := rows.Scan(&s.Account, &s.Basis, sqldb.IntoDate(&s.Period.From), sqldb.IntoDate(&s.Period.To), &s.Filter, &s.Revision,
			&s.Run, sqldb.IntoDate(&s.AsOf), &s.Digest, &tables, &files, &s.Recipe, sqldb.IntoBool(&s.Waiting), sqldb.IntoDate(&s.RetiredOn))
		out = append(out, s)
		return errors.Join(err, json.Unmarshal([]byte(tables), &s.Tables), json.Unmarshal([]byte(files), &s.Files))
	}, `
		SELECT
			account,
			basis,
			from_day,
			to_day,
			filter,
			revision,
			run,
			as_of,
			digest,
			tables,
			files,
			recipe,
			waiting,
			retired_on
		FROM report`+where, args...)
	return out, l.db.WrapError(doing, err)
}

// Delivered records that the target has a revision that was waiting, with the files as they stand there.
func (l *Store) Delivered(ctx context.Context, s *Set) error {
	files, err := sqldb.MarshalText(s.Files)
	if err != nil {
		return err
	}
	return l.mark(ctx, s, "note the delivery", "waiting = 0, files = $7", files)
}

// Retire records which files of a revision were deleted, each on its RetiredOn, and the day on which the last one was; a
// zero day means that some files remain.
func (l *Store) Retire(ctx context.Context, s *Set, on ledger.Date) error {
	files, err := sqldb.MarshalText(s.Files)
	if err != nil {
		return err
	}
	return l.mark(ctx, s, "note the retirement", "retired_on = $7, files = $8", sqldb.DateArg(on), files)
}

// mark sets what may change of a revision: where its files are, never what they say.
func (l *Store) mark(ctx context.Context, s *Set, doing, set string, args ...any) error {
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

// ErrKept means that a revision is already in the ledger.
var ErrKept = errors.New("this revision is kept already: a published revision never changes")

// KeepSet writes a revision that was published, or that is proven and waits for its target. It is written once and never
// changed: a second call fails with ErrKept.
func (l *Store) KeepSet(ctx context.Context, s *Set) error {
	doing := fmt.Sprintf("keep the set of %s, %s %s r%d", s.Account, s.Basis, s.Period, s.Revision)
	tables, err1 := sqldb.MarshalText(s.Tables)
	files, err2 := sqldb.MarshalText(s.Files)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return l.db.Transact(ctx, doing, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO report (
				account,
				basis,
				from_day,
				to_day,
				filter,
				revision,
				run,
				as_of,
				digest,
				tables,
				files,
				recipe,
				waiting)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision), s.Run,
			sqldb.DateArg(s.AsOf), s.Digest, tables, files, s.Recipe, sqldb.BoolArg(s.Waiting))
		if l.db.Dialect.ClassifyError(err) == sqldb.DuplicateKey {
			return ErrKept
		}
		return err
	})
}
