package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// ReconcileTx is one reconcile of one account: everything it concludes is kept by Commit in one transaction, or not at
// all. It is not safe for use by many goroutines. On SQLite it holds the one writer, so no other method of the ledger
// that writes may be called before it ends.
type ReconcileTx struct {
	ctx          context.Context
	t            *sqldb.Tx
	runs         *runs.Store
	run          *ledger.Run
	account      ledger.Account
	last         ledger.LastReconcile
	installments *expectationWriter
	slips        *expectationWriter
	digests      digests      // of the tables of sums
	sale         *ledger.Sale // see SetSale
	saleIsNoted  bool         // its months are in moved
	moved        MovedMonths
	caseEvents   int64      // events of cases that were written
	totals       cardTotals // what was summed ahead: the writer's until the transaction has settled
	cases        *caselog.Writer
	words        *facts.WordWriter
	doing        string
	ended        bool
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
	r := &ReconcileTx{ctx: ctx, t: t, runs: l.runs, run: run, account: a, doing: doing, digests: make(digests), moved: make(MovedMonths)}
	r.cases = caselog.NewWriter(ctx, t, run, a, again, doing)
	r.words = facts.NewWordWriter(ctx, t, a, run.ID)
	r.installments = newExpectationWriter(t, run.ID, InstallmentExpectations)
	r.slips = newExpectationWriter(t, run.ID, SlipExpectations)
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
		return r.t.DB.WrapError(r.doing, err)
	}
	r.installments.dropBatch()
	r.slips.dropBatch()
	r.totals = cardTotals{}
	r.cases.Drop()
	r.words.Drop()
	clear(r.digests)
	clear(r.moved)
	r.sale, r.saleIsNoted, r.caseEvents = nil, false, 0
	_, err := r.t.ExecContext(r.ctx, "ROLLBACK TO SAVEPOINT attempt")
	return r.t.DB.WrapError(r.doing, err)
}

// SetSale says that what is written from here on is about the rows of a sale, which have their whole histories; nil: about anything. So
// the reconcile knows of which months it changed something, and by which words people look for what is new of the sale.
func (r *ReconcileTx) SetSale(s *ledger.Sale) {
	if r.sale, r.saleIsNoted = s, false; s != nil {
		r.words.AddSale(s)
	}
}

// noteMoved notes that something about the sale at hand changed, or, without one, anything.
func (r *ReconcileTx) noteMoved() {
	switch {
	case r.sale == nil:
		r.moved.addEverything()
	case !r.saleIsNoted:
		r.moved.addSale(r.sale)
		r.saleIsNoted = true
	}
}

// RecordInputs keeps what this reconcile rests on, for the next one to compare with.
func (r *ReconcileTx) RecordInputs(inputs string, shadow []string) error {
	_, err := r.t.ExecContext(r.ctx, `
		UPDATE reconciled
		SET
			inputs = $3,
			shadow = $4
		WHERE account = $1 AND run = $2`, int64(r.account), r.run.ID, inputs, strings.Join(shadow, " "))
	return r.t.DB.WrapError(r.doing, err)
}

// checkAccount refuses what belongs to another account.
func (r *ReconcileTx) checkAccount(a ledger.Account) error {
	if a != r.account {
		return fmt.Errorf("%s: handed a row of account %s", r.doing, a)
	}
	return nil
}

// WriteExpectation writes the run's expectation of an installment's version unless the current one, before, is equal, and
// reports whether it differs. e.Run is ignored: it is the run's. It is called once for each key.
func (r *ReconcileTx) WriteExpectation(e *ledger.Expectation, before *ledger.StoredExpectation) (bool, error) {
	if err := r.checkAccount(e.Key.Account); err != nil {
		return false, err
	}
	if err := r.dropReadTotals(); err != nil {
		return false, r.t.DB.WrapError(r.doing, err)
	}
	other, err := r.installments.writeIfChanged(r.ctx, before, func(row sqldb.Row) { putKey(row, &e.Key) },
		func(row sqldb.Row) error { return putExpectation(row, e) })
	if other {
		r.noteMoved()
		r.moved.add(saleDays, e.Key.Day)
	}
	return other, r.t.DB.WrapError(r.doing, err)
}

