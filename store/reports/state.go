package reports

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// StateQuery chooses the cases and rows of a state set of one account: what stood as of a run, and the cases that were
// resolved or closed since another.
type StateQuery struct {
	Account ledger.Account
	AsOf    ledger.Date // the day ages are counted to
	AsOfRun string      // the run that is rendered
	Since   string      // the run of the state set before; empty: there is none, and every case that is over is chosen
	Brands  []string    // empty: all; a case without one of them is left out
}

// StateBefore gives the run of the state set of the account, its digits or all, that was published for the last day
// before asOf by a run before run and has the table; empty when there is none. Running a day again changes nothing of it.
func (l *Store) StateBefore(ctx context.Context, account string, asOf ledger.Date, run, table string) (string, error) {
	before := ""
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id, tables string
		if err := rows.Scan(&id, &tables); err != nil || before != "" {
			return err
		}
		marks := map[string]string{}
		if err := json.Unmarshal([]byte(tables), &marks); err != nil {
			return err
		}
		// A set of which the table was withheld showed none of its rows.
		if marks["table:"+table] != "" {
			before = id
		}
		return nil
	}, `
		SELECT
			run,
			tables
		FROM report
		WHERE account = $1 AND basis = 'asof' AND filter = '' AND from_day < $2 AND run < $3
		ORDER BY from_day DESC, revision DESC`, account, int64(asOf), run)
	return before, l.db.WrapError(fmt.Sprintf("look for the state set before %s of %s", asOf, account), err)
}

// isOverSQL is the condition that an event tells of a case nothing is asked of any more.
func isOverSQL(event string) string { return event + ".state IN ('resolved', 'closed')" }

// casesSQL is FROM and WHERE of the cases that the query chooses, named finding.
func (q *StateQuery) casesSQL(w *sqldb.Conditions) string {
	from := results.CasesAsOf(w.AddArg(q.AsOfRun))
	w.Add("finding.account = " + w.AddArg(int64(q.Account)))
	// Whether files tie can't stand in a file: the case comes after some that were rendered for the same run.
	w.Add("finding.code <> 'REPORT_TIE_FAILED'")
	sqldb.AddIn(w, "finding.brand", q.Brands, func(s string) any { return s })
	// Over now, and not over then, or up again in between.
	since, run := w.AddArg(q.Since), w.AddArg(q.AsOfRun)
	const same = "p.account = finding.account AND p.case_id = finding.case_id"
	w.Add(`(NOT ` + isOverSQL("finding") + `
			OR NOT EXISTS (
				SELECT 1
				FROM finding_event AS p
				WHERE ` + same + ` AND ` + isOverSQL("p") + ` AND ` + results.EventWrittenBy("p", since) + ` AND NOT EXISTS (
					SELECT 1
					FROM finding_event AS n
					WHERE n.account = p.account AND n.case_id = p.case_id AND n.sequence > p.sequence AND ` + results.EventWrittenBy("n", since) + `))
			OR EXISTS (
				SELECT 1
				FROM finding_event AS p
				WHERE ` + same + ` AND NOT ` + isOverSQL("p") + ` AND ` + results.EventWrittenBy("p", run) + ` AND NOT ` + results.EventWrittenBy("p", since) + `))`)
	return from + w.Where()
}

// StateCases calls fn for the cases of a state set in order of severity, impact (largest first, none as zero) and id.
func (l *Store) StateCases(ctx context.Context, q StateQuery, fn func(*ledger.Finding) error) error {
	var w sqldb.Conditions
	from := q.casesSQL(&w)
	return l.db.WrapError("read the cases of account "+q.Account.String()+" as of run "+q.AsOfRun, sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		f, err := results.ScanFinding(rows)
		if err != nil {
			return err
		}
		return fn(&f)
	}, `
		SELECT `+results.FindingColumns+`
		FROM `+from+`
		ORDER BY`+results.SeverityRank+`,
			COALESCE(impact, 0) DESC,
			case_id`, w.Args...))
}

// StateSums are the sums of exceptions over the cases of a state set, as printed: see Sums. A case counts its days since
// it opened, none while it has not. What needs a calendar is left out: see StateOpenings.
func (l *Store) StateSums(ctx context.Context, q StateQuery) (Sums, error) {
	var w sqldb.Conditions
	from := q.casesSQL(&w)
	asOf := w.AddArg(int64(q.AsOf))
	s := sumQuery{l: l}
	out, err := s.sumColumns(ctx, []sumColumn{
		{"age_days", "CASE WHEN opened_on < " + asOf + " THEN " + asOf + " - opened_on END"},
		{"difference", "CASE WHEN expected_kind = 1 AND actual_kind = 1 THEN " + roundToCents("actual_number - expected_number") + " END"},
		{"impact", roundToCents("impact")},
		{"rule_version", "rule_version"},
		{"waiver_cap", "CASE WHEN state = 'waived' THEN " + roundToCents("waived_cap") + " END"},
	}, "", "COUNT(*)", from, w.Args)
	return out, l.db.WrapError("sum the cases of account "+q.Account.String()+" as of run "+q.AsOfRun, err)
}

// StateOpenings returns the number of cases of a state set by the day on which they opened.
func (l *Store) StateOpenings(ctx context.Context, q StateQuery) (map[ledger.Date]int64, error) {
	var w sqldb.Conditions
	from := q.casesSQL(&w)
	out := make(map[ledger.Date]int64)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var day ledger.Date
		var n int64
		err := rows.Scan(sqldb.IntoDate(&day), &n)
		out[day] = n
		return err
	}, `
		SELECT
			opened_on,
			COUNT(*)
		FROM `+from+` AND opened_on IS NOT NULL
		GROUP BY opened_on`, w.Args...)
	return out, l.db.WrapError("count the cases of account "+q.Account.String()+" by day", err)
}
