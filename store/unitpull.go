package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// doneBefore is the failure of a pull whose units another worker had done when its answer came.
const doneBefore = "its days were kept meanwhile by another worker of the run: this answer was not needed"

// done says whether all units of the pull are done already. A pull of no unit is not.
func (t *tx) done(ctx context.Context, p *ledger.Pull) (bool, error) {
	if len(p.Units) == 0 {
		return false, nil
	}
	w := &where{}
	w.add("account = " + w.arg(int64(p.Window.Account)))
	w.add("run = " + w.arg(p.Run))
	w.add("kind = 'pull' AND state = 'done'")
	whereIn(w, "what", p.Units, func(u ledger.WorkUnit) any { return u.What })
	var n int
	err := each(ctx, t, func(rows *sql.Rows) error { return rows.Scan(&n) }, `
		SELECT COUNT(*)
		FROM unit`+w.text(), w.args...)
	return n == len(p.Units), err
}

// finishPull ends the units of a pull that is kept: done by one that is complete, failed by another.
func (t *tx) finishPull(ctx context.Context, p *ledger.Pull) error {
	units := make([]ledger.WorkUnit, len(p.Units))
	for i, u := range p.Units {
		u.State, u.Hash, u.Failure, u.Result = ledger.UnitDone, p.SHA256, "", nil
		if !p.Complete {
			u.State, u.Rows, u.Hash, u.Failure = ledger.UnitFailed, 0, "", p.Failure
		}
		units[i] = u
	}
	return t.finish(ctx, units)
}
