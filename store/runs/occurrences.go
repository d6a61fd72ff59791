package runs

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"concilia/store/sqldb"
)

// CronOccurrence is an occurrence of a schedule, due at Slot, and what became of it: State is running, run, caught_up, skipped, or
// first_seen for the instant from which on the schedule is accounted for.
type CronOccurrence struct {
	Schedule string
	Slot     time.Time
	Job      string
	State    string
	Missed   bool // it came due while no process watched the schedule
	Why      string
	Run      string // empty when none was begun
	ExitCode int    // of one that was run or caught up
	Begun    time.Time
	Ended    time.Time
	Host     string // of the process that has it, or had it last; empty when it was put back
	Process  int
	Attempts int
	Alive    bool // of a running one: its process lives, as far as is known

	Repeats    time.Time // slot of the occurrence that it repeats because that failed; zero: it repeats none
	Repetition int       // the how manieth repetition of that one; 0: none
	RepeatJob  string    // the job that would repeat it; empty: it did not fail
}

const (
	stateRunning      = "running"
	occurrenceColumns = `
			schedule,
			slot,
			job,
			state,
			missed,
			why,
			run,
			exit_code,
			begun,
			ended,
			until,
			host,
			process,
			space,
			token,
			attempts,
			repeats,
			repetition,
			repeat_job`
)

// CronOccurrences gives the occurrences due from an instant on, in their order.
func (l *OccurrenceStore) CronOccurrences(ctx context.Context, from time.Time) ([]CronOccurrence, error) {
	out, err := l.queryOccurrences(ctx, l.db.Read, `
		WHERE slot >= $1
		ORDER BY slot, schedule`, sqldb.TimeArg(from))
	return out, l.db.WrapError("read the occurrences", err)
}

// ScheduleProgress gives the latest occurrence of a schedule that is accounted for, and the running one; nil when there is none.
func (l *OccurrenceStore) ScheduleProgress(ctx context.Context, schedule string) (last, running *CronOccurrence, err error) {
	doing := "read the occurrences of " + schedule
	found, err := l.queryOccurrences(ctx, l.db.Read, `
		WHERE schedule = $1
		ORDER BY slot DESC
		LIMIT 1`, schedule)
	if err != nil || len(found) == 0 {
		return nil, nil, l.db.WrapError(doing, err)
	}
	last = &found[0]
	found, err = l.queryOccurrences(ctx, l.db.Read, `
		WHERE schedule = $1 AND state = 'running'
		ORDER BY slot
		LIMIT 1`, schedule)
	if len(found) > 0 {
		running = &found[0]
	}
	return last, running, l.db.WrapError(doing, err)
}

func (l *OccurrenceStore) queryOccurrences(ctx context.Context, q sqldb.Querier, where string, args ...any) (out []CronOccurrence, err error) {
	now, err := l.db.SharedNow(ctx, q)
	if err != nil {
		return nil, err
	}
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var t CronOccurrence
		var until time.Time
		var code sql.NullInt64
		var p process
		err := rows.Scan(&t.Schedule, sqldb.IntoTime(&t.Slot), &t.Job, &t.State, &t.Missed, &t.Why, &t.Run, &code, sqldb.IntoTime(&t.Begun),
			sqldb.IntoTime(&t.Ended), sqldb.IntoTime(&until), &p.host, &p.id, &p.space, &p.token, &t.Attempts,
			sqldb.IntoTime(&t.Repeats), &t.Repetition, &t.RepeatJob)
		t.Host, t.Process = p.host, p.id
		t.ExitCode = int(code.Int64)
		t.Alive = t.State == stateRunning && l.isHolderAlive(&p, until, now)
		out = append(out, t)
		return err
	}, `
		SELECT`+occurrenceColumns+`
		FROM occurrence`+where, args...)
	return out, err
}

// maxRenewalDelay is how long a process that is seen to live may be kept from renewing its occurrence: on SQLite by a
// transaction of its own job. After that its number may be another process's.
const maxRenewalDelay = 10 * time.Minute

