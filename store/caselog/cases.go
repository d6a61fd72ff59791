package caselog

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// findingRow is a row of finding or of finding_event, without what only an event has.
type findingRow struct {
	*ledger.Finding
	saleDay            ledger.Date // the key of what the case is about, from its subject
	nsu, auth, slip    string
	number, occurrence ledger.Opt[int64]
	expected, actual   storedValue
	related, numbers   string // JSON
}

// findingTable is the part of the tables finding and finding_event that is the case itself, column by column.
var findingTable = sqldb.Columns[findingRow]{
	{Name: "account", At: func(r *findingRow) any { return &r.Account }},
	{Name: "case_id", At: func(r *findingRow) any { return &r.Case }},
	{Name: "code", At: func(r *findingRow) any { return &r.Code }},
	{Name: "rule_version", At: func(r *findingRow) any { return &r.RuleVersion }},
	{Name: "subject", At: func(r *findingRow) any { return &r.Subject }},
	{Name: "sale_day", At: func(r *findingRow) any { return &r.saleDay }},
	{Name: "nsu", At: func(r *findingRow) any { return &r.nsu }},
	{Name: "auth", At: func(r *findingRow) any { return &r.auth }},
	{Name: "number", At: func(r *findingRow) any { return &r.number }},
	{Name: "occurrence", At: func(r *findingRow) any { return &r.occurrence }},
	{Name: "slip", At: func(r *findingRow) any { return &r.slip }},
	{Name: "severity", At: func(r *findingRow) any { return (*string)(&r.Severity) }},
	{Name: "state", At: func(r *findingRow) any { return (*string)(&r.State) }},
	{Name: "expected_kind", At: func(r *findingRow) any { return &r.expected.kind }},
	{Name: "expected_number", At: func(r *findingRow) any { return &r.expected.number }},
	{Name: "expected_text", At: func(r *findingRow) any { return &r.expected.text }},
	{Name: "actual_kind", At: func(r *findingRow) any { return &r.actual.kind }},
	{Name: "actual_number", At: func(r *findingRow) any { return &r.actual.number }},
	{Name: "actual_text", At: func(r *findingRow) any { return &r.actual.text }},
	{Name: "impact", At: func(r *findingRow) any { return &r.Impact }},
	{Name: "exposure", At: func(r *findingRow) any { return &r.Exposure }},
	{Name: "explained_by", At: func(r *findingRow) any { return &r.ExplainedBy }},
	{Name: "related", At: func(r *findingRow) any { return &r.related }},
	{Name: "break_on", At: func(r *findingRow) any { return &r.BreakOn }},
	{Name: "first_seen", At: func(r *findingRow) any { return &r.FirstSeen }},
	{Name: "opened_on", At: func(r *findingRow) any { return &r.OpenedOn }},
	{Name: "first_run", At: func(r *findingRow) any { return &r.FirstRun }},
	{Name: "last_run", At: func(r *findingRow) any { return &r.LastRun }},
	{Name: "day", At: func(r *findingRow) any { return &r.Day }},
	{Name: "due_on", At: func(r *findingRow) any { return &r.DueOn }},
	{Name: "brand", At: func(r *findingRow) any { return &r.Brand }},
	{Name: "product", At: func(r *findingRow) any { return (*string)(&r.Product) }},
	{Name: "contract_line", At: func(r *findingRow) any { return &r.ContractLine }},
	{Name: "calendar", At: func(r *findingRow) any { return &r.Calendar }},
	{Name: "hint", At: func(r *findingRow) any { return &r.Hint }},
	{Name: "numbers", At: func(r *findingRow) any { return &r.numbers }},
	{Name: "seen_on", At: func(r *findingRow) any { return &r.LastSeen }},
	{Name: "held", At: func(r *findingRow) any { return (*string)(&r.ReturnState) }},
	{Name: "closed_as", At: func(r *findingRow) any { return (*string)(&r.ClosedAs) }},
	{Name: "assignee", At: func(r *findingRow) any { return &r.Assignee }},
	{Name: "reference", At: func(r *findingRow) any { return &r.Reference }},
	{Name: "comment", At: func(r *findingRow) any { return &r.Comment }},
	{Name: "waived_until", At: func(r *findingRow) any { return &r.WaivedUntil }},
	{Name: "waived_cap", At: func(r *findingRow) any { return &r.WaivedCap }},
}

