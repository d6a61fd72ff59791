package results

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CaseCount counts the cases of one severity in one state.
type CaseCount struct {
	Severity ledger.Severity
	State    ledger.State
	Cases    int64
	New      int64       // first seen in the run asked for
	Oldest   ledger.Date // the day the first of them opened; none: none is open
}

// CaseCounts counts the accounts' cases that are neither resolved nor closed, by severity, most serious
// first, and state. run is the run that New refers to; it may be empty.
func (l *Store) CaseCounts(ctx context.Context, accounts []ledger.Account, run string) ([]CaseCount, error) {
	var w sqldb.Conditions
	first := w.AddArg(run)
	sqldb.AddIn(&w, "account", accounts, func(a ledger.Account) any { return int64(a) })
	w.Add("state NOT IN (" + w.AddArg(string(ledger.Resolved)) + ", " + w.AddArg(string(ledger.Closed)) + ")")
	var out []CaseCount
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var c CaseCount
		err := rows.Scan(&c.Severity, &c.State, &c.Cases, &c.New, sqldb.IntoDate(&c.Oldest))
		out = append(out, c)
		return err
	}, `
		SELECT
			severity,
			state,
			COUNT(*),
			CAST(SUM(CASE WHEN first_run = `+first+` THEN 1 ELSE 0 END) AS BIGINT),
			MIN(opened_on)
		FROM finding`+w.Where()+`
		GROUP BY severity, state
		ORDER BY`+SeverityRank+`, state`, w.Args...)
	return out, l.db.WrapError("sum the cases", err)
}

// CountResolved counts the accounts' cases that the run resolved.
func (l *Store) CountResolved(ctx context.Context, accounts []ledger.Account, run string) (n int64, err error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "e.account", accounts, func(a ledger.Account) any { return int64(a) })
	// What people did after the run bears its id, too.
	w.Add("e.run = " + w.AddArg(run) + " AND e.act = 0 AND e.state = " + w.AddArg(string(ledger.Resolved)))
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM finding_event AS e`+w.Where()+` AND NOT EXISTS (
			SELECT 1
			FROM finding_event AS n
			WHERE n.account = e.account AND n.case_id = e.case_id AND n.sequence > e.sequence AND n.run = e.run AND n.act = 0)`,
		w.Args...).Scan(&n)
	return n, l.db.WrapError("count the cases that run "+run+" resolved", err)
}

// OldestOpenCase returns the open or reopened case of the accounts that opened first, the one with the largest amount if
// there are several, or ErrNotFound.
func (l *Store) OldestOpenCase(ctx context.Context, accounts []ledger.Account) (*ledger.Finding, error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "account", accounts, func(a ledger.Account) any { return int64(a) })
	w.Add("state IN (" + w.AddArg(string(ledger.Opened)) + ", " + w.AddArg(string(ledger.Reopened)) + ")")
	w.Add("opened_on IS NOT NULL")
	var id string
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT case_id
		FROM finding`+w.Where()+`
		ORDER BY opened_on, ABS(COALESCE(impact, 0)) DESC, case_id
		LIMIT 1`, w.Args...).Scan(&id)
	if err != nil {
		return nil, l.db.WrapError("read the oldest open case", err)
	}
	return l.FindingByCase(ctx, id)
}
