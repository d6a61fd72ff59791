package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// FindingColumns are the columns that scanFinding reads, of finding or finding_event.
const FindingColumns = `
			account,
			case_id,
			code,
			rule_version,
			subject,
			severity,
			state,
			expected_kind,
			expected_number,
			expected_text,
			actual_kind,
			actual_number,
			actual_text,
			impact,
			exposure,
			explained_by,
			related,
			break_on,
			first_seen,
			opened_on,
			first_run,
			last_run,
			day,
			due_on,
			brand,
			product,
			contract_line,
			calendar,
			hint,
			numbers,
			seen_on,
			held,
			closed_as,
			assignee,
			reference,
			comment,
			waived_until,
			waived_cap`

// storedValue is a ledger.Value as two columns hold it beside its kind: amounts and days as number, texts as text.
type storedValue struct {
	kind   int64
	number int64
	text   string
}

func encodeValue(v ledger.Value) storedValue {
	s := storedValue{kind: int64(v.Kind), text: v.Text}
	switch v.Kind {
	case ledger.AmountValue:
		s.number = int64(v.Amount)
	case ledger.DateValue:
		s.number = int64(v.Date)
	}
	return s
}

func (s storedValue) decodeValue() ledger.Value {
	v := ledger.Value{Kind: ledger.ValueKind(s.kind), Text: s.text}
	switch v.Kind {
	case ledger.AmountValue:
		v.Amount = ledger.Amount(s.number)
	case ledger.DateValue:
		v.Date = ledger.Date(s.number)
	}
	return v
}

func findingArgs(f *ledger.Finding) ([]any, error) {
	related, err1 := sqldb.MarshalText(f.Related)
	numbers, err2 := sqldb.MarshalText(f.Numbers)
	expected, actual := encodeValue(f.Expected), encodeValue(f.Actual)
	return []any{
		int64(f.Account), f.Case, f.Code, int64(f.RuleVersion), f.Subject, string(f.Severity), string(f.State),
		expected.kind, expected.number, expected.text, actual.kind, actual.number, actual.text, sqldb.OptArg(f.Impact),
		sqldb.BoolArg(f.Exposure), f.ExplainedBy, related, sqldb.DateArg(f.BreakOn), sqldb.DateArg(f.FirstSeen), sqldb.DateArg(f.OpenedOn),
		f.FirstRun, f.LastRun, sqldb.DateArg(f.Day), sqldb.DateArg(f.DueOn), f.Brand, string(f.Product), f.ContractLine, f.Calendar,
		f.Hint, numbers, sqldb.DateArg(f.LastSeen), string(f.ReturnState), string(f.ClosedAs), f.Assignee, f.Reference, f.Comment,
		sqldb.DateArg(f.WaivedUntil), sqldb.OptArg(f.WaivedCap),
	}, errors.Join(err1, err2)
}

// ScanFinding reads before and then the columns of findingColumns.
func ScanFinding(rows *sql.Rows, before ...any) (ledger.Finding, error) {
	var f ledger.Finding
	var expected, actual storedValue
	var related, numbers string
	err := rows.Scan(append(before, &f.Account, &f.Case, &f.Code, &f.RuleVersion, &f.Subject, &f.Severity, &f.State,
		&expected.kind, &expected.number, &expected.text, &actual.kind, &actual.number, &actual.text, sqldb.IntoOpt(&f.Impact),
		sqldb.IntoBool(&f.Exposure), &f.ExplainedBy, &related, sqldb.IntoDate(&f.BreakOn), sqldb.IntoDate(&f.FirstSeen),
		sqldb.IntoDate(&f.OpenedOn), &f.FirstRun, &f.LastRun, sqldb.IntoDate(&f.Day), sqldb.IntoDate(&f.DueOn), &f.Brand, &f.Product,
		&f.ContractLine, &f.Calendar, &f.Hint, &numbers,
		sqldb.IntoDate(&f.LastSeen), &f.ReturnState, &f.ClosedAs, &f.Assignee, &f.Reference, &f.Comment, sqldb.IntoDate(&f.WaivedUntil),
		sqldb.IntoOpt(&f.WaivedCap))...)
	if err != nil {
		return f, err
	}
	f.Expected, f.Actual = expected.decodeValue(), actual.decodeValue()
	return f, errors.Join(json.Unmarshal([]byte(related), &f.Related), json.Unmarshal([]byte(numbers), &f.Numbers))
}

