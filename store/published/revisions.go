package published

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
	// Inputs is what the content rests on besides the ledger's rows and documents, as JSON that its renderer reads.
	Inputs string
	// State names all that the content followed from when it was last found to be the revision's: while it is the same, nothing of
	// the set needs to be read. Empty: not known.
	State string
	// Days are what its sale days left, in the form of the renderer, for the next revision. Empty: there is nothing to go by. KeepSet
	// keeps them, DaysOf reads them, no other query.
	Days []byte `json:",omitempty"`
	// Manifest is the file that lists the others.
	Manifest File
	// Number counts the publications of the ledger from 1; Published is when it was recorded. KeepSet sets both.
	Number    int64
	Published time.Time
	// Waiting says that the revision is archived and its target does not have it yet. It is read, not kept.
	Waiting bool
	// Delivered is when a target had every file as published, each read back there; zero: it waits, or is not known. Only DeliveredAt
	// reads it.
	Delivered time.Time
	// RemovedOn is the day on which the files were removed from the archive for their age; none: they are there.
	RemovedOn ledger.Date
	// RetiredOn is the as-of of the run that took the last of the files away for its age; none: there are some.
	RetiredOn ledger.Date
}

// All are the files of the set in the order in which they are published, the manifest last.
func (s *Set) All() []*File {
	out := make([]*File, 0, len(s.Files)+1)
	for i := range s.Files {
		out = append(out, &s.Files[i])
	}
	return append(out, &s.Manifest)
}

// File is a published file of a set.
type File struct {
	Path          string // below the target
	Kind          string
	Format        string
	SHA256        string
	Bytes         int64
	Archived      int64 // bytes that it takes in the archive, compressed
	Rows          int64
	Revision      int
	NSA           int // of an EDI file, else 0
	LayoutVersion int
	// RetiredOn is the as-of of the run that took the file away for its age; none: it was not taken away.
	RetiredOn ledger.Date `json:",omitzero"`
}

