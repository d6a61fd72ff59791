package runs

import (
	"context"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ExtendUnitLease extends the worker's lease of a unit, which does not count as an attempt, and reports whether the worker still
// holds it. A unit that is done, or was taken over meanwhile, is left alone.
func (l *Store) ExtendUnitLease(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	err = l.db.TransactRepeatable(ctx, "prolong the "+u.String(), func(t *sqldb.Tx) error {
		mine, err = ExtendUnitLease(ctx, t, &u, worker, live)
		return err
	})
	return mine && err == nil, err
}

// ConfirmUnitLease is Prolong for a worker that is about to do what no transaction can undo, such as making a file visible: the
// run must hold the account, too (ErrNoLease, *LockedError).
func (l *Store) ConfirmUnitLease(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	err = l.db.TransactRepeatable(ctx, "go on with the "+u.String(), func(t *sqldb.Tx) error {
		if err := CheckLease(ctx, t, u.Run, u.Account); err != nil {
			return err
		}
		mine, err = ExtendUnitLease(ctx, t, &u, worker, live)
		return err
	})
	return mine && err == nil, err
}

func ExtendUnitLease(ctx context.Context, t *sqldb.Tx, u *ledger.WorkUnit, worker string, live time.Duration) (bool, error) {
	res, err := t.ExecContext(ctx, `
		UPDATE unit
		SET until = $6
		WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state = 'leased' AND worker = $5`,
		int64(u.Account), u.Run, string(u.Kind), u.What, worker, t.DB.Now().Add(live).UnixMicro())
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// CancelUnits ends those units of the run, of the given kinds, that are not done, whether or not somebody has begun them:
// the worker of one finds that it lost it, and the process that leads the run now plans them again. The run must hold
// the accounts.
func (l *Store) CancelUnits(ctx context.Context, run string, accounts []ledger.Account, why string, kinds ...ledger.UnitKind) error {
	return l.db.TransactRepeatable(ctx, "call off the units of run "+run, func(t *sqldb.Tx) error {
		for _, a := range accounts {
			if err := CheckLease(ctx, t, run, a); err != nil {
				return err
			}
			for _, kind := range kinds {
				if _, err := t.ExecContext(ctx, `
					UPDATE unit
					SET
						attempts = CASE WHEN state = 'leased' THEN attempts ELSE attempts + 1 END,
						state = 'failed',
						until = 0,
						failure = $4
					WHERE account = $1 AND run = $2 AND kind = $3 AND state IN ('planned', 'leased')`,
					int64(a), run, string(kind), why); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ReleaseUnit frees a unit that the worker began and cannot finish, and records why. A unit that is done, or was taken over
// meanwhile, is left alone.
func (l *Store) ReleaseUnit(ctx context.Context, u ledger.WorkUnit, worker, why string) error {
	return l.db.TransactRepeatable(ctx, "give back the "+u.String(), func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE unit
			SET
				state = 'planned',
				until = 0,
				failure = $6
			WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state = 'leased' AND worker = $5`,
			int64(u.Account), u.Run, string(u.Kind), u.What, worker, why)
		return err
	})
}