// isHolderAlive reports whether the process that has an occurrence until then lives, as far as is known.
func (l *OccurrenceStore) isHolderAlive(p *process, until, now time.Time) bool {
	switch {
	case until.IsZero() || p.hasEnded(l.self):
		return false
	case p.space != "" && p.space == l.self.space && p.id != l.self.id:
		until = until.Add(maxRenewalDelay)
	}
	return now.Before(until)
}

// RegisterSchedule starts to account for a schedule at t.Slot, or after the last occurrence of the same job under a schedule
// that is not among configured. A known schedule is left alone.
func (l *OccurrenceStore) RegisterSchedule(ctx context.Context, t CronOccurrence, configured []string) error {
	return l.db.TransactRepeatable(ctx, "begin the account of "+t.Schedule, func(x *sqldb.Tx) error {
		if err := l.db.Dialect.Lock(ctx, x.Tx, scheduleLock(t.Schedule)); err != nil {
			return err
		}
		var known int
		if err := x.QueryRowContext(ctx, `
			SELECT COUNT(*)
			FROM occurrence
			WHERE schedule = $1`, t.Schedule).Scan(&known); err != nil || known > 0 {
			return err
		}
		args := []any{t.Job}
		others := ""
		for _, name := range configured {
			args = append(args, name)
			others += " AND schedule <> $" + strconv.Itoa(len(args))
		}
		var before time.Time
		if err := x.QueryRowContext(ctx, `
			SELECT MAX(slot)
			FROM occurrence
			WHERE job = $1`+others, args...).Scan(sqldb.IntoTime(&before)); err != nil {
			return err
		}
		first := t
		if !before.IsZero() && before.Before(t.Slot) {
			first.Slot = before
		}
		_, err := insertOccurrence(ctx, x, &first, process{}, nil)
		return err
	})
}

// SkipOccurrences inserts occurrences that have no row yet.
func (l *OccurrenceStore) SkipOccurrences(ctx context.Context, all []CronOccurrence) error {
	return l.db.TransactRepeatable(ctx, "keep skipped occurrences", func(x *sqldb.Tx) error {
		return x.ExecBatch(ctx, insertTick, len(all), func(i int) []any { return all[i].columnArgs(process{}, nil) })
	})
}