// FindingFilter selects cases. An empty member selects all.
type FindingFilter struct {
	Accounts   []ledger.Account
	Codes      []string
	Severities []ledger.Severity
	States     []ledger.State
	Brands     []string
	Products   []ledger.Product
	MinImpact  ledger.Amount // when positive: only cases of at least this impact, lost or gained
	OpenedBy   ledger.Date   // only cases that opened on this day or before it
	Cases      []string
	Order      FindingOrder
	// AsOfRun asks for the cases as they were when that run, or the last one before it, had reconciled; empty is now. A
	// case is then as its last event tells it, LastRun and LastSeen among the rest: a sight that changed nothing left no
	// event.
	AsOfRun string
}

// FiringCases selects the cases of severity error and warning whose rules fire, as of a run or, when it is empty, now.
// Whatever people did with them does not matter; those that are pending, not believed or over are left out.
func FiringCases(asOfRun string, accounts ...ledger.Account) FindingFilter {
	return FindingFilter{
		AsOfRun: asOfRun, Accounts: accounts, Severities: []ledger.Severity{ledger.Error, ledger.Warning},
		States: []ledger.State{ledger.Opened, ledger.Reopened, ledger.Acknowledged, ledger.Disputed, ledger.Waived},
	}
}

// UnresolvedCases selects the cases that are not over, as of a run or, when it is empty, now; those that are not believed are
// left out.
func UnresolvedCases(asOfRun string, accounts ...ledger.Account) FindingFilter {
	filter := FiringCases(asOfRun, accounts...)
	filter.Severities, filter.States = nil, append(filter.States, ledger.Pending)
	return filter
}

// FindingOrder is the order of cases. Those that are equal in a named order are ordered by severity, then the largest impact,
// lost or gained, then account and case.
type FindingOrder string

// The orders. ByAccount is that of files: account, severity, impact (highest first, none as zero) and case.
const (
	ByAccount  FindingOrder = ""
	ByImpact   FindingOrder = "impact" // highest first, lost or gained
	ByAge      FindingOrder = "age"    // opened first first, those not open last
	ByCode     FindingOrder = "code"
	BySeverity FindingOrder = "severity"
	ByDue      FindingOrder = "due" // soonest first, those without a date last
	ByState    FindingOrder = "state"
	BySubject  FindingOrder = "subject"
)

// FindingOrders returns the orders that have a name.
func FindingOrders() []FindingOrder {
	return []FindingOrder{ByImpact, ByAge, ByCode, BySeverity, ByDue, ByState, BySubject}
}

const impactSize = `
			ABS(COALESCE(impact, 0)) DESC,`

const SeverityRank = `
			CASE severity WHEN 'C' THEN 0 WHEN 'E' THEN 1 WHEN 'W' THEN 2 WHEN 'I' THEN 3 ELSE 4 END`

// orderBy is what stands behind ORDER BY.
func (o FindingOrder) orderBy() string {
	if o == ByAccount {
		return `
			account,` + SeverityRank + `,
			COALESCE(impact, 0) DESC,
			case_id`
	}
	return o.leadingColumns() + SeverityRank + "," + impactSize + `
			account,
			case_id`
}

// leadingColumns is what a named order looks at before anything else.
func (o FindingOrder) leadingColumns() string {
	switch o {
	case ByImpact:
		return impactSize
	case ByAge:
		return `
			CASE WHEN opened_on IS NULL THEN 1 ELSE 0 END,
			opened_on,`
	case ByCode:
		return `
			code,`
	case ByDue:
		return `
			CASE WHEN due_on IS NULL THEN 1 ELSE 0 END,
			due_on,`
	case ByState:
		return `
			state,`
	case BySubject:
		return `
			subject,`
	}
	return ""
}

// Findings calls fn for the selected cases in the order of the filter.
func (l *Store) Findings(ctx context.Context, filter FindingFilter, fn func(*ledger.Finding) error) error {
	return l.db.WrapError("read the cases", ReadFindings(ctx, l.db.Read, filter, fn))
}

