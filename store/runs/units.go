package runs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// UnitFilter chooses units of a run. Without Kind or States it is all kinds, all states; without Accounts it is none.
type UnitFilter struct {
	Accounts []ledger.Account
	Kind     ledger.UnitKind
	States   []ledger.UnitState
}

// PlanUnits inserts the units that do not exist yet, in one transaction. Existing units keep their state.
func (l *UnitStore) PlanUnits(ctx context.Context, units []ledger.WorkUnit) error {
	if len(units) == 0 {
		return nil
	}
	return l.db.TransactRepeatable(ctx, fmt.Sprintf("plan %d units of run %s", len(units), units[0].Run), func(t *sqldb.Tx) error {
		for _, a := range unitAccounts(units) {
			if err := CheckLease(ctx, t, units[0].Run, a); err != nil {
				return err
			}
		}
		return t.ExecBatch(ctx, `
			INSERT INTO unit (
				account,
				run,
				kind,
				what,
				state,
				reason,
				attempts,
				rows_seen,
				hash,
				failure,
				worker,
				until)
			VALUES ($1, $2, $3, $4, 'planned', $5, 0, 0, '', '', '', 0)
			ON CONFLICT (account, run, kind, what) DO NOTHING`, len(units), func(i int) []any {
			u := &units[i]
			return []any{int64(u.Account), u.Run, string(u.Kind), u.What, u.Reason}
		})
	})
}

func unitAccounts(units []ledger.WorkUnit) []ledger.Account {
	var out []ledger.Account
	for i := range units {
		out = append(out, units[i].Account)
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// Units gives the run's units that the filter chooses, by account, kind and what: days of a list in order. Their leases end by
// this machine's clock.
func (l *UnitStore) Units(ctx context.Context, run string, f UnitFilter) ([]ledger.WorkUnit, error) {
	doing := "read the units of run " + run
	if len(f.Accounts) == 0 {
		return nil, nil
	}
	w := &sqldb.Conditions{}
	sqldb.AddIn(w, "account", f.Accounts, func(a ledger.Account) any { return int64(a) })
	w.Add("run = " + w.AddArg(run))
	if f.Kind != "" {
		w.Add("kind = " + w.AddArg(string(f.Kind)))
	}
	sqldb.AddIn(w, "state", f.States, func(s ledger.UnitState) any { return string(s) })
	var out []ledger.WorkUnit
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		u, err := scanUnit(rows)
		out = append(out, u)
		return err
	}, selectUnit+w.Where()+`
		ORDER BY account, kind, what`, w.Args...)
	if err == nil {
		err = l.useOwnClock(ctx, out)
	}
	return out, l.db.WrapError(doing, err)
}

// useOwnClock turns the ends of leases from the clock that the processes share into this machine's.
func (l *UnitStore) useOwnClock(ctx context.Context, units []ledger.WorkUnit) error {
	if !slices.ContainsFunc(units, func(u ledger.WorkUnit) bool { return u.State == ledger.UnitLeased }) {
		return nil
	}
	shared, err := l.db.SharedNow(ctx, l.db.Read)
	if err != nil {
		return err
	}
	ahead := l.db.Now().Sub(shared)
	for i := range units {
		if u := &units[i]; u.State == ledger.UnitLeased {
			u.Until = u.Until.Add(ahead)
		}
	}
	return nil
}

// Unit returns the unit of that key, or ErrNotFound.
func (l *UnitStore) Unit(ctx context.Context, key ledger.WorkUnit) (ledger.WorkUnit, error) {
	u, err := readUnit(ctx, l.db.Read, &key)
	return u, l.db.WrapError("read the "+key.String(), err)
}

func readUnit(ctx context.Context, q sqldb.Querier, key *ledger.WorkUnit) (ledger.WorkUnit, error) {
	var out ledger.WorkUnit
	found := false
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) (err error) {
		out, err = scanUnit(rows)
		found = true
		return err
	}, selectUnit+`
		WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4`,
		int64(key.Account), key.Run, string(key.Kind), key.What)
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return out, err
}

// ThisWorker identifies this process as a worker.
func (l *UnitStore) ThisWorker() string { return l.self.String() }