// insertOccurrence keeps a row and reports whether there was none.
func insertOccurrence(ctx context.Context, t *sqldb.Tx, k *CronOccurrence, holder process, until any) (fresh bool, err error) {
	res, err := t.ExecContext(ctx, insertTick, k.columnArgs(holder, until)...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

const insertTick = `
		INSERT INTO occurrence (` + occurrenceColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
		ON CONFLICT (schedule, slot) DO NOTHING`

// columnArgs are the columns of a row whose job has not ended.
func (t *CronOccurrence) columnArgs(holder process, until any) []any {
	missed := int64(0)
	if t.Missed {
		missed = 1
	}
	return []any{
		t.Schedule, sqldb.TimeArg(t.Slot), t.Job, t.State, missed, t.Why, t.Run, nil, sqldb.TimeArg(t.Begun), sqldb.TimeArg(t.Ended), until,
		holder.host, int64(holder.id), holder.space, holder.token, int64(t.Attempts),
		sqldb.TimeArg(t.Repeats), int64(t.Repetition), t.RepeatJob,
	}
}

// BeginOccurrence inserts a running occurrence of this process, leased for live. It returns false if the occurrence has a row
// already, or if another occurrence of the schedule is running, so that exactly one of any number of processes begins
// it.
func (l *OccurrenceStore) BeginOccurrence(ctx context.Context, t CronOccurrence, live time.Duration) (won bool, err error) {
	err = l.db.Transact(ctx, "begin an occurrence of "+t.Schedule, func(x *sqldb.Tx) error {
		won = false
		if err := l.db.Dialect.Lock(ctx, x.Tx, scheduleLock(t.Schedule)); err != nil {
			return err
		}
		var running int
		if err := x.QueryRowContext(ctx, `
			SELECT COUNT(*)
			FROM occurrence
			WHERE schedule = $1 AND state = 'running'`, t.Schedule).Scan(&running); err != nil || running > 0 {
			return err
		}
		now, err := l.db.SharedNow(ctx, x)
		if err != nil {
			return err
		}
		won, err = insertOccurrence(ctx, x, &t, l.self, sqldb.TimeArg(now.Add(live)))
		return err
	})
	return won, err
}

// TakeOverOccurrence gives this process a running occurrence whose process has ended, for another attempt that begins at begun. It
// returns false if another process has it.
func (l *OccurrenceStore) TakeOverOccurrence(ctx context.Context, t CronOccurrence, begun time.Time, live time.Duration) (won bool, err error) {
	err = l.db.Transact(ctx, "take an occurrence of "+t.Schedule+" again", func(x *sqldb.Tx) error {
		won = false
		if err := l.db.Dialect.Lock(ctx, x.Tx, scheduleLock(t.Schedule)); err != nil {
			return err
		}
		found, err := l.queryOccurrences(ctx, x, `
			WHERE schedule = $1 AND slot = $2`, t.Schedule, sqldb.TimeArg(t.Slot))
		if err != nil || len(found) == 0 || found[0].State != stateRunning || found[0].Alive || !found[0].Begun.Equal(t.Begun) {
			return err
		}
		now, err := l.db.SharedNow(ctx, x)
		if err != nil {
			return err
		}
		_, err = x.ExecContext(ctx, `
			UPDATE occurrence
			SET
				begun = $3,
				until = $4,
				host = $5,
				process = $6,
				space = $7,
				token = $8,
				attempts = attempts + 1
			WHERE schedule = $1 AND slot = $2`,
			t.Schedule, sqldb.TimeArg(t.Slot), sqldb.TimeArg(begun), sqldb.TimeArg(now.Add(live)), l.self.host, int64(l.self.id),
			l.self.space, l.self.token)
		won = err == nil
		return err
	})
	return won, err
}

// RenewOccurrence extends a running occurrence of this process by live from now. It returns false if the occurrence no longer
// belongs to this process.
func (l *OccurrenceStore) RenewOccurrence(ctx context.Context, t CronOccurrence, live time.Duration) (still bool, err error) {
	err = l.db.TransactRepeatable(ctx, "keep an occurrence of "+t.Schedule, func(x *sqldb.Tx) error {
		now, err := l.db.SharedNow(ctx, x)
		if err != nil {
			return err
		}
		res, err := x.ExecContext(ctx, `
			UPDATE occurrence
			SET until = $5
			WHERE schedule = $1 AND slot = $2 AND state = 'running' AND begun = $3 AND token = $4`,
			t.Schedule, sqldb.TimeArg(t.Slot), sqldb.TimeArg(t.Begun), l.self.token, sqldb.TimeArg(now.Add(live)))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		still = n == 1
		return err
	})
	return still, err
}

// EndOccurrence writes the outcome of a running occurrence of this process. If its state is still running it is put back and
// belongs to no process. An occurrence that another process has taken over is left alone.
func (l *OccurrenceStore) EndOccurrence(ctx context.Context, t CronOccurrence) error {
	return l.db.TransactRepeatable(ctx, "end an occurrence of "+t.Schedule, func(x *sqldb.Tx) error {
		left, code := l.self.host, any(int64(t.ExitCode))
		switch t.State {
		case stateRunning:
			left, code = "", nil
		case "skipped":
			code = nil
		}
		_, err := x.ExecContext(ctx, `
			UPDATE occurrence
			SET
				state = $5,
				why = $6,
				run = $7,
				exit_code = $8,
				ended = $9,
				until = NULL,
				host = $10,
				attempts = $11,
				repeat_job = $12
			WHERE schedule = $1 AND slot = $2 AND state = 'running' AND begun = $3 AND token = $4`,
			t.Schedule, sqldb.TimeArg(t.Slot), sqldb.TimeArg(t.Begun), l.self.token, t.State, t.Why, t.Run, code,
			sqldb.TimeArg(t.Ended), left, int64(t.Attempts), t.RepeatJob)
		return err
	})
}

// scheduleLock names the lock under which one process at a time begins an occurrence of a schedule.
func scheduleLock(schedule string) string { return "occurrence/" + schedule }
