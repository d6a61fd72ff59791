package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"concilia/store/engine"
	"concilia/store/ledger"
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
}

// StandingSet gives the last revision of a set, or ErrNotFound.
func (l *Ledger) StandingSet(ctx context.Context, account, basis string, period ledger.Period, filter string,
) (*Set, error) {
	s := &Set{Account: account, Basis: basis, Period: period, Filter: filter}
	var tables, files string
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT
			revision,
			run,
			as_of,
			digest,
			tables,
			files
		FROM report
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5
		ORDER BY revision DESC
		LIMIT 1`, account, basis, int64(period.From), int64(period.To), filter).
		Scan(&s.Revision, &s.Run, scanDate{&s.AsOf}, &s.Digest, &tables, &files)
	if err == nil {
		err = errors.Join(json.Unmarshal([]byte(tables), &s.Tables), json.Unmarshal([]byte(files), &s.Files))
	}
	if err != nil {
		return nil, l.fault(fmt.Sprintf("read the set of %s, %s %s", account, basis, period), err)
	}
	return s, nil
}

// KeepSet keeps a revision that was published. A revision is kept once and never changed.
func (l *Ledger) KeepSet(ctx context.Context, s *Set) error {
	doing := fmt.Sprintf("keep the set of %s, %s %s r%d", s.Account, s.Basis, s.Period, s.Revision)
	tables, err1 := marshal(s.Tables)
	files, err2 := marshal(s.Files)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return l.write(ctx, doing, func(t *tx) error {
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
				files)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision), s.Run,
			sqlDate(s.AsOf), s.Digest, tables, files)
		if l.db.Dialect.Class(err) == engine.Duplicate {
			return errors.New("this revision is kept already: a published revision never changes")
		}
		return err
	})
}
