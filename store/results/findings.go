package results

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

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
