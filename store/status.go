package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// AccountStatus is what monitoring asks of an account all day: no more than a few indexed reads, which lock nothing.
type AccountStatus struct {
	Account   ledger.Account
	Complete  map[ledger.Source]time.Time // when the last pull that arrived whole was begun; none ever was: no entry
	Open      []OpenCases                 // by code and severity
	Oldest    ledger.Date                 // the day on which the oldest of them opened; none is open: 0
	Bridge    []Explained                 // by side
	Tolerated []ledger.ToleratedAmount    // of the newest month, by code
	Vanished  map[string]int64            // rows by side
	Unlinked  int64                       // notifications whose installment is not known
	Units     []UnitCount                 // of the run that holds the account, or held it last
}

// UnitCount is how many units of a kind are in a state.
type UnitCount struct {
	Kind  ledger.UnitKind
	State ledger.UnitState
	Units int64
}

// OpenCases are the open and reopened cases of a code.
type OpenCases struct {
	Code     string
	Severity ledger.Severity
	Cases    int64
	Impact   ledger.Amount // sum of the impacts, positive when the merchant lost
}

// Explained is how much of the differences of a side the bridge attributes to a line with a reason: sums of absolute
// amounts.
type Explained struct {
	Side         string
	Total        ledger.Amount
	Unattributed ledger.Amount // of Total: no rule could be evaluated for it
}

// AccountStatus returns the figures of the account as they are now.
func (l *Ledger) AccountStatus(ctx context.Context, a ledger.Account) (*AccountStatus, error) {
	w, r := &AccountStatus{Account: a}, &statusReader{l.db}
	for _, ask := range []func(context.Context, *AccountStatus) error{
		r.readCompletePulls, r.readOpenCases, r.readBridge, r.readRounding, r.countRows, r.countUnits,
	} {
		if err := ask(ctx, w); err != nil {
			return nil, l.db.WrapError("watch account "+a.String(), err)
		}
	}
	return w, nil
}

// statusReader reads the figures of an account.
type statusReader struct{ db *sqldb.DB }

func (r *statusReader) readCompletePulls(ctx context.Context, w *AccountStatus) error {
	w.Complete = map[ledger.Source]time.Time{}
	for _, source := range append(ledger.SlipLists(), ledger.Cards) {
		var began time.Time
		err := r.db.Read.QueryRowContext(ctx, `
			SELECT began
			FROM pull
			WHERE account = $1 AND source = $2 AND complete = 1
			ORDER BY began DESC
			LIMIT 1`, int64(w.Account), string(source)).Scan(sqldb.IntoTime(&began))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		w.Complete[source] = began
	}
	return nil
}

func (r *statusReader) readOpenCases(ctx context.Context, w *AccountStatus) error {
	return sqldb.EachRow(ctx, r.db.Read, func(rows *sql.Rows) error {
		var c OpenCases
		var oldest ledger.Date
		err := rows.Scan(&c.Code, &c.Severity, &c.Cases, &c.Impact, sqldb.IntoDate(&oldest))
		if w.Oldest == 0 || oldest != 0 && oldest < w.Oldest {
			w.Oldest = oldest
		}
		w.Open = append(w.Open, c)
		return err
	}, `
		SELECT
			code,
			severity,
			COUNT(*),
			CAST(COALESCE(SUM(impact), 0) AS BIGINT),
			MIN(opened_on)
		FROM finding
		WHERE account = $1 AND state IN ('open', 'reopened')
		GROUP BY code, severity
		ORDER BY code, severity`, int64(w.Account))
}

func (r *statusReader) readBridge(ctx context.Context, w *AccountStatus) error {
	return sqldb.EachRow(ctx, r.db.Read, func(rows *sql.Rows) error {
		var e Explained
		err := rows.Scan(&e.Side, &e.Total, &e.Unattributed)
		w.Bridge = append(w.Bridge, e)
		return err
	}, `
		SELECT
			side,
			CAST(SUM(ABS(amount)) AS BIGINT),
			CAST(SUM(CASE WHEN line = $2 THEN ABS(amount) ELSE 0 END) AS BIGINT)
		FROM bridge
		WHERE account = $1 AND ended_run IS NULL
		GROUP BY side
		ORDER BY side`, int64(w.Account), string(ledger.LineNotAttributed))
}

