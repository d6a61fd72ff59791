package facts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// StorePull writes a pull without rows to merge, which is a failed window, and the state of its units. The run must hold
// the account.
func (l *PullStore) StorePull(ctx context.Context, p *ledger.Pull) error {
	if p.Complete {
		return errors.New("keep pull: a complete pull is kept with its rows")
	}
	return l.db.Transact(ctx, "keep pull "+p.ID, func(t *sqldb.Tx) error {
		if err := runs.CheckLease(ctx, t, p.Run, p.Window.Account); err != nil {
			return err
		}
		if err := storeBody(ctx, t, p); err != nil {
			return err
		}
		if err := insertPull(ctx, t, p); err != nil {
			return err
		}
		finishPullUnits(ctx, t, p)
		return nil
	})
}

// insertPull keeps the pull's row and what it is to the days of its window.
func insertPull(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) error {
	note, err := marshalNote(&p.Note)
	if err != nil {
		return err
	}
	t.ExecLater(ctx, `
		INSERT INTO pull (`+pullColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24)`,
		int64(p.Window.Account), p.ID, p.Run, string(p.Window.Source), int64(p.Window.Period.From),
		int64(p.Window.Period.To), p.Window.Reason, p.Began.UnixMicro(), p.Ended.UnixMicro(), sqldb.DateArg(p.AsOf),
		sqldb.DateArg(p.On), sqldb.BoolArg(p.Complete), p.Failure, p.Bytes, p.SHA256, p.Counts.Requests, p.Counts.Rows, p.Counts.New,
		p.Counts.Changed, p.Counts.Same, p.Counts.Vanished, p.Counts.Quarantined, sqldb.OptArg(p.Note.Skew), note)
	recordCoverage(ctx, t, p)
	recordWindow(ctx, t, p)
	return nil
}

// PullsOfRun returns the account's pulls of the run in the order in which they began.
func (l *PullStore) PullsOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.Pull, error) {
	var out []ledger.Pull
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		p, err := ScanPull(rows)
		out = append(out, p)
		return err
	}, SelectPull+`
		WHERE account = $1 AND run = $2
		ORDER BY began, id`, int64(a), run)
	return out, l.db.WrapError("read the pulls of run "+run, err)
}

// PullsSince returns the account's pulls that no finished reconcile includes, in the order in which they began: those
// that began after the run reconciled last and do not belong to it. Without such a run it returns all.
func (l *PullStore) PullsSince(ctx context.Context, a ledger.Account, reconciled *ledger.Run) ([]ledger.Pull, error) {
	var began time.Time
	run := ""
	if reconciled != nil {
		began, run = reconciled.Began, reconciled.ID
	}
	var out []ledger.Pull
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		p, err := ScanPull(rows)
		out = append(out, p)
		return err
	}, SelectPull+`
		WHERE account = $1 AND began >= $2 AND run <> $3
		ORDER BY began, id`, int64(a), began.UnixMicro(), run)
	return out, l.db.WrapError("read the new pulls of account "+a.String(), err)
}

// PullsWithChanges returns, by id, the windows of the complete pulls of cards that brought a new row or a new version; every
// version's first pull is among them.
func (l *PullStore) PullsWithChanges(ctx context.Context, a ledger.Account) (map[string]ledger.Period, error) {
	out := make(map[string]ledger.Period)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		var window ledger.Period
		err := rows.Scan(&id, &window.From, &window.To)
		out[id] = window
		return err
	}, `
		SELECT
			id,
			from_day,
			to_day
		FROM pull
		WHERE account = $1 AND source = 'cards' AND complete = 1 AND rows_new + changed > 0`, int64(a))
	return out, l.db.WrapError("read which windows brought the rows of account "+a.String(), err)
}

// LastPull gives the last pull of the source, complete or not, whose window touches the period, or ErrNotFound.
func (l *PullStore) LastPull(ctx context.Context, a ledger.Account, source ledger.Source, period ledger.Period,
) (*ledger.Pull, error) {
	var last *ledger.Pull
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		p, err := ScanPull(rows)
		last = &p
		return err
	}, SelectPull+`
		WHERE account = $1 AND source = $2 AND from_day <= $3 AND to_day >= $4
		ORDER BY began DESC, id DESC
		LIMIT 1`, int64(a), string(source), int64(period.To), int64(period.From))
	if err == nil && last == nil {
		err = sqldb.ErrNotFound
	}
	return last, l.db.WrapError(fmt.Sprintf("read the last pull of %s in %s", source, period), err)
}

// SelectPull is what a query of pulls begins with.
const SelectPull = `
		SELECT` + pullColumns + `
		FROM pull`

// pullColumns are the columns of a pull, in the order in which they are written and read.
const pullColumns = `
			account,
			id,
			run,
			source,
			from_day,
			to_day,
			reason,
			began,
			ended,
			as_of,
			pulled_on,
			complete,
			failure,
			bytes,
			sha256,
			requests,
			rows_seen,
			rows_new,
			changed,
			same,
			vanished,
			quarantined,
			skew,
			note`

// ScanPull reads a pull from a row of the columns that pulls are selected by.
func ScanPull(rows *sql.Rows) (ledger.Pull, error) {
	var p ledger.Pull
	var note string
	err := rows.Scan(&p.Window.Account, &p.ID, &p.Run, &p.Window.Source, &p.Window.Period.From, &p.Window.Period.To,
		&p.Window.Reason, sqldb.IntoTime(&p.Began), sqldb.IntoTime(&p.Ended), sqldb.IntoDate(&p.AsOf), sqldb.IntoDate(&p.On),
		sqldb.IntoBool(&p.Complete), &p.Failure, &p.Bytes, &p.SHA256, &p.Counts.Requests, &p.Counts.Rows, &p.Counts.New,
		&p.Counts.Changed, &p.Counts.Same, &p.Counts.Vanished, &p.Counts.Quarantined, sqldb.IntoOpt(&p.Note.Skew), &note)
	if err != nil || note == "" {
		return p, err
	}
	return p, json.Unmarshal([]byte(note), &p.Note)
}

// marshalNote is empty if there is no note, as for nearly every pull.
func marshalNote(n *ledger.PullNote) (string, error) {
	b, err := json.Marshal(n)
	if err != nil || string(b) == "{}" {
		return "", err
	}
	return string(b), nil
}

// DayCounts gives, by source and day, the rows of the last complete window of that one day alone, over the windows
// pulled on the days of the period of the business clock. Windows deliberately asked wider are of several days.
func (l *PullStore) DayCounts(ctx context.Context, a ledger.Account, pulledOn ledger.Period,
) (map[ledger.Source]map[ledger.Date]int64, error) {
	out := make(map[ledger.Source]map[ledger.Date]int64)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var source ledger.Source
		var day ledger.Date
		var n int64
		if err := rows.Scan(&source, &day, &n); err != nil {
			return err
		}
		if out[source] == nil {
			out[source] = make(map[ledger.Date]int64)
		}
		out[source][day] = n
		return nil
	}, `
		SELECT
			source,
			from_day,
			rows_seen
		FROM pull
		WHERE account = $1 AND complete = 1 AND from_day = to_day AND pulled_on BETWEEN $2 AND $3
			AND source <> 'slips.detail'
		ORDER BY began, id`, int64(a), int64(pulledOn.From), int64(pulledOn.To))
	return out, l.db.WrapError("count the rows of the windows of account "+a.String(), err)
}

// LargestCounts returns the largest number of rows that any window of each source ever had, whatever its width, except
// details of single slips. A source that was never asked has none.
func (l *PullStore) LargestCounts(ctx context.Context, a ledger.Account) (map[ledger.Source]int64, error) {
	out := make(map[ledger.Source]int64)
	for _, source := range append(ledger.SlipLists(), ledger.Cards) {
		var n sql.NullInt64
		// Each by itself is the end of an index; all at once are all pulls there ever were.
		err := l.db.Read.QueryRowContext(ctx, "SELECT MAX(rows_seen) FROM pull WHERE account = $1 AND source = $2",
			int64(a), string(source)).Scan(&n)
		if err != nil {
			return nil, l.db.WrapError("count the rows of the windows of account "+a.String(), err)
		}
		if n.Valid {
			out[source] = n.Int64
		}
	}
	return out, nil
}

// doneMeanwhile is the failure of a pull whose units another worker had done when its answer came.
const doneMeanwhile = "its days were kept meanwhile by another worker of the run: this answer was not needed"

// unitsDone reports whether all units of the pull are done already. A pull of no unit is not.
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
func finishPullUnits(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) {
	units := make([]ledger.WorkUnit, len(p.Units))
	for i, u := range p.Units {
		u.State, u.Hash, u.Failure, u.Result = ledger.UnitDone, p.SHA256, "", nil
		if !p.Complete {
			u.State, u.Rows, u.Hash, u.Failure = ledger.UnitFailed, 0, "", p.Failure
		}
		units[i] = u
	}
	runs.FinishUnits(ctx, t, units)
}