// WriteSlipExpectation is WriteExpectation for a slip.
func (r *ReconcileTx) WriteSlipExpectation(e *ledger.SlipExpectation, before *ledger.StoredExpectation) (bool, error) {
	if err := r.checkAccount(e.Account); err != nil {
		return false, err
	}
	key := func(row sqldb.Row) {
		row.Int(int64(e.Account))
		row.Text(e.ID)
	}
	other, err := r.slips.writeIfChanged(r.ctx, before, key, func(row sqldb.Row) error {
		putSlipExpectation(row, e)
		return nil
	})
	return other, r.t.DB.WrapError(r.doing, err)
}

// ReplaceExpectation is WriteExpectation for a caller that did not read the current expectation: it is looked up. The last one
// written by a run holds.
func (r *ReconcileTx) ReplaceExpectation(e *ledger.Expectation) error {
	if err := r.checkAccount(e.Key.Account); err != nil {
		return err
	}
	before, err := r.installments.readCurrent(r.ctx, keyArgs(e.Key))
	if err == nil {
		_, err = r.WriteExpectation(e, before)
	}
	return r.t.DB.WrapError(r.doing, err)
}

// ReplaceSlipExpectation is ReplaceExpectation for a slip.
func (r *ReconcileTx) ReplaceSlipExpectation(e *ledger.SlipExpectation) error {
	if err := r.checkAccount(e.Account); err != nil {
		return err
	}
	before, err := r.slips.readCurrent(r.ctx, []any{int64(e.Account), e.ID})
	if err == nil {
		_, err = r.WriteSlipExpectation(e, before)
	}
	return r.t.DB.WrapError(r.doing, err)
}

// EndExpectation ends the current expectation of an installment that vanished.
func (r *ReconcileTx) EndExpectation(k ledger.InstallmentKey) error {
	if err := r.checkAccount(k.Account); err != nil {
		return err
	}
	r.noteMoved()
	r.moved.add(saleDays, k.Day)
	err := r.dropReadTotals()
	if err == nil {
		err = r.installments.endCurrent(r.ctx, keyArgs(k))
	}
	return r.t.DB.WrapError(r.doing, err)
}

// EndSlipExpectation ends the current expectation of a slip that no list shows any more.
func (r *ReconcileTx) EndSlipExpectation(id string) error {
	return r.t.DB.WrapError(r.doing, r.slips.endCurrent(r.ctx, []any{int64(r.account), id}))
}

// flushAll writes what is gathered.
func (r *ReconcileTx) flushAll() error {
	if err := r.installments.flushBatch(r.ctx); err != nil {
		return err
	}
	if err := r.cases.Flush(); err != nil {
		return err
	}
	if err := r.slips.flushBatch(r.ctx); err != nil {
		return err
	}
	return r.t.WaitBackground()
}

// AddWords adds the words by which people look for what this reconcile is the first to take into account; with all it makes those of
// everything anew.
func (r *ReconcileTx) AddWords(all bool) error { return r.t.DB.WrapError(r.doing, r.words.Finish(all)) }

// ConfirmUnitLease is runs.Store.ConfirmUnitLease within the transaction of the reconcile: a process that takes the unit over waits for its end,
// or has it end with nothing.
func (r *ReconcileTx) ConfirmUnitLease(u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	mine, err = runs.ExtendUnitLease(r.ctx, r.t, &u, worker, live)
	return mine, r.t.DB.WrapError(r.doing, err)
}

// Commit keeps everything. A lease that was lost meanwhile keeps nothing.
func (r *ReconcileTx) Commit() error {
	if err := r.flushAll(); err != nil {
		return errors.Join(r.t.DB.WrapError(r.doing, err), r.Rollback())
	}
	if err := r.recordDigests(); err != nil {
		return errors.Join(r.t.DB.WrapError(r.doing, err), r.Rollback())
	}
	if err := runs.CheckLease(r.ctx, r.t, r.run.ID, r.account); err != nil && !errors.Is(err, runs.ErrNoLease) {
		return errors.Join(r.t.DB.WrapError(r.doing, err), r.Rollback())
	}
	if err := r.runs.ExtendRunLease(r.ctx, r.t, r.run.ID, r.account); err != nil {
		return errors.Join(r.t.DB.WrapError(r.doing, err), r.Rollback())
	}
	r.ended = true
	return r.t.DB.WrapError(r.doing, r.t.Commit())
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
		return r.t.DB.WrapError(r.doing, err)
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
