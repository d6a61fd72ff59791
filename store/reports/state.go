package reports

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// StateQuery chooses the cases and rows of a state set of one account: what was current as of a run, and the cases that were
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
func (l *CaseReader) StateBefore(ctx context.Context, account string, asOf ledger.Date, run, table string) (string, error) {
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

// isOverSQL is the condition that a case is resolved or closed by an event.
func isOverSQL(event string) string { return event + ".state IN ('resolved', 'closed')" }

// casesSQL is FROM and WHERE of the cases that the query chooses, named finding.
func (q *StateQuery) casesSQL(w *sqldb.Conditions) string {
	from := caselog.CasesAsOf(w.AddArg(q.AsOfRun))
	w.Add("finding.account = " + w.AddArg(int64(q.Account)))
	// The case that files do not agree with the ledger is found after some files of the same run were rendered: it is in none.
	w.Add("finding.code <> 'REPORT_TIE_FAILED'")
	sqldb.AddIn(w, "finding.brand", q.Brands, func(s string) any { return s })
	// Over now, and not over then, or up again in between.
	since, run := w.AddArg(q.Since), w.AddArg(q.AsOfRun)
	const same = "p.account = finding.account AND p.case_id = finding.case_id"
	w.Add(`(NOT ` + isOverSQL("finding") + `
			OR NOT EXISTS (
				SELECT 1
				FROM finding_event AS p
				WHERE ` + same + ` AND ` + isOverSQL("p") + ` AND ` + caselog.EventWrittenBy("p", since) + ` AND NOT EXISTS (
					SELECT 1
					FROM finding_event AS n
					WHERE n.account = p.account AND n.case_id = p.case_id AND n.sequence > p.sequence AND ` + caselog.EventWrittenBy("n", since) + `))
			OR EXISTS (
				SELECT 1
				FROM finding_event AS p
				WHERE ` + same + ` AND NOT ` + isOverSQL("p") + ` AND ` + caselog.EventWrittenBy("p", run) + ` AND NOT ` + caselog.EventWrittenBy("p", since) + `))`)
	return from + w.Where()
}

// StateCases calls fn for the cases of a state set in order of severity, impact (largest first, none as zero) and id.
func (l *CaseReader) StateCases(ctx context.Context, q StateQuery, fn func(*ledger.Finding) error) error {
	var w sqldb.Conditions
	from := q.casesSQL(&w)
	return l.db.WrapError("read the cases of account "+q.Account.String()+" as of run "+q.AsOfRun, sqldb.ReadRows(ctx, l.db.Read, func(row *sqldb.RowReader) error {
		f, err := caselog.ReadFinding(row)
		if err != nil {
			return err
		}
		return fn(&f)
	}, `
		SELECT `+caselog.FindingColumns+`
		FROM `+from+`
		ORDER BY`+caselog.SeverityRank+`,
			COALESCE(impact, 0) DESC,
			case_id`, w.Args...))
}

// StateSums are the sums of exceptions over the cases of a state set, as printed: see Sums. A case counts its days since
// it opened, none while it has not. What needs a calendar is left out: see StateOpenings.
func (l *CaseReader) StateSums(ctx context.Context, q StateQuery) (Sums, error) {
	var w sqldb.Conditions
	from := q.casesSQL(&w)
	asOf := w.AddArg(int64(q.AsOf))
	claimed := claimedSQL(w.AddArg(q.AsOfRun))
	out, err := SumColumns(ctx, l.db, []SumColumn{
		{"age_days", "CASE WHEN opened_on < " + asOf + " THEN " + asOf + " - opened_on END"},
		{"difference", "CASE WHEN expected_kind = 1 AND actual_kind = 1 THEN " + sqldb.RoundToCents("actual_number - expected_number") + " END"},
		{"impact", sqldb.RoundToCents("impact")},
		{"rule_version", "rule_version"},
		{"waiver_cap", "CASE WHEN state = 'waived' THEN " + sqldb.RoundToCents("waived_cap") + " END"},
		{"claimed", sqldb.RoundToCents(claimed)},
	}, "", "COUNT(*)", from, w.Args)
	return out, l.db.WrapError("sum the cases of account "+q.Account.String()+" as of run "+q.AsOfRun, err)
}

// lastDisputeSQL is a column of the event p of a case finding's last dispute up to the run; NULL if it was never disputed.
func lastDisputeSQL(column, run string) string {
	return `(
				SELECT ` + column + `
				FROM finding_event AS p
				JOIN act AS a ON a.account = p.account AND a.number = p.act
				WHERE p.account = finding.account AND p.case_id = finding.case_id AND p.act > 0 AND a.verb = 'dispute'
					AND ` + caselog.EventWrittenBy("p", run) + `
				ORDER BY p.sequence DESC
				LIMIT 1)`
}

// claimedSQL is what was claimed of a case finding: its impact when it was last disputed.
func claimedSQL(run string) string {
	return lastDisputeSQL("CASE WHEN p.impact > 0 THEN p.impact ELSE 0 END", run)
}

// ClaimSums are the sums of recoveries over the cases that were disputed up to the run, as printed: from what was claimed and what
// the last run after that found, and not event by event. What is open is the rest, so that the cents of a claim add up.
func (l *CaseReader) ClaimSums(ctx context.Context, q StateQuery) (Sums, error) {
	w := &sqldb.Conditions{}
	run := w.AddArg(q.AsOfRun)
	account := w.AddArg(int64(q.Account))
	w.Add("finding.account = " + account)
	sqldb.AddIn(w, "finding.brand", q.Brands, func(s string) any { return s })
	w.Add(`finding.case_id IN (
				SELECT a.subject
				FROM act AS a
				WHERE a.account = ` + account + ` AND a.verb = 'dispute' AND a.stage = 'done')`)
	out, err := SumColumns(ctx, l.db, []SumColumn{
		{"claimed", "claimed"},
		{"recovered", "recovered"},
		{"given_up", "given_up"},
		{"open", "claimed - recovered - given_up"},
	}, `
		WITH disputed AS (
			SELECT
				CASE WHEN finding.state = 'waived' OR finding.state = 'closed' AND finding.closed_as = 'person' THEN 1 ELSE 0 END AS ended,
				`+claimedSQL(run)+` AS claimed,
				(
				SELECT CASE WHEN r.state = 'resolved' OR r.impact IS NULL OR r.impact < 0 THEN 0 ELSE r.impact END
				FROM finding_event AS r
				WHERE r.account = finding.account AND r.case_id = finding.case_id AND r.act = 0 AND `+caselog.EventWrittenBy("r", run)+`
					AND r.sequence > `+lastDisputeSQL("p.sequence", run)+`
				ORDER BY r.sequence DESC
				LIMIT 1) AS found
			FROM `+caselog.CasesAsOf(run)+w.Where()+`),
		left_over AS (
			SELECT
				ended,
				claimed,
				CASE WHEN found < claimed THEN found ELSE claimed END AS remains
			FROM disputed
			WHERE claimed IS NOT NULL),
		claims AS (
			SELECT
				`+sqldb.RoundToCents("claimed")+` AS claimed,
				`+sqldb.RoundToCents("claimed - remains")+` AS recovered,
				CASE WHEN ended = 1 THEN `+sqldb.RoundToCents("remains")+` ELSE 0 END AS given_up
			FROM left_over)`, "COUNT(*)", "claims", w.Args)
	return out, l.db.WrapError("sum the claims of account "+q.Account.String()+" as of run "+q.AsOfRun, err)
}

// StateOpenings returns the number of cases of a state set by the day on which they opened.
func (l *CaseReader) StateOpenings(ctx context.Context, q StateQuery) (map[ledger.Date]int64, error) {
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

// Waiting is how many cases wait since a day, and for how much: one line of an aging before its ages are known.
type Waiting struct {
	Kind    string // card_overdue, slip_not_credited, bank_missing or dispute_open
	Brand   string // of cards
	Since   ledger.Date
	Count   int64
	Printed ledger.Amount // sum of the impacts in cents
}

// lateCases are the codes of money that is late.
const lateCases = `('RECEIVED_OVERDUE', 'SLIP_CREDIT_OVERDUE', 'BANK_CREDIT_MISSING')`

// StateWaiting adds up the unresolved cases of late money that have opened, by the day it was due, and those in dispute, by
// the day the dispute was opened.
func (l *CaseReader) StateWaiting(ctx context.Context, q StateQuery) ([]Waiting, error) {
	d := l.db.Dialect
	var w sqldb.Conditions
	from := q.casesSQL(&w)
	run := w.AddArg(q.AsOfRun)
	due := `(
				SELECT ` + d.TextMember("x", "Value") + `
				FROM ` + d.UnnestJSON("finding.numbers", "x") + `
				WHERE ` + d.TextMember("x", "Name") + ` = CASE finding.code WHEN 'BANK_CREDIT_MISSING' THEN 'day' ELSE 'due' END)`
	// The first event of the last stretch in which the case was disputed all along.
	disputed := `(
				SELECT MIN(p.as_of)
				FROM finding_event AS p
				WHERE p.account = finding.account AND p.case_id = finding.case_id AND p.state = 'disputed' AND ` + caselog.EventWrittenBy("p", run) + `
					AND NOT EXISTS (
						SELECT 1
						FROM finding_event AS n
						WHERE n.account = p.account AND n.case_id = p.case_id AND n.sequence > p.sequence
							AND n.state <> 'disputed' AND ` + caselog.EventWrittenBy("n", run) + `))`
	brand := "CASE WHEN finding.sale_day IS NOT NULL THEN finding.brand ELSE '' END"
	var out []Waiting
	take := func(rows *sql.Rows) error {
		var x Waiting
		var text sql.NullString
		var day ledger.Date
		if err := rows.Scan(&x.Kind, &x.Brand, &text, sqldb.IntoDate(&day), &x.Count, &x.Printed); err != nil {
			return err
		}
		if x.Since = day; text.Valid {
			var err error
			if x.Since, err = ledger.ParseDate(text.String); err != nil {
				return err
			}
		}
		out = append(out, x)
		return nil
	}
	sums := `
			COUNT(*),
			CAST(COALESCE(SUM(` + sqldb.RoundToCents("impact") + `), 0) AS BIGINT)
		FROM (
			SELECT
				finding.code,
				finding.impact,
				` + brand + ` AS brand,
				`
	doing := "add up the waiting cases of account " + q.Account.String()
	err := sqldb.EachRow(ctx, l.db.Read, take, `
		SELECT
			CASE code WHEN 'RECEIVED_OVERDUE' THEN 'card_overdue' WHEN 'SLIP_CREDIT_OVERDUE' THEN 'slip_not_credited' ELSE 'bank_missing' END,
			brand,
			since,
			NULL,`+sums+due+` AS since
			FROM `+from+` AND finding.code IN `+lateCases+` AND finding.opened_on IS NOT NULL
				AND finding.state NOT IN ('resolved', 'closed', 'pending', 'shadow')) AS late
		GROUP BY code, brand, since`, w.Args[:len(w.Args)-1]...)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	err = sqldb.EachRow(ctx, l.db.Read, take, `
		SELECT
			'dispute_open',
			brand,
			NULL,
			since,`+sums+disputed+` AS since
			FROM `+from+` AND finding.state = 'disputed') AS disputed
		GROUP BY brand, since`, w.Args...)
	return out, l.db.WrapError(doing, err)
}

// DisputedOn is the day since which the case has been disputed as of the run: the first event of the last stretch in that
// state; none when it is in another.
func (l *CaseReader) DisputedOn(ctx context.Context, id, run string) (ledger.Date, error) {
	events, err := l.cases.FindingEventsAsOf(ctx, id, run)
	if err != nil {
		return 0, err
	}
	var since ledger.Date
	for i := len(events) - 1; i >= 0 && events[i].Finding.State == ledger.Disputed; i-- {
		since = events[i].AsOf
	}
	return since, nil
}

// NotDue is what is owed and not late of one brand: installments that are open and not overdue, or slips that are paid
// and within their float; and what may still come to the bank.
type NotDue struct {
	Kind    string // card_overdue, slip_not_credited or bank_missing, as they will be called when they are late
	Brand   string
	Count   int64
	Printed ledger.Amount // sum of cents: expected net less received, or paid value
	Exact   ledger.Amount
}

// StateNotDue returns the sums of what is owed and not late, by brand.
func (l *CaseReader) StateNotDue(ctx context.Context, q StateQuery) ([]NotDue, error) {
	var out []NotDue
	doing := "add up what is not due to account " + q.Account.String()
	read := func(kind, with, brand, printed, exact, from string, args []any) error {
		return sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
			n := NotDue{Kind: kind}
			err := rows.Scan(&n.Brand, &n.Count, &n.Printed, &n.Exact)
			out = append(out, n)
			return err
		}, with+`
		SELECT
			`+brand+`,
			COUNT(*),
			CAST(COALESCE(SUM(`+printed+`), 0) AS BIGINT),
			CAST(COALESCE(SUM(`+exact+`), 0) AS BIGINT)
		FROM `+from+`
		GROUP BY 1
		ORDER BY 1`, args...)
	}
	w, from := q.openCards()
	err := read("card_overdue", "", "e.brand", sqldb.RoundToCents("e.net - e.received"), "e.net - e.received", from, w.Args)
	if err != nil || len(q.Brands) > 0 {
		return out, l.db.WrapError(doing, err)
	}
	w, with, from := q.floatingSlips()
	err = read("slip_not_credited", with, "''", sqldb.RoundToCents("COALESCE(m.paid_value, 0)"), "COALESCE(m.paid_value, 0)",
		from, w.Args)
	if err == nil {
		err = read("bank_missing", "", "''", "c.expected", "c.expected", `bank_deposit AS c
		WHERE c.account = $1 AND c.run <= $2 AND (c.ended_run IS NULL OR c.ended_run > $2) AND c.status = 'waiting'`, []any{int64(q.Account), q.AsOfRun})
	}
	return out, l.db.WrapError(doing, err)
}

