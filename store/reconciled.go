package store

import (
	"context"
	"errors"
	"fmt"

	"concilia/store/ledger"
)

// Reconciling is one reconcile of one account: everything it believes is kept by Commit in one transaction, or not at
// all. It is not safe for use by many goroutines. On SQLite it holds the one writer, so no other method of the ledger
// that writes may be called before it ends.
type Reconciling struct {
	ctx     context.Context
	t       *tx
	run     *ledger.Run
	account ledger.Account
	cards   *believing
	slips   *believing
	doing   string
	over    bool
}

// Reconciling begins the reconcile of the account by the run. Another run's lease of the account is a *LockedError;
// the context governs the whole transaction.
func (l *Ledger) Reconciling(ctx context.Context, run *ledger.Run, a ledger.Account) (*Reconciling, error) {
	doing := fmt.Sprintf("reconcile account %s in run %s", a, run.ID)
	t, err := l.begin(ctx)
	if err != nil {
		return nil, l.fault(doing, err)
	}
	r := &Reconciling{ctx: ctx, t: t, run: run, account: a, doing: doing}
	if err := r.prepare(); err != nil {
		_ = t.Rollback()
		return nil, l.fault(doing, err)
	}
	return r, nil
}

func (r *Reconciling) prepare() error {
	if err := r.t.l.db.Dialect.Lock(r.ctx, r.t.Tx, "reconcile/"+r.account.String()); err != nil {
		return err
	}
	// A reconcile alone need not hold a lease; one whose lease was taken over must not write.
	if err := r.t.holds(r.ctx, r.run.ID, r.account); err != nil && !errors.Is(err, ErrNotHeld) {
		return err
	}
	var err error
	if r.cards, err = r.believing(findExpectation, insertExpectation); err != nil {
		return err
	}
	if r.slips, err = r.believing(findSlipExpectation, insertSlipExpectation); err != nil {
		return err
	}
	// What an earlier, broken attempt of the same run left cannot be there: it was one transaction. What the same run
	// committed before is replaced, so that reconciling twice is reconciling once.
	for _, table := range []string{"bridge", "tally", "rounding"} {
		_, err := r.t.ExecContext(r.ctx, "DELETE FROM "+table+" WHERE account = $1 AND run = $2",
			int64(r.account), r.run.ID)
		if err != nil {
			return err
		}
	}
	_, err = r.t.ExecContext(r.ctx, `
		INSERT INTO reconciled (
			account,
			run)
		VALUES ($1, $2)
		ON CONFLICT (account, run) DO NOTHING`, int64(r.account), r.run.ID)
	return err
}

func (r *Reconciling) believing(find, insert string) (*believing, error) {
	b := &believing{t: r.t, run: r.run.ID}
	var err error
	if b.find, err = r.t.PrepareContext(r.ctx, find); err != nil {
		return nil, err
	}
	b.insert, err = r.t.PrepareContext(r.ctx, insert)
	return b, err
}

// mine refuses what belongs to another account.
func (r *Reconciling) mine(a ledger.Account) error {
	if a != r.account {
		return fmt.Errorf("%s: handed a row of account %s", r.doing, a)
	}
	return nil
}

// Expectation keeps what the run believes of an installment's version, unless exactly that stands already. e.Run is not
// read: it is the run's.
func (r *Reconciling) Expectation(e *ledger.Expectation) error {
	if err := r.mine(e.Key.Account); err != nil {
		return err
	}
	return r.t.l.fault(r.doing, r.cards.expectation(r.ctx, e))
}

// SlipExpectation keeps what the run believes of a slip, as Expectation does.
func (r *Reconciling) SlipExpectation(e *ledger.SlipExpectation) error {
	if err := r.mine(e.Account); err != nil {
		return err
	}
	return r.t.l.fault(r.doing, r.slips.slipExpectation(r.ctx, e))
}

// Commit keeps everything. A lease that was lost meanwhile keeps nothing.
func (r *Reconciling) Commit() error {
	if err := r.t.holds(r.ctx, r.run.ID, r.account); err != nil && !errors.Is(err, ErrNotHeld) {
		return errors.Join(r.t.l.fault(r.doing, err), r.Rollback())
	}
	if err := r.t.alive(r.ctx, r.run.ID, r.account); err != nil {
		return errors.Join(r.t.l.fault(r.doing, err), r.Rollback())
	}
	r.over = true
	return r.t.l.fault(r.doing, r.t.Commit())
}

// Rollback keeps nothing. After Commit it does nothing, so it may be deferred.
func (r *Reconciling) Rollback() error {
	if r.over {
		return nil
	}
	r.over = true
	// A cancelled context has rolled back already.
	if err := r.t.Rollback(); err != nil && r.ctx.Err() == nil {
		return r.t.l.fault(r.doing, err)
	}
	return nil
}
