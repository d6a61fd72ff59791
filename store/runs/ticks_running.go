package runs

import (
	"context"
	"os"
	"time"

	"concilia/store/sqldb"
)

// BeginOccurrence inserts a running occurrence of this process, leased for live. It returns false if the occurrence has a row
// already, or if another occurrence of the schedule is running, so that exactly one of any number of processes begins
// it.
func (l *Store) BeginOccurrence(ctx context.Context, t CronOccurrence, live time.Duration) (won bool, err error) {
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
		t.Host, t.Process = thisProcess()
		won, err = insertOccurrence(ctx, x, &t, sqldb.TimeArg(l.db.Now().Add(live)))
		return err
	})
	return won, err
}

// TakeOverOccurrence gives this process a running occurrence whose process is gone, for another attempt that begins at begun. It
// returns false if another process has it.
func (l *Store) TakeOverOccurrence(ctx context.Context, t CronOccurrence, begun time.Time, live time.Duration) (won bool, err error) {
	err = l.db.Transact(ctx, "take an occurrence of "+t.Schedule+" again", func(x *sqldb.Tx) error {
		won = false
		if err := l.db.Dialect.Lock(ctx, x.Tx, scheduleLock(t.Schedule)); err != nil {
			return err
		}
		now, err := l.queryOccurrences(ctx, x, `
			WHERE schedule = $1 AND slot = $2`, t.Schedule, sqldb.TimeArg(t.Slot))
		if err != nil || len(now) == 0 || now[0].State != stateRunning || now[0].Alive || !now[0].Begun.Equal(t.Begun) {
			return err
		}
		host, process := thisProcess()
		_, err = x.ExecContext(ctx, `
			UPDATE occurrence
			SET
				begun = $3,
				until = $4,
				host = $5,
				process = $6,
				attempts = attempts + 1
			WHERE schedule = $1 AND slot = $2`,
			t.Schedule, sqldb.TimeArg(t.Slot), sqldb.TimeArg(begun), sqldb.TimeArg(l.db.Now().Add(live)), host, int64(process))
		won = err == nil
		return err
	})
	return won, err
}

// RenewOccurrence extends a running occurrence of this process by live from now. It returns false if the occurrence no longer
// belongs to this process.
func (l *Store) RenewOccurrence(ctx context.Context, t CronOccurrence, live time.Duration) (still bool, err error) {
	err = l.db.TransactRepeatable(ctx, "keep an occurrence of "+t.Schedule, func(x *sqldb.Tx) error {
		host, process := thisProcess()
		res, err := x.ExecContext(ctx, `
			UPDATE occurrence
			SET until = $6
			WHERE schedule = $1 AND slot = $2 AND state = 'running' AND begun = $3 AND host = $4 AND process = $5`,
			t.Schedule, sqldb.TimeArg(t.Slot), sqldb.TimeArg(t.Begun), host, int64(process), sqldb.TimeArg(l.db.Now().Add(live)))
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
// belongs to nobody. An occurrence that another process has taken over is left alone.
func (l *Store) EndOccurrence(ctx context.Context, t CronOccurrence) error {
	return l.db.TransactRepeatable(ctx, "end an occurrence of "+t.Schedule, func(x *sqldb.Tx) error {
		host, process := thisProcess()
		left, code := host, any(int64(t.ExitCode))
		switch t.State {
		case stateRunning:
			left, code = "", nil
		case "skipped":
			code = nil
		}
		_, err := x.ExecContext(ctx, `
			UPDATE occurrence
			SET
				state = $6,
				why = $7,
				run = $8,
				exit_code = $9,
				ended = $10,
				until = NULL,
				host = $11,
				attempts = $12
			WHERE schedule = $1 AND slot = $2 AND state = 'running' AND begun = $3 AND host = $4 AND process = $5`,
			t.Schedule, sqldb.TimeArg(t.Slot), sqldb.TimeArg(t.Begun), host, int64(process), t.State, t.Why, t.Run, code,
			sqldb.TimeArg(t.Ended), left, int64(t.Attempts))
		return err
	})
}

// scheduleLock names the lock under which one process at a time begins an occurrence of a schedule.
func scheduleLock(schedule string) string { return "occurrence/" + schedule }

// thisProcess is this process. A host without a name has none.
func thisProcess() (host string, process int) {
	host, _ = os.Hostname()
	return host, os.Getpid()
}
