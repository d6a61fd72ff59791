package runs

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// BeginRun writes the record of a run that begins. Its id must be new.
func (l *Store) BeginRun(ctx context.Context, r *ledger.Run) error {
	if r.ID == "" {
		return errors.New("begin run: the run has no id")
	}
	args, err := runArgs(r)
	if err != nil {
		return err
	}
	return l.db.Transact(ctx, "begin run "+r.ID, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO run (
				id,
				kind,
				started_by,
				parameters,
				as_of,
				clock,
				previous,
				began,
				ended,
				taken_up,
				engine,
				documents,
				accounts,
				pulled,
				windows,
				windows_failed,
				retries,
				bytes,
				cases_new,
				cases_persisting,
				cases_resolved,
				lost,
				late,
				at_risk,
				claimed,
				waived,
				excess,
				sums,
				sets,
				steps,
				verdict,
				verdicts,
				exit_code)
			VALUES (`+sqldb.ListPlaceholders(1, len(args))+`)`, args...)
		return err
	})
}

// EndRun writes the record once more when the run ended, and refuses a run that has ended before. Ending it a second time
// at the same instant changes nothing: of a commit whose connection was lost nobody knows whether it was kept.
func (l *Store) EndRun(ctx context.Context, r *ledger.Run) error {
	if !r.Finished() {
		return errors.New("end run " + r.ID + ": it has no time of its end")
	}
	args, err := runArgs(r)
	if err != nil {
		return err
	}
	return l.db.TransactRepeatable(ctx, "end run "+r.ID, func(t *sqldb.Tx) error {
		res, err := t.ExecContext(ctx, `
			UPDATE run
			SET
				kind = $2,
				started_by = $3,
				parameters = $4,
				as_of = $5,
				clock = $6,
				previous = $7,
				began = $8,
				ended = $9,
				taken_up = $10,
				engine = $11,
				documents = $12,
				accounts = $13,
				pulled = $14,
				windows = $15,
				windows_failed = $16,
				retries = $17,
				bytes = $18,
				cases_new = $19,
				cases_persisting = $20,
				cases_resolved = $21,
				lost = $22,
				late = $23,
				at_risk = $24,
				claimed = $25,
				waived = $26,
				excess = $27,
				sums = $28,
				sets = $29,
				steps = $30,
				verdict = $31,
				verdicts = $32,
				exit_code = $33
			WHERE id = $1 AND ended IS NULL`, args...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		var same bool
		err = t.QueryRowContext(ctx, `
			SELECT COUNT(*) > 0
			FROM run
			WHERE id = $1 AND ended = $2`, r.ID, sqldb.TimeArg(r.Ended)).Scan(&same)
		if err != nil || same {
			return err
		}
		return errors.New("it did not begin here, or has ended already: a run record is never changed after its end")
	})
}

// RunByID returns the record of a run, or ErrNotFound.
func (l *Store) RunByID(ctx context.Context, id string) (*ledger.Run, error) {
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE id = $1`, id))
	return r, l.db.WrapError("read run "+id, err)
}

// LastRun returns the finished run of one of the kinds (any kind if none is given) that began last, or ErrNotFound.
func (l *Store) LastRun(ctx context.Context, kinds ...ledger.RunKind) (*ledger.Run, error) {
	args := make([]any, len(kinds))
	for i, k := range kinds {
		args[i] = string(k)
	}
	where := ""
	if len(kinds) > 0 {
		where = " AND kind IN (" + sqldb.ListPlaceholders(1, len(kinds)) + ")"
	}
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE ended IS NOT NULL`+where+`
		ORDER BY began DESC, id DESC
		LIMIT 1`, args...))
	return r, l.db.WrapError("read the last run", err)
}

// UnfinishedRun gives the run of the kind and as-of that began last, if it did not end: its process was killed, or gave
// up. Otherwise it is ErrNotFound.
func (l *Store) UnfinishedRun(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*ledger.Run, error) {
	doing := "read the unfinished run of " + asOf.String()
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE kind = $1
		ORDER BY began DESC, id DESC
		LIMIT 1`, string(kind)))
	if err == nil && (r.Finished() || r.AsOf != asOf) {
		err = sql.ErrNoRows
	}
	return r, l.db.WrapError(doing, err)
}

// LastReconcileRun returns the finished run that reconciled the account last, or ErrNotFound.
func (l *Store) LastReconcileRun(ctx context.Context, a ledger.Account) (*ledger.Run, error) {
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE ended IS NOT NULL AND id IN (SELECT run FROM reconciled WHERE account = $1)
		ORDER BY began DESC, id DESC
		LIMIT 1`, int64(a)))
	return r, l.db.WrapError("read the last reconcile of account "+a.String(), err)
}