// openCards is FROM and WHERE of the installments that are open and not overdue.
func (q *StateQuery) openCards() (*sqldb.Conditions, string) {
	cards := Query{Account: q.Account, AsOfRun: q.AsOfRun, Brands: q.Brands}
	w := &sqldb.Conditions{}
	cards.AddCurrent(w)
	cards.AddFilters(w)
	w.Add("e.class = 'open' AND e.rest IN ('not_due', 'no_forecast')")
	join := cards.ExpectationJoin(w)
	return w, `installment AS i
		JOIN expectation AS e ON ` + join + w.Where()
}

// floatingSlips is what MergedSlipsSQL begins with, and FROM and WHERE of the slips paid and within their float.
func (q *StateQuery) floatingSlips() (w *sqldb.Conditions, with, from string) {
	slips := Query{Account: q.Account, AsOfRun: q.AsOfRun}
	w = &sqldb.Conditions{Args: []any{int64(q.Account)}}
	conditions, join := slips.SlipConditions(w)
	w.Add("e.class = 'paid' AND e.rest = 'credit_not_due'")
	return w, facts.MergedSlipsSQL(conditions), `merged AS m
		JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + join + w.Where()
}

// StateNotDueSums counts and adds up the same over all brands, from what the run noted in its brackets and not from the
// rows: cards by the bracket on not_due or no_forecast, or not attributed and otherwise there, slips by that on credit_not_due.
func (l *CaseReader) StateNotDueSums(ctx context.Context, q StateQuery) (Sums, error) {
	d := l.db.Dialect
	doing := "prove what is not due to account " + q.Account.String()
	w, from := q.openCards()
	amount := func(lines string) string {
		return `CASE WHEN e.brackets LIKE '[%' THEN (
				SELECT SUM(` + sqldb.RoundToCents(d.IntMember("x", "Amount")) + `)
				FROM ` + d.UnnestJSON("e.brackets", "x") + `
				WHERE COALESCE(` + d.TextMember("x", "Origin") + `, ` + d.TextMember("x", "Line") + `) IN (` + lines + `)) END`
	}
	cards, err := SumColumns(ctx, l.db, []SumColumn{{"not_due", amount("'not_due', 'no_forecast'")}}, "", "COUNT(*)", from, w.Args)
	if err != nil || len(q.Brands) > 0 {
		return notDueSums(cards, Sums{}), l.db.WrapError(doing, err)
	}
	w, with, from := q.floatingSlips()
	slips, err := SumColumns(ctx, l.db, []SumColumn{{"not_due", amount("'credit_not_due'")}}, with, "COUNT(*)", from, w.Args)
	return notDueSums(cards, slips), l.db.WrapError(doing, err)
}

func notDueSums(of ...Sums) Sums {
	out := Sums{Columns: map[string]int64{"not_due_qty": 0, "not_due": 0}}
	for _, s := range of {
		out.Columns["not_due_qty"] += s.Rows
		out.Columns["not_due"] += s.Columns["not_due"]
	}
	return out
}