func ReadFindings(ctx context.Context, q sqldb.Querier, filter FindingFilter, fn func(*ledger.Finding) error) error {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "account", filter.Accounts, func(a ledger.Account) any { return int64(a) })
	sqldb.AddIn(&w, "code", filter.Codes, func(s string) any { return s })
	sqldb.AddIn(&w, "severity", filter.Severities, func(s ledger.Severity) any { return string(s) })
	sqldb.AddIn(&w, "state", filter.States, func(s ledger.State) any { return string(s) })
	sqldb.AddIn(&w, "brand", filter.Brands, func(s string) any { return s })
	sqldb.AddIn(&w, "product", filter.Products, func(p ledger.Product) any { return string(p) })
	sqldb.AddIn(&w, "case_id", filter.Cases, func(s string) any { return s })
	if filter.MinImpact > 0 {
		w.Add("ABS(impact) >= " + w.AddArg(int64(filter.MinImpact)))
	}
	if filter.OpenedBy != 0 {
		w.Add("opened_on <= " + w.AddArg(int64(filter.OpenedBy)))
	}
	from := "finding"
	if filter.AsOfRun != "" {
		from = CasesAsOf(w.AddArg(filter.AsOfRun))
	}
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		f, err := ScanFinding(rows)
		if err != nil {
			return err
		}
		return fn(&f)
	}, `
		SELECT `+FindingColumns+`
		FROM `+from+w.Where()+`
		ORDER BY`+filter.Order.orderBy(), w.Args...)
}

// FindingByCase returns a case, or ErrNotFound.
func (l *Store) FindingByCase(ctx context.Context, id string) (*ledger.Finding, error) {
	var found *ledger.Finding
	err := l.Findings(ctx, FindingFilter{Cases: []string{id}}, func(f *ledger.Finding) error {
		found = f
		return nil
	})
	if err == nil && found == nil {
		err = l.db.WrapError("read case "+id, sql.ErrNoRows)
	}
	return found, err
}

// FindingEvent is a case as it was after a run or an act changed its state or its numbers. As of run R, a case is its
// last event of a run up to R, or of an act whose Run is before R.
type FindingEvent struct {
	Sequence int         // from 1, per case
	Run      string      // of an act: the last run before it
	AsOf     ledger.Date // of the run; of an act: the business day
	Act      int64       // number of the act, 0 when a run changed the case
	Finding  ledger.Finding
}

// FindingEvents returns the events of a case, oldest first.
func (l *Store) FindingEvents(ctx context.Context, id string) ([]FindingEvent, error) {
	return l.FindingEventsAsOf(ctx, id, "")
}

// FindingEventsAsOf is FindingEvents as of when the run had reconciled; an empty run means now.
func (l *Store) FindingEventsAsOf(ctx context.Context, id, run string) ([]FindingEvent, error) {
	w := &sqldb.Conditions{Args: []any{id}}
	told := ""
	if run != "" {
		told = " AND " + EventWrittenBy("finding_event", w.AddArg(run))
	}
	var out []FindingEvent
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var e FindingEvent
		var err error
		e.Finding, err = ScanFinding(rows, &e.Sequence, &e.Run, sqldb.IntoDate(&e.AsOf), &e.Act)
		out = append(out, e)
		return err
	}, `
		SELECT
			sequence,
			run,
			as_of,
			act,`+FindingColumns+`
		FROM finding_event
		WHERE case_id = $1`+told+`
		ORDER BY account, sequence`, w.Args...)
	return out, l.db.WrapError("read the events of case "+id, err)
}

// ExpectationCurrentAsOf is the condition that an expectation e was believed as of a run.
func ExpectationCurrentAsOf(run string) string {
	return "e.run <= " + run + " AND (e.ended_run IS NULL OR e.ended_run > " + run + ")"
}

// EventWrittenBy is the condition that an event was there when a run had reconciled. What people did after it bears its id,
// too.
func EventWrittenBy(event, run string) string {
	return "(" + event + ".run < " + run + " OR (" + event + ".run = " + run + " AND " + event + ".act = 0))"
}

// CasesAsOf is a FROM item of the cases as their last events up to a run tell them.
func CasesAsOf(run string) string {
	return `(
			SELECT v.*
			FROM finding_event AS v
			WHERE ` + EventWrittenBy("v", run) + ` AND NOT EXISTS (
				SELECT 1
				FROM finding_event AS n
				WHERE n.account = v.account AND n.case_id = v.case_id AND n.sequence > v.sequence
					AND ` + EventWrittenBy("n", run) + `)) AS finding`
}

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
