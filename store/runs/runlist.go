package runs

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RunFilter chooses runs. An empty member chooses all.
type RunFilter struct {
	Kinds []ledger.RunKind
	AsOf  ledger.Period // the first and the last as-of; a zero end is open
	Limit int           // of the last ones
}

// Runs returns the selected runs, including unfinished ones, latest first.
func (l *Store) Runs(ctx context.Context, f RunFilter) ([]*ledger.Run, error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "kind", f.Kinds, func(k ledger.RunKind) any { return string(k) })
	if f.AsOf.From != 0 {
		w.Add("as_of >= " + w.AddArg(int64(f.AsOf.From)))
	}
	if f.AsOf.To != 0 {
		w.Add("as_of <= " + w.AddArg(int64(f.AsOf.To)))
	}
	limit := ""
	if f.Limit > 0 {
		limit = `
		LIMIT ` + w.AddArg(int64(f.Limit))
	}
	return l.queryRuns(ctx, "list the runs", w.Where()+`
		ORDER BY began DESC, id DESC`+limit, w.Args...)
}

// AmbiguousError means that a prefix matches the ids of several runs, of which One and Other are two.
type AmbiguousError struct{ Text, One, Other string }

func (e *AmbiguousError) Error() string {
	return "more runs than one begin with " + e.Text + ": " + e.One + ", " + e.Other
}

// FindRun returns the run whose id is text, or the only one whose id begins with it, or else ErrNotFound or an
// *AmbiguousError.
func (l *Store) FindRun(ctx context.Context, text string) (*ledger.Run, error) {
	doing := "read run " + text
	if text == "" {
		return nil, l.db.WrapError(doing, sql.ErrNoRows)
	}
	exact, err := l.RunByID(ctx, text)
	if err == nil || !errors.Is(err, sqldb.ErrNotFound) {
		return exact, err
	}
	found, err := l.queryRuns(ctx, doing, `
		WHERE SUBSTR(id, 1, $2) = $1
		ORDER BY id
		LIMIT 2`, text, int64(len(text)))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, l.db.WrapError(doing, sql.ErrNoRows)
	case len(found) > 1:
		return nil, &AmbiguousError{Text: text, One: found[0].ID, Other: found[1].ID}
	}
	return found[0], nil
}

func (l *Store) queryRuns(ctx context.Context, doing, which string, args ...any) ([]*ledger.Run, error) {
	var out []*ledger.Run
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		out = append(out, r)
		return err
	}, selectRun+which, args...)
	return out, l.db.WrapError(doing, err)
}