// StandingSet returns the last revision of a set, or ErrNotFound.
func (l *SetReader) StandingSet(ctx context.Context, account, basis string, period ledger.Period, filter string,
) (*Set, error) {
	doing := fmt.Sprintf("read the set of %s, %s %s", account, basis, period)
	sets, err := l.querySets(ctx, doing, `
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
func (l *SetReader) Revisions(ctx context.Context, account, basis string, period ledger.Period, filter, run string,
) ([]*Set, error) {
	return l.querySets(ctx, fmt.Sprintf("read the revisions of %s, %s %s", account, basis, period), `
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND ($6 = '' OR run <= $6)
		ORDER BY revision DESC`, account, basis, int64(period.From), int64(period.To), filter, run)
}

// waitingSQL says of a row of report that a delivery of it waits.
const waitingSQL = `EXISTS (
			SELECT 1
			FROM delivery AS d
			WHERE d.account = report.account AND d.basis = report.basis AND d.from_day = report.from_day
				AND d.to_day = report.to_day AND d.filter = report.filter AND d.revision = report.revision
				AND d.delivered IS NULL)`

// WaitingSets returns the revisions that their target does not have yet, in the order of their publication.
func (l *SetReader) WaitingSets(ctx context.Context) ([]*Set, error) {
	return l.querySets(ctx, "read what waits to be delivered", `
		WHERE `+waitingSQL+`
		ORDER BY number`)
}

// PublishedSets returns the revisions of an account, or of all accounts together, that their target has with some of their
// files, by set with the last revision first.
func (l *SetReader) PublishedSets(ctx context.Context, account string) ([]*Set, error) {
	return l.querySets(ctx, "read what is published of "+account, `
		WHERE account = $1 AND retired_on IS NULL AND NOT `+waitingSQL+`
		ORDER BY basis, from_day, to_day, filter, revision DESC`, account)
}

// SetsOf returns every revision of an account, or of all accounts together, the latest period first and of a set the last revision
// first.
func (l *SetReader) SetsOf(ctx context.Context, account string) ([]*Set, error) {
	return l.querySets(ctx, "read the sets of "+account, `
		WHERE account = $1
		ORDER BY to_day DESC, from_day DESC, basis, filter, revision DESC`, account)
}

// SetsOnBasis is SetsOf for the sets of one basis without a filter.
func (l *SetReader) SetsOnBasis(ctx context.Context, account, basis string) ([]*Set, error) {
	return l.querySets(ctx, "read the sets of "+account, `
		WHERE account = $1 AND basis = $2 AND filter = ''
		ORDER BY to_day DESC, from_day DESC, revision DESC`, account, basis)
}

// DeliveredSets returns the revisions that a place has, by what was delivered there and not taken away for its age, in the order
// of publication.
func (l *SetReader) DeliveredSets(ctx context.Context, place string) ([]*Set, error) {
	return l.querySets(ctx, "read what was delivered to "+place, `
		WHERE retired_on IS NULL AND EXISTS (
			SELECT 1
			FROM delivery AS d
			WHERE d.account = report.account AND d.basis = report.basis AND d.from_day = report.from_day
				AND d.to_day = report.to_day AND d.filter = report.filter AND d.revision = report.revision
				AND d.place = $1 AND d.delivered IS NOT NULL)
		ORDER BY number`, place)
}

// DeliveredAt is when the last of its targets had each publication of an account, or of all accounts together, by its number. A
// publication that was sent nowhere yet has none.
func (l *SetReader) DeliveredAt(ctx context.Context, account string) (map[int64]time.Time, error) {
	out := map[int64]time.Time{}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var number int64
		var at time.Time
		err := rows.Scan(&number, sqldb.IntoTime(&at))
		out[number] = at
		return err
	}, `
		SELECT
			number,
			MAX(delivered)
		FROM delivery
		WHERE account = $1 AND delivered IS NOT NULL
		GROUP BY number`, account)
	return out, l.db.WrapError("read when the sets of "+account+" were delivered", err)
}

// SetsBetween returns the revisions, of single accounts and of all together, made by runs after from, up to and
// including to.
func (l *SetReader) SetsBetween(ctx context.Context, from, to string) ([]*Set, error) {
	return l.querySets(ctx, "read what was published between runs "+from+" and "+to, `
		WHERE run > $1 AND run <= $2
		ORDER BY account, basis, from_day, to_day, filter, revision`, from, to)
}

// SetRevision returns one revision of a set, or ErrNotFound.
func (l *SetReader) SetRevision(ctx context.Context, s *ledger.RunReportSet) (*Set, error) {
	const doing = "read a published set"
	sets, err := l.querySets(ctx, doing, `
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND revision = $6`,
		s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision))
	switch {
	case err != nil:
		return nil, err
	case len(sets) == 0:
		return nil, l.db.WrapError(doing, sql.ErrNoRows)
	}
	return sets[0], nil
}

// StandingBefore returns the revision that was current as of a run of every set of the account, basis and filter whose last day
// is before that one, without its files, in order of last day, first day.
func (l *SetReader) StandingBefore(ctx context.Context, account, basis, filter string, before ledger.Date, run string,
) ([]Set, error) {
	doing := fmt.Sprintf("read the sets of %s, %s before %s", account, basis, before)
	rows, err := l.db.Read.QueryContext(ctx, `
		SELECT
			r.from_day,
			r.to_day,
			r.revision,
			r.run,
			r.as_of,
			r.digest,
			r.tables
		FROM report AS r
		WHERE r.account = $1 AND r.basis = $2 AND r.filter = $3 AND r.to_day < $4 AND r.revision = (
			SELECT MAX(n.revision)
			FROM report AS n
			WHERE n.account = r.account AND n.basis = r.basis AND n.from_day = r.from_day AND n.to_day = r.to_day
				AND n.filter = r.filter AND n.run <= $5)
		ORDER BY r.to_day, r.from_day`, account, basis, filter, int64(before), run)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	defer rows.Close()
	var out []Set
	for rows.Next() {
		s := Set{Account: account, Basis: basis, Filter: filter}
		var tables string
		err := rows.Scan(sqldb.IntoDate(&s.Period.From), sqldb.IntoDate(&s.Period.To), &s.Revision, &s.Run, sqldb.IntoDate(&s.AsOf), &s.Digest, &tables)
		if err := errors.Join(err, json.Unmarshal([]byte(tables), &s.Tables)); err != nil {
			return nil, l.db.WrapError(doing, err)
		}
		out = append(out, s)
	}
	return out, l.db.WrapError(doing, rows.Err())
}

// RemovableSets returns the revisions that were published before an instant, in the order of publication, and are only in
// the archive: all their files were taken away from the target for their age. Those of the movement stay in it: a ledger that is put back
// reads from them which events were published.
func (l *SetReader) RemovableSets(ctx context.Context, before time.Time) ([]*Set, error) {
	return l.querySets(ctx, "read what the archive alone has", `
		WHERE removed_on IS NULL AND retired_on IS NOT NULL AND published < $1 AND basis <> 'movement' AND NOT `+waitingSQL+`
		ORDER BY number`, before.UnixMicro())
}

// ArchivedFiles calls fn for every file of every revision that the archive has to have, manifests included, in the order of
// publication. A file that several revisions share comes once for each.
func (l *SetReader) ArchivedFiles(ctx context.Context, fn func(File) error) error {
	const doing = "read which files are archived"
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var s Set
		var files, manifest string
		if err := rows.Scan(&files, &manifest); err != nil {
			return err
		}
		if err := errors.Join(json.Unmarshal([]byte(files), &s.Files), json.Unmarshal([]byte(manifest), &s.Manifest)); err != nil {
			return err
		}
		for _, f := range s.All() {
			if err := fn(*f); err != nil {
				return err
			}
		}
		return nil
	}, `
		SELECT
			files,
			manifest
		FROM report
		WHERE removed_on IS NULL
		ORDER BY number`)
	return l.db.WrapError(doing, err)
}

// WasPublished reports whether a file of these bytes, named by their SHA-256 in hex, is or was one of a revision.
func (l *SetReader) WasPublished(ctx context.Context, sum string) (bool, error) {
	var n int64
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM report
		WHERE files LIKE '%"' || $1 || '"%'`, sum).Scan(&n)
	return n > 0, l.db.WrapError("look for a published file", err)
}