// What a case is about never changes: these columns are written once.
var (
	fixedFindingColumns = []string{"account", "case_id", "code", "subject", "sale_day", "nsu", "auth", "number", "occurrence", "slip"}
	readFindingColumns  = findingTable.Without("sale_day", "nsu", "auth", "number", "occurrence", "slip")
)

// FindingColumns are the columns that ReadFinding reads, of a table or subquery named finding.
var FindingColumns = readFindingColumns.SelectList("finding")

// storedValue is a ledger.Value as columns hold it: its kind, amounts and days as number, texts as text.
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

// findingArgs are the values of findingTable, with the key columns that the subject says.
func findingArgs(f *ledger.Finding) ([]any, error) {
	related, err1 := sqldb.MarshalText(f.Related)
	numbers, err2 := sqldb.MarshalText(f.Numbers)
	row := findingRow{Finding: f, expected: encodeValue(f.Expected), actual: encodeValue(f.Actual), related: related, numbers: numbers}
	if subject, ok := ledger.ParseSubject(f.Subject); ok {
		row.setKey(&subject)
	}
	args := make(sqldb.Args, 0, len(findingTable)+4)
	findingTable.Put(&row, &args)
	return args, errors.Join(err1, err2)
}

// setKey sets the key of the sale, the installment or the slip that a case is about. A case about anything else has none.
func (r *findingRow) setKey(subject *ledger.ParsedSubject) {
	if subject.Kind == "slip" && len(subject.Parts) == 1 {
		r.slip = subject.Parts[0]
		return
	}
	sale, number, ok := subject.SaleKey()
	if !ok {
		return
	}
	r.saleDay, r.nsu, r.auth, r.occurrence = sale.Day, sale.NSU, sale.Auth, ledger.Some(int64(sale.Occurrence))
	if subject.Kind != "sale" {
		r.number = ledger.Some(int64(number))
	}
}

// ReadFinding reads FindingColumns.
func ReadFinding(from *sqldb.RowReader) (ledger.Finding, error) {
	var f ledger.Finding
	row := findingRow{Finding: &f}
	readFindingColumns.Read(&row, from)
	if err := from.Err(); err != nil {
		return f, err
	}
	f.Expected, f.Actual = row.expected.decodeValue(), row.actual.decodeValue()
	return f, errors.Join(json.Unmarshal([]byte(row.related), &f.Related), json.Unmarshal([]byte(row.numbers), &f.Numbers))
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
	Sale       ledger.SaleKey // when it has a day: only cases of this sale, its installments and splits, whatever their occurrence
	Slip       string         // only cases of the slip of this id
	Referenced bool           // only cases that the service has a reference of
	Order      FindingOrder
	// AsOfRun asks for the cases as they were when that run, or the last one before it, had reconciled; empty is now. A
	// case is then as of its last event, LastRun and LastSeen included: an evaluation that changed nothing left no
	// event.
	AsOfRun string
}

// FiringCases selects the cases of severity error and warning whose rules fire, as of a run or, when it is empty, now.
// Whatever people did with them does not matter; those that are pending, suppressed, resolved or closed are left out.
func FiringCases(asOfRun string, accounts ...ledger.Account) FindingFilter {
	return FindingFilter{
		AsOfRun: asOfRun, Accounts: accounts, Severities: []ledger.Severity{ledger.Error, ledger.Warning},
		States: []ledger.State{ledger.Opened, ledger.Reopened, ledger.Acknowledged, ledger.Disputed, ledger.Waived},
	}
}

// UnresolvedCases selects the cases that are not resolved or closed, as of a run or, when it is empty, now; suppressed ones are
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

// SeverityRank is the SQL that orders by the column severity, the gravest first.
const SeverityRank = `
			CASE severity WHEN 'C' THEN 0 WHEN 'E' THEN 1 WHEN 'W' THEN 2 WHEN 'I' THEN 3 ELSE 4 END`

// orderBy is what follows ORDER BY.
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

// ReadFindings is Store.Findings on any connection or transaction.
func ReadFindings(ctx context.Context, q sqldb.Querier, filter FindingFilter, fn func(*ledger.Finding) error) error {
	var w sqldb.Conditions
	from := filter.AddTo(&w)
	return sqldb.ReadRows(ctx, q, func(row *sqldb.RowReader) error {
		f, err := ReadFinding(row)
		if err != nil {
			return err
		}
		return fn(&f)
	}, `
		SELECT `+FindingColumns+`
		FROM `+from+w.Where()+`
		ORDER BY`+filter.Order.orderBy(), w.Args...)
}

