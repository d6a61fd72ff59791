package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// ReconcileTx is one reconcile of one account: everything it concludes is kept by Commit in one transaction, or not at
// all. It is not safe for use by many goroutines. On SQLite it holds the one writer, so no other method of the ledger
// that writes may be called before it ends.
//
// It begins, restarts and ends the reconcile; its parts write what is concluded: of single rows and cases (conclusionWriter), of sums that
// the rules move (aggregateWriter), and of sums that are read from the rows (totalsWriter).
type ReconcileTx struct {
	*accountTx
	*conclusionWriter
	*aggregateWriter
	*totalsWriter
	leases *runs.LeaseStore
	last   ledger.LastReconcile
	ended  bool
}

// accountTx is what the parts of a reconcile share.
type accountTx struct {
	ctx     context.Context
	t       *sqldb.Tx
	run     *ledger.Run
	account ledger.Account
	digests digests // of the tables that were written
	doing   string
}

// wrapError says in an error what was being done.
func (a *accountTx) wrapError(err error) error { return a.t.DB.WrapError(a.doing, err) }

// checkAccount refuses what belongs to another account.
func (a *accountTx) checkAccount(of ledger.Account) error {
	if of != a.account {
		return fmt.Errorf("%s: handed a row of account %s", a.doing, of)
	}
	return nil
}

// BeginReconcile begins the reconcile of the account by the run. If another run holds the account it returns a
// *LockedError. ctx governs the whole transaction. If the run has reconciled the account before, its results are undone
// first; that is an error if another run has reconciled it since.
func (l *Store) BeginReconcile(ctx context.Context, run *ledger.Run, a ledger.Account) (*ReconcileTx, error) {
	doing := fmt.Sprintf("reconcile account %s in run %s", a, run.ID)
	again, err := l.undoReconcile(ctx, run, a)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	t, err := l.db.Begin(ctx)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	shared := &accountTx{ctx: ctx, t: t, run: run, account: a, doing: doing, digests: make(digests)}
	r := &ReconcileTx{accountTx: shared, leases: l.leases, conclusionWriter: newConclusionWriter(shared, again), aggregateWriter: &aggregateWriter{shared}}
	r.totalsWriter = &totalsWriter{accountTx: shared, conclusions: r.conclusionWriter, aggregates: r.aggregateWriter}
	if err := r.beginAttempt(); err != nil {
		_ = t.Rollback()
		return nil, l.db.WrapError(doing, err)
	}
	return r, nil
}

func (r *ReconcileTx) beginAttempt() error {
	if err := r.t.DB.Dialect.Lock(r.ctx, r.t.Tx, "reconcile/"+r.account.String()); err != nil {
		return err
	}
	// A reconcile alone need not hold a lease; one whose lease was taken over must not write.
	if err := runs.CheckLease(r.ctx, r.t, r.run.ID, r.account); err != nil && !errors.Is(err, runs.ErrNoLease) {
		return err
	}
	if err := r.t.DB.Dialect.PlanWithoutStatistics(r.ctx, r.t.Tx); err != nil {
		return err
	}
	if err := r.readLast(); err != nil {
		return err
	}
	if _, err := r.t.ExecContext(r.ctx, `
		INSERT INTO reconciled (
			account,
			run,
			number,
			as_of)
		SELECT
			CAST($1 AS BIGINT),
			$2,
			COALESCE(MAX(number), 0) + 1,
			CAST($3 AS BIGINT)
		FROM reconciled
		WHERE account = $1`, int64(r.account), r.run.ID, sqldb.DateArg(r.run.AsOf)); err != nil {
		return err
	}
	if err := caselog.RecordActLogEnd(r.ctx, r.t, r.account, r.run.ID); err != nil {
		return err
	}
	if err := r.includePulls(); err != nil {
		return err
	}
	_, err := r.t.ExecContext(r.ctx, "SAVEPOINT attempt")
	return err
}

// readLast reads what the reconcile before rested on.
func (r *ReconcileTx) readLast() error {
	var shadow string
	err := r.t.QueryRowContext(r.ctx, `
		SELECT
			run,
			as_of,
			inputs,
			shadow
		FROM reconciled
		WHERE account = $1
		ORDER BY number DESC, run DESC
		LIMIT 1`, int64(r.account)).Scan(&r.last.Run, sqldb.IntoDate(&r.last.AsOf), &r.last.Inputs, &shadow)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	r.last.Shadow = strings.Fields(shadow)
	return err
}