func (r *statusReader) readRounding(ctx context.Context, w *AccountStatus) error {
	return sqldb.EachRow(ctx, r.db.Read, func(rows *sql.Rows) error {
		var t ledger.ToleratedAmount
		err := rows.Scan(&t.Code, sqldb.IntoDate(&t.Month), &t.Amount)
		w.Tolerated = append(w.Tolerated, t)
		return err
	}, `
		SELECT
			code,
			month,
			amount
		FROM rounding
		WHERE account = $1 AND ended_run IS NULL AND month = (
			SELECT MAX(month)
			FROM rounding
			WHERE account = $1 AND ended_run IS NULL)
		ORDER BY code`, int64(w.Account))
}

func (r *statusReader) countRows(ctx context.Context, w *AccountStatus) error {
	var cards, slips int64
	err := r.db.Read.QueryRowContext(ctx, `
		SELECT
			(SELECT COUNT(*) FROM installment WHERE account = $1 AND vanished = 1),
			(SELECT COUNT(*) FROM slip WHERE account = $1 AND vanished = 1),
			(SELECT COUNT(*) FROM notification WHERE account = $1 AND sale_day IS NULL)`, int64(w.Account)).
		Scan(&cards, &slips, &w.Unlinked)
	w.Vanished = map[string]int64{"cards": cards, "slips": slips}
	return err
}

func (r *statusReader) countUnits(ctx context.Context, w *AccountStatus) error {
	return sqldb.EachRow(ctx, r.db.Read, func(rows *sql.Rows) error {
		var u UnitCount
		err := rows.Scan(&u.Kind, &u.State, &u.Units)
		w.Units = append(w.Units, u)
		return err
	}, `
		SELECT
			kind,
			state,
			COUNT(*)
		FROM unit
		WHERE account = $1 AND run = (SELECT run FROM lease WHERE account = $1)
		GROUP BY kind, state
		ORDER BY kind, state`, int64(w.Account))
}

// CronOccurrenceCount is how many occurrences of a job came to be in a state.
type CronOccurrenceCount struct {
	Job, State string
	Count      int64
}

// CronOccurrenceCounts counts the occurrences due from an instant on, by job and state.
func (l *Ledger) CronOccurrenceCounts(ctx context.Context, from time.Time) ([]CronOccurrenceCount, error) {
	var out []CronOccurrenceCount
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var c CronOccurrenceCount
		err := rows.Scan(&c.Job, &c.State, &c.Count)
		out = append(out, c)
		return err
	}, `
		SELECT
			job,
			state,
			COUNT(*)
		FROM occurrence
		WHERE slot >= $1 AND state <> 'first_seen'
		GROUP BY job, state
		ORDER BY job, state`, sqldb.TimeArg(from))
	return out, l.db.WrapError("count the occurrences", err)
}

// SharedStatus is what the processes on one PostgreSQL share, by state: jobs of the queue that are not done, and their connections.
type SharedStatus struct{ Jobs, Connections map[string]int64 }

// SharedStatus counts what processes share; nil on SQLite, where there is one.
func (l *Ledger) SharedStatus(ctx context.Context) (*SharedStatus, error) {
	if l.Kind() != "postgres" {
		return nil, nil
	}
	s := &SharedStatus{Jobs: map[string]int64{}, Connections: map[string]int64{}}
	for _, part := range []struct {
		by    map[string]int64
		query string
	}{{s.Jobs, `
		SELECT
			CAST(state AS TEXT),
			COUNT(*)
		FROM river_job
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled')
		GROUP BY state`}, {s.Connections, `
		SELECT
			REPLACE(COALESCE(state, 'unknown'), ' ', '_'),
			COUNT(*)
		FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE 'concilia%'
		GROUP BY 1`}} {
		err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
			var state string
			var n int64
			err := rows.Scan(&state, &n)
			part.by[state] = n
			return err
		}, part.query)
		if err != nil {
			return nil, l.db.WrapError("count what processes share", err)
		}
	}
	return s, nil
}

// Ping checks that the ledger answers. It locks nothing.
func (l *Ledger) Ping(ctx context.Context) error {
	var one int
	return l.db.WrapError("ask the ledger for an answer", l.db.Read.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}