// ClaimUnit leases the unit to the worker for live and counts the attempt. It returns false and changes nothing if the unit
// is done or leased to another worker. A lease that has expired, or whose process is known to have ended, is taken over;
// the worker's own is extended. The run must hold the account.
func (l *UnitStore) ClaimUnit(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (taken bool, err error) {
	err = l.db.TransactRepeatable(ctx, "claim the "+u.String(), func(t *sqldb.Tx) error {
		taken = false
		if err := CheckLease(ctx, t, u.Run, u.Account); err != nil {
			return err
		}
		was, err := readUnit(ctx, t, &u)
		if err != nil || was.State == ledger.UnitDone {
			return err
		}
		if was.State == ledger.UnitLeased && was.Worker != worker {
			now, err := t.DB.SharedNow(ctx, t)
			if err != nil || now.Before(was.Until) && !parseProcess(was.Worker).hasEnded(l.self) {
				return err
			}
		}
		// Every claim counts an attempt, so that of two who read the same row one finds it changed.
		now, args := t.DB.SharedNowSQL(int64(u.Account), u.Run, string(u.Kind), u.What, worker, live.Microseconds(), string(was.State), int64(was.Attempts))
		res, err := t.ExecContext(ctx, `
			UPDATE unit
			SET
				state = 'leased',
				attempts = attempts + 1,
				worker = $5,
				until = `+now+` + $6
			WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state = $7 AND attempts = $8`, args...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		taken = n == 1
		return err
	})
	return taken && err == nil, err
}

// FinishUnit writes the state, rows, hash, failure and result of a unit. A unit whose state is not final becomes free again.
// A unit that is done, or whose worker has lost its lease, is left alone. The run must hold the account.
func (l *UnitStore) FinishUnit(ctx context.Context, u ledger.WorkUnit) error {
	if u.State == ledger.UnitLeased || u.State == "" {
		return errors.New("finish the " + u.String() + ": it has no state to end in")
	}
	return l.db.TransactRepeatable(ctx, "finish the "+u.String(), func(t *sqldb.Tx) error {
		if err := CheckLease(ctx, t, u.Run, u.Account); err != nil {
			return err
		}
		if u.Worker != "" {
			if mine, err := ExtendUnitLease(ctx, t, &u, u.Worker, 0); err != nil || !mine {
				return err
			}
		}
		FinishUnits(ctx, t, []ledger.WorkUnit{u})
		return nil
	})
}

// FinishUnits ends units within the transaction of what they did. One that was not leased, because it was done along with
// others, counts its attempt here.
func FinishUnits(ctx context.Context, t *sqldb.Tx, units []ledger.WorkUnit) {
	for i := range units {
		u := &units[i]
		t.ExecLater(ctx, `
		UPDATE unit
		SET
			state = $5,
			attempts = CASE WHEN state = 'leased' OR $5 = 'planned' THEN attempts ELSE attempts + 1 END,
			rows_seen = $6,
			hash = $7,
			failure = $8,
			until = 0,
			result = $9
		WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state <> 'done'`,
			int64(u.Account), u.Run, string(u.Kind), u.What, string(u.State), u.Rows, u.Hash, u.Failure, u.Result)
	}
}

const selectUnit = `
		SELECT
			account,
			run,
			kind,
			what,
			state,
			reason,
			attempts,
			rows_seen,
			hash,
			failure,
			worker,
			until,
			result
		FROM unit`

func scanUnit(rows *sql.Rows) (ledger.WorkUnit, error) {
	var u ledger.WorkUnit
	err := rows.Scan(&u.Account, &u.Run, &u.Kind, &u.What, &u.State, &u.Reason, &u.Attempts, &u.Rows, &u.Hash, &u.Failure,
		&u.Worker, sqldb.IntoTime(&u.Until), &u.Result)
	if u.Until.Unix() == 0 {
		u.Until = time.Time{}
	}
	return u, err
}

// ExtendUnitLease extends the worker's lease of a unit, which does not count as an attempt, and reports whether the worker still
// holds it. A unit that is done, or was taken over meanwhile, is left alone.
func (l *UnitStore) ExtendUnitLease(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	err = l.db.TransactRepeatable(ctx, "prolong the "+u.String(), func(t *sqldb.Tx) error {
		mine, err = ExtendUnitLease(ctx, t, &u, worker, live)
		return err
	})
	return mine && err == nil, err
}

// ConfirmUnitLease is ExtendUnitLease for a worker that is about to do what no transaction can undo, such as making a file visible: the
// run must hold the account, too (ErrNoLease, *LockedError).
func (l *UnitStore) ConfirmUnitLease(ctx context.Context, u ledger.WorkUnit, worker string, live time.Duration) (mine bool, err error) {
	err = l.db.TransactRepeatable(ctx, "go on with the "+u.String(), func(t *sqldb.Tx) error {
		if err := CheckLease(ctx, t, u.Run, u.Account); err != nil {
			return err
		}
		mine, err = ExtendUnitLease(ctx, t, &u, worker, live)
		return err
	})
	return mine && err == nil, err
}

// ExtendUnitLease extends the lease that a worker has on a unit, and returns false if it has none any more.
func ExtendUnitLease(ctx context.Context, t *sqldb.Tx, u *ledger.WorkUnit, worker string, live time.Duration) (bool, error) {
	now, err := t.DB.SharedNow(ctx, t)
	if err != nil {
		return false, err
	}
	res, err := t.ExecContext(ctx, `
		UPDATE unit
		SET until = $6
		WHERE account = $1 AND run = $2 AND kind = $3 AND what = $4 AND state = 'leased' AND worker = $5`,
		int64(u.Account), u.Run, string(u.Kind), u.What, worker, now.Add(live).UnixMicro())
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// CancelUnits ends those units of the run, of the given kinds, that are not done, whether or not a worker has begun them:
// the worker of one finds that it lost it, and the process that leads the run now plans them again. The run must hold
// the accounts.
func (l *UnitStore) CancelUnits(ctx context.Context, run string, accounts []ledger.Account, why string, kinds ...ledger.UnitKind) error {
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
func (l *UnitStore) ReleaseUnit(ctx context.Context, u ledger.WorkUnit, worker, why string) error {
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

// deleteDoneUnits deletes the units of runs that ended which were done: those runs are not continued. Rendered sets keep theirs, which
// say what a worker could not place.
func deleteDoneUnits(ctx context.Context, t *sqldb.Tx, accounts []ledger.Account) error {
	return t.ExecBatch(ctx, `
		DELETE FROM unit
		WHERE account = $1 AND state = 'done' AND kind <> 'render' AND run IN (
			SELECT id
			FROM run
			WHERE ended IS NOT NULL)`, len(accounts), func(i int) []any { return []any{int64(accounts[i])} })
}
