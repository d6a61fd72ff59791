package facts

import (
	"context"
	"database/sql"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// PullRef is a complete pull, as far as the rows it showed are concerned.
type PullRef struct {
	ID    string
	Run   string
	Began time.Time
}

// LastSeen says which complete pull of a source showed a day last. A current row was in that pull, or it would have vanished,
// so a row that stays the same is not written every night.
type LastSeen map[ledger.Date]PullRef

// LoadLastSeen reads what the ledger shows now.
func LoadLastSeen(ctx context.Context, q sqldb.Querier, a ledger.Account, source ledger.Source, period ledger.Period,
) (LastSeen, error) {
	s := make(LastSeen) // what comes twice is put in its place twice
	row := func(rows *sql.Rows) error {
		var day ledger.Date
		var is PullRef
		err := rows.Scan(&day, &is.ID, &is.Run, sqldb.IntoTime(&is.Began))
		s[day] = is
		return err
	}
	err := sqldb.ReadWithRetry(ctx, q, func() error {
		return sqldb.EachRow(ctx, q, row, `
		SELECT
			c.day,
			p.id,
			p.run,
			p.began
		FROM cover AS c
		JOIN pull AS p ON p.account = c.account AND p.id = c.shown_pull
		WHERE c.account = $1 AND c.source = $2 AND c.day BETWEEN $3 AND $4`,
			int64(a), string(source), int64(period.From), int64(period.To))
	})
	return s, err
}

// LastSeenAsOf is LoadLastSeen of every day as of a run; an empty run is now. What was known
// then is read from all the pulls there were.
func LastSeenAsOf(ctx context.Context, q sqldb.Querier, a ledger.Account, source ledger.Source, run string) (LastSeen, error) {
	if run == "" {
		return LoadLastSeen(ctx, q, a, source, AllDays)
	}
	w := &sqldb.Conditions{Args: []any{int64(a), string(source)}}
	known := andIncludedBy(w, run)
	s := make(LastSeen)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var is PullRef
		var from, to ledger.Date
		if err := rows.Scan(&is.ID, &is.Run, sqldb.IntoTime(&is.Began), &from, &to); err != nil {
			return err
		}
		for d := from; d <= to; d++ {
			s[d] = is
		}
		return nil
	}, `
		SELECT
			id,
			run,
			began,
			from_day,
			to_day
		FROM pull
		WHERE account = $1 AND source = $2 AND complete = 1`+known+`
		ORDER BY began, id`, w.Args...)
	return s, err
}

// AllDays is every day there can be.
var AllDays = ledger.Period{From: 1, To: 1 << 30}

// loadSlipPulls returns the pulls that showed slips, for the versions that no complete window covers.
func loadSlipPulls(ctx context.Context, q sqldb.Querier, a ledger.Account) (map[string]PullRef, error) {
	return querySlipPulls(ctx, q, " AND rows_seen > 0", int64(a))
}

// SlipPullsAsOf returns the pulls of slips, empty ones too, that were included by the run or one before it.
func SlipPullsAsOf(ctx context.Context, q sqldb.Querier, a ledger.Account, run string) (map[string]PullRef, error) {
	w := &sqldb.Conditions{Args: []any{int64(a)}}
	return querySlipPulls(ctx, q, andIncludedBy(w, run), w.Args...)
}

func querySlipPulls(ctx context.Context, q sqldb.Querier, also string, args ...any) (map[string]PullRef, error) {
	m := make(map[string]PullRef)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var is PullRef
		err := rows.Scan(&is.ID, &is.Run, sqldb.IntoTime(&is.Began))
		m[is.ID] = is
		return err
	}, `
		SELECT
			id,
			run,
			began
		FROM pull
		WHERE account = $1 AND source <> 'cards'`+also, args...)
	return m, err
}

// What was known as of a run. A reconcile records with every pull that it was the first to include it, and every
// expectation, sum and event has the run that wrote it: as of a run, the pulls are those included by it and by runs before it,
// and later runs change nothing of that.

// PullIncludedBy is the condition that the reconciles up to a run, a placeholder, know a pull.
func PullIncludedBy(pull, run string) string { return pull + ".judged <= " + run }

// PullIDIncludedBy is the condition that they know the pull that a column names.
func PullIDIncludedBy(column, account, run string) string {
	return "NOT " + pullIDAfter(column, account, run)
}

// pullIDAfter is the condition that they do not know the pull that a column names. Most nights there is none like that: the few are looked
// for among all the others, and the server need not guess how many rows the others have.
func pullIDAfter(column, account, run string) string {
	return column + " IN (SELECT k.id FROM pull AS k WHERE k.account = " + account + " AND (k.judged IS NULL OR k.judged > " + run + "))"
}

// VersionCurrentAsOf is the condition that a version was current as of a run.
func VersionCurrentAsOf(version, account, run string) string {
	return PullIDIncludedBy(version+".first_pull", account, run) + " AND (" + version + ".ended_pull IS NULL OR " +
		pullIDAfter(version+".ended_pull", account, run) + ")"
}

// andIncludedBy is one more condition on the table pull: that the reconciles up to the run know it. No run is no condition.
func andIncludedBy(w *sqldb.Conditions, run string) string {
	if run == "" {
		return ""
	}
	return " AND " + PullIncludedBy("pull", w.AddArg(run))
}