// LastReconcile is what the reconcile before this one rested on; the zero value when it is the account's first.
func (r *ReconcileTx) LastReconcile() ledger.LastReconcile { return r.last }

// Restart discards what this reconcile wrote, so that it can evaluate once more with other rules.
func (r *ReconcileTx) Restart() error {
	if err := r.t.WaitBackground(); err != nil {
		return r.wrapError(err)
	}
	r.dropConclusions()
	clear(r.digests)
	_, err := r.t.ExecContext(r.ctx, "ROLLBACK TO SAVEPOINT attempt")
	return r.wrapError(err)
}

// RecordInputs keeps what this reconcile rests on, for the next one to compare with.
func (r *ReconcileTx) RecordInputs(inputs string, shadow []string) error {
	_, err := r.t.ExecContext(r.ctx, `
		UPDATE reconciled
		SET
			inputs = $3,
			shadow = $4
		WHERE account = $1 AND run = $2`, int64(r.account), r.run.ID, inputs, strings.Join(shadow, " "))
	return r.wrapError(err)
}

// ConfirmUnitLease is runs.UnitStore.ConfirmUnitLease within the transaction of the reconcile: a process that takes the unit over waits for its end,
// or has it end with nothing.
func (r *ReconcileTx) ConfirmUnitLease(u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	mine, err = runs.ExtendUnitLease(r.ctx, r.t, &u, worker, live)
	return mine, r.wrapError(err)
}

// Commit keeps everything. A lease that was lost meanwhile keeps nothing.
func (r *ReconcileTx) Commit() error {
	if err := r.flushAll(); err != nil {
		return errors.Join(r.wrapError(err), r.Rollback())
	}
	if err := r.recordDigests(); err != nil {
		return errors.Join(r.wrapError(err), r.Rollback())
	}
	if err := runs.CheckLease(r.ctx, r.t, r.run.ID, r.account); err != nil && !errors.Is(err, runs.ErrNoLease) {
		return errors.Join(r.wrapError(err), r.Rollback())
	}
	r.leases.ExtendRunLease(r.ctx, r.t, r.run.ID, r.account)
	r.ended = true
	return r.wrapError(r.t.Commit())
}

// recordDigests records what the reconcile did to the tables of its conclusions, for CheckConclusions to compare, and the months that
// it is about.
func (r *ReconcileTx) recordDigests() error {
	*r.digests.of(r.installments.table.Name) = r.installments.digest
	*r.digests.of(r.slips.table.Name) = r.slips.digest
	text, err1 := r.digests.encode()
	moved, err2 := r.moved.encode()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	_, err := r.t.ExecContext(r.ctx, `
		UPDATE reconciled
		SET
			digests = $3,
			moved = $4,
			events = $5
		WHERE account = $1 AND run = $2`, int64(r.account), r.run.ID, text, moved, r.caseEvents)
	return err
}

// Rollback keeps nothing. After Commit it does nothing, so it may be deferred.
func (r *ReconcileTx) Rollback() error {
	if r.ended {
		return nil
	}
	r.ended = true
	// A cancelled context has rolled back already.
	if err := r.t.Rollback(); err != nil && r.ctx.Err() == nil {
		return r.wrapError(err)
	}
	return nil
}

// undoReconcile undoes what the run kept of the account when it reconciled it before, except findings: their events stay.
// again reports whether there was anything. It is a transaction of its own, because what streams to the rules reads what is committed.
func (l *Store) undoReconcile(ctx context.Context, run *ledger.Run, a ledger.Account) (again bool, err error) {
	number, last, err := reconcileNumber(ctx, l.db.Read, a, run.ID)
	if err != nil || number < 0 {
		return false, err
	}
	if last != run.ID {
		return true, fmt.Errorf("run %s has reconciled the account since: begin a new run", last)
	}
	return true, l.db.Transact(ctx, "undo what run "+run.ID+" concluded", func(t *sqldb.Tx) error {
		if err := runs.CheckLease(ctx, t, run.ID, a); err != nil && !errors.Is(err, runs.ErrNoLease) {
			return err
		}
		for _, table := range [...]string{"expectation", "slip_expectation", "bridge", "rounding", "population", "continuity", "forecast", "forecast_part", "month_part", "waiting", "day_sum"} {
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

// HasLaterReconcile reports whether a later run has reconciled the account, so that the expectations of this run can no longer be
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