// LastArchivedSets returns the last revision of each account that the archive has to have.
func (l *SetReader) LastArchivedSets(ctx context.Context) ([]*Set, error) {
	return l.querySets(ctx, "read what was published last", `
		WHERE number IN (
			SELECT MAX(number)
			FROM report
			WHERE removed_on IS NULL
			GROUP BY account)
		ORDER BY number`)
}

// revisionColumns are the columns of a revision, in the order in which they are written and read.
const revisionColumns = `
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
			inputs,
			manifest,
			number,
			published,
			removed_on,
			retired_on,
			state`

func (l *SetReader) querySets(ctx context.Context, doing, where string, args ...any) ([]*Set, error) {
	var out []*Set
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		s := &Set{}
		var tables, files, manifest string
		err := rows.Scan(&s.Account, &s.Basis, sqldb.IntoDate(&s.Period.From), sqldb.IntoDate(&s.Period.To), &s.Filter, &s.Revision,
			&s.Run, sqldb.IntoDate(&s.AsOf), &s.Digest, &tables, &files, &s.Inputs, &manifest, &s.Number, sqldb.IntoTime(&s.Published),
			sqldb.IntoDate(&s.RemovedOn), sqldb.IntoDate(&s.RetiredOn), &s.State, sqldb.IntoBool(&s.Waiting))
		out = append(out, s)
		return errors.Join(err, json.Unmarshal([]byte(tables), &s.Tables), json.Unmarshal([]byte(files), &s.Files),
			json.Unmarshal([]byte(manifest), &s.Manifest))
	}, `
		SELECT`+revisionColumns+`,
			CASE WHEN `+waitingSQL+` THEN 1 ELSE 0 END
		FROM report`+where, args...)
	return out, l.db.WrapError(doing, err)
}
