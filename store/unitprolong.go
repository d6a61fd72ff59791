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
		res, err := t.ExecContext(ctx, `
			UPDATE unit
			SET until = $6
			WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state = 'leased' AND worker = $5`,
			int64(u.Account), u.Run, string(u.Kind), u.What, worker, t.l.now().Add(live).UnixMicro())
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		mine = n == 1
		return err
	})
	return mine && err == nil, err
}