// AddTo adds the conditions of the filter, on finding, and returns the FROM item of that name.
func (filter *FindingFilter) AddTo(w *sqldb.Conditions) (from string) {
	sqldb.AddIn(w, "finding.account", filter.Accounts, func(a ledger.Account) any { return int64(a) })
	sqldb.AddIn(w, "finding.code", filter.Codes, func(s string) any { return s })
	sqldb.AddIn(w, "finding.severity", filter.Severities, func(s ledger.Severity) any { return string(s) })
	sqldb.AddIn(w, "finding.state", filter.States, func(s ledger.State) any { return string(s) })
	sqldb.AddIn(w, "finding.brand", filter.Brands, func(s string) any { return s })
	sqldb.AddIn(w, "finding.product", filter.Products, func(p ledger.Product) any { return string(p) })
	sqldb.AddIn(w, "finding.case_id", filter.Cases, func(s string) any { return s })
	if filter.MinImpact > 0 {
		w.Add("ABS(finding.impact) >= " + w.AddArg(int64(filter.MinImpact)))
	}
	if filter.OpenedBy != 0 {
		w.Add("finding.opened_on <= " + w.AddArg(int64(filter.OpenedBy)))
	}
	if filter.Sale.Day != 0 {
		w.Add("finding.sale_day = " + w.AddArg(int64(filter.Sale.Day)) + " AND finding.nsu = " + w.AddArg(filter.Sale.NSU) +
			" AND finding.auth = " + w.AddArg(filter.Sale.Auth))
	}
	if filter.Slip != "" {
		w.Add("finding.slip <> '' AND finding.slip = " + w.AddArg(filter.Slip))
	}
	if filter.Referenced {
		w.Add("finding.reference <> ''")
	}
	if filter.AsOfRun == "" {
		return "finding"
	}
	return CasesAsOf(w.AddArg(filter.AsOfRun))
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
	asOf := ""
	if run != "" {
		asOf = " AND " + EventWrittenBy("finding", w.AddArg(run))
	}
	var out []FindingEvent
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		e := FindingEvent{Sequence: int(f.NextInt()), Run: f.NextText(), AsOf: f.NextDate(), Act: f.NextInt()}
		var err error
		e.Finding, err = ReadFinding(f)
		out = append(out, e)
		return err
	}, `
		SELECT
			sequence,
			run,
			as_of,
			act,`+FindingColumns+`
		FROM finding_event AS finding
		WHERE case_id = $1`+asOf+`
		ORDER BY account, sequence`, w.Args...)
	return out, l.db.WrapError("read the events of case "+id, err)
}

// EventWrittenBy is the condition that an event was there when a run had reconciled. What people did after it has its id, too. The
// run is compared as an expression, which is in no index: the events of a case are looked up by the case, and SQLite would
// rather read all events of the runs up to this one for each case.
func EventWrittenBy(event, run string) string {
	by := "(" + event + ".run || '')"
	return "(" + by + " < " + run + " OR (" + by + " = " + run + " AND " + event + ".act = 0))"
}

// CasesAsOf is a FROM item, named finding, of the cases as of their last events up to a run.
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

// OtherCases are the cases of accounts that were not asked about.
type OtherCases struct{ Cases, Accounts int64 }

// CasesOfOthers counts the cases of all accounts but these that are neither resolved nor closed.
func (l *Store) CasesOfOthers(ctx context.Context, accounts []ledger.Account) (n OtherCases, err error) {
	var w sqldb.Conditions
	w.Add("state NOT IN (" + w.AddArg(string(ledger.Resolved)) + ", " + w.AddArg(string(ledger.Closed)) + ")")
	for _, a := range accounts {
		w.Add("account <> " + w.AddArg(int64(a)))
	}
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*),
			COUNT(DISTINCT account)
		FROM finding`+w.Where(), w.Args...).Scan(&n.Cases, &n.Accounts)
	return n, l.db.WrapError("count the cases of other accounts", err)
}

// CountResolved counts the accounts' cases that the run resolved.
func (l *Store) CountResolved(ctx context.Context, accounts []ledger.Account, run string) (n int64, err error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "e.account", accounts, func(a ledger.Account) any { return int64(a) })
	// What people did after the run has its id, too.
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
