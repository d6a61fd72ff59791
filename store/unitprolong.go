package store

import (
	"context"
	"time"

	"concilia/store/ledger"
)

// Prolong extends the worker's lease of a unit, which counts no attempt, and says whether the unit is still its own. A unit
// that was done or taken over meanwhile is left alone.
func (l *Ledger) Prolong(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	err = l.writeAgain(ctx, "prolong the "+u.String(), func(t *tx) error {
		mine, err = t.prolong(ctx, &u, worker, live)
		return err
	})
	return mine && err == nil, err
}

// StillMine is Prolong for a worker that is about to do what no transaction can undo, such as making a file visible: the
// run must hold the account, too (ErrNotHeld, *LockedError).
func (l *Ledger) StillMine(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	err = l.writeAgain(ctx, "go on with the "+u.String(), func(t *tx) error {
		if err := t.holds(ctx, u.Run, u.Account); err != nil {
			return err
		}
		mine, err = t.prolong(ctx, &u, worker, live)
		return err
	})
	return mine && err == nil, err
}

func (t *tx) prolong(ctx context.Context, u *ledger.WorkUnit, worker string, live time.Duration) (bool, error) {
	res, err := t.ExecContext(ctx, `
		UPDATE unit
		SET until = $6
		WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state = 'leased' AND worker = $5`,
		int64(u.Account), u.Run, string(u.Kind), u.What, worker, t.l.now().Add(live).UnixMicro())
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// GiveBack frees a unit that the worker began and does not end, and keeps why, so that whoever does it can tell. A unit
// that was done or taken over meanwhile is left alone.
func (l *Ledger) GiveBack(ctx context.Context, u ledger.WorkUnit, worker, why string) error {
	return l.writeAgain(ctx, "give back the "+u.String(), func(t *tx) error {
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
