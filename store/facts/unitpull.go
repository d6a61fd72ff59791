package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// doneMeanwhile is the failure of a pull whose units another worker had done when its answer came.
const doneMeanwhile = "its days were kept meanwhile by another worker of the run: this answer was not needed"

// unitsDone says whether all units of the pull are done already. A pull of no unit is not.
func unitsDone(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) (bool, error) {
	if len(p.Units) == 0 {
		return false, nil
	}
	w := &sqldb.Conditions{}
	w.Add("account = " + w.AddArg(int64(p.Window.Account)))
	w.Add("run = " + w.AddArg(p.Run))
	w.Add("kind = 'pull' AND state = 'done'")
	sqldb.AddIn(w, "what", p.Units, func(u ledger.WorkUnit) any { return u.What })
	var n int
	err := sqldb.EachRow(ctx, t, func(rows *sql.Rows) error { return rows.Scan(&n) }, `
		SELECT COUNT(*)
		FROM unit`+w.Where(), w.Args...)
	return n == len(p.Units), err
}

// finishPullUnits ends the units of a pull that is kept: done by one that is complete, failed by another.
func finishPullUnits(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) error {
	units := make([]ledger.WorkUnit, len(p.Units))
	for i, u := range p.Units {
		u.State, u.Hash, u.Failure, u.Result = ledger.UnitDone, p.SHA256, "", nil
		if !p.Complete {
			u.State, u.Rows, u.Hash, u.Failure = ledger.UnitFailed, 0, "", p.Failure
		}
		units[i] = u
	}
	return runs.FinishUnits(ctx, t, units)
}
