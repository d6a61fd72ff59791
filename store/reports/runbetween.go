package reports

import (
	"context"
	"database/sql"
	"encoding/json"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CaseChange is a case that differs between two runs. Before is empty if the first run did not know it.
type CaseChange struct {
	Account       ledger.Account
	Case          string
	Code          string
	Subject       string
	Severity      ledger.Severity
	Before, After ledger.State
	Impact        ledger.Opt[ledger.Amount] // as of the second, and ImpactBefore as of the first
	ImpactBefore  ledger.Opt[ledger.Amount]
}

// CaseChanges calls fn for each of the account's cases with an event after run from had reconciled and up to run to, in
// order of id. It includes acts of people in between.
func (l *CaseReader) CaseChanges(ctx context.Context, a ledger.Account, from, to string, fn func(*CaseChange) error) error {
	last := func(event, run string) string {
		return caselog.EventWrittenBy(event, run) + ` AND NOT EXISTS (
				SELECT 1
				FROM finding_event AS n
				WHERE n.account = ` + event + `.account AND n.case_id = ` + event + `.case_id AND n.sequence > ` + event + `.sequence
					AND ` + caselog.EventWrittenBy("n", run) + `)`
	}
	return l.db.WrapError("compare the cases of runs "+from+" and "+to, sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var c CaseChange
		err := rows.Scan(&c.Account, &c.Case, &c.Code, &c.Subject, &c.Severity, &c.After, sqldb.IntoOpt(&c.Impact), &c.Before, sqldb.IntoOpt(&c.ImpactBefore))
		if err != nil {
			return err
		}
		return fn(&c)
	}, `
		SELECT
			e.account,
			e.case_id,
			e.code,
			e.subject,
			e.severity,
			e.state,
			e.impact,
			COALESCE(b.state, ''),
			b.impact
		FROM finding_event AS e
		LEFT JOIN finding_event AS b ON b.account = e.account AND b.case_id = e.case_id AND `+last("b", "$2")+`
		WHERE e.account = $1 AND e.run >= $2 AND e.run <= $3 AND NOT `+caselog.EventWrittenBy("e", "$2")+` AND `+last("e", "$3")+`
		ORDER BY e.case_id`, int64(a), from, to))
}

// PulledBetween returns the sum of the complete pulls that the reconciles after run from, up to run to, were the first
// to include.
func (l *CaseReader) PulledBetween(ctx context.Context, a ledger.Account, from, to string) (ledger.Counts, error) {
	var sum ledger.Counts
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var text string
		var c ledger.Counts
		err := rows.Scan(&text)
		if err == nil {
			err = json.Unmarshal([]byte(text), &c)
		}
		sum.Add(c)
		return err
	}, `
		SELECT pulled
		FROM reconciled
		WHERE account = $1 AND run > $2 AND run <= $3`, int64(a), from, to)
	return sum, l.db.WrapError("sum what was pulled between runs "+from+" and "+to, err)
}
