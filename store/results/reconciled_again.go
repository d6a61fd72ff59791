package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// undoReconcile undoes what the run kept of the account when it reconciled it before, findings apart: their events tell what
// was told. again says that there was something. It is a transaction of its own, because what streams to the rules reads what is committed.
func (l *Store) undoReconcile(ctx context.Context, run *ledger.Run, a ledger.Account) (again bool, err error) {
	number, last, err := reconcileNumber(ctx, l.db.Read, a, run.ID)
	if err != nil || number < 0 {
		return false, err
	}
	if last != run.ID {
		return true, fmt.Errorf("run %s has reconciled the account since: begin a new run", last)
	}
	return true, l.db.Transact(ctx, "take back what run "+run.ID+" believed", func(t *sqldb.Tx) error {
		if err := runs.CheckLease(ctx, t, run.ID, a); err != nil && !errors.Is(err, runs.ErrNoLease) {
			return err
		}
		for _, table := range [...]string{"expectation", "slip_expectation", "bridge", "rounding", "population", "continuity"} {
			if _, err := t.ExecContext(ctx, "DELETE FROM "+table+" WHERE account = $1 AND run = $2", int64(a), run.ID); err != nil {
				return err
			}
			if _, err := t.ExecContext(ctx, "UPDATE "+table+" SET ended_run = NULL WHERE account = $1 AND ended_run = $2",
				int64(a), run.ID); err != nil {
				return err
			}
		}
		for _, query := range [...]string{
			"DELETE FROM tally WHERE account = $1 AND run = $2",
			"UPDATE pull SET judged = NULL WHERE account = $1 AND judged = $2",
			"UPDATE notification SET judged = NULL WHERE account = $1 AND judged = $2",
			"DELETE FROM reconciled WHERE account = $1 AND run = $2",
			"DELETE FROM restatement WHERE account = $1 AND run = $2",
			"DELETE FROM restated WHERE account = $1 AND run = $2",
		} {
			if _, err := t.ExecContext(ctx, query, int64(a), run.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// reconcileNumber gives the number under which the run reconciled the account, or -1, and the run that did so last.
func reconcileNumber(ctx context.Context, q sqldb.Querier, a ledger.Account, run string) (number int64, last string, err error) {
	number = -1
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n, &last)
		if last == run {
			number = n
		}
		return err
	}, `
		SELECT
			number,
			run
		FROM reconciled
		WHERE account = $1
		ORDER BY number, run`, int64(a))
	return number, last, err
}

// HasLaterReconcile reports whether a later run has reconciled the account, so that the beliefs of this run can no longer be
// inserted before it.
func (l *Store) HasLaterReconcile(ctx context.Context, a ledger.Account, run string) (bool, error) {
	var later int
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*)
		FROM reconciled
		WHERE account = $1 AND run > $2`, int64(a), run).Scan(&later)
	return later > 0, l.db.WrapError("read the reconciles of account "+a.String(), err)
}
