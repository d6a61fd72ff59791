package reports

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RootQuery chooses the root cases of an account: those that no other case explains, that have an impact, that are not of
// stores' own sales, and that are neither resolved nor closed nor in shadow.
type RootQuery struct {
	Account ledger.Account
	AsOf    ledger.Date // the day by which a case is late or not yet
	AsOfRun string      // as they were when that run had reconciled; empty: now
	Brands  []string    // empty: all, those without a brand too
	// Rows chooses the cases by the rows of a report: those on an installment that it chooses, on one of its splits or on its
	// sale if Cards is set, and those on a slip that it chooses if Slips is set. nil: all cases.
	Rows         *Query
	Cards, Slips bool
}

// UnresolvedCase is a case as pages and verdicts of periods need it.
type UnresolvedCase struct {
	Case, Code, Subject string
	Brand               string         // none of a slip, nor of a case of many brands
	Day                 ledger.Date    // the sale's, or the due date; none of a case that is of no day
	Verdict             ledger.Verdict // the worst it leaves to what it is in
	Impact              ledger.Amount
	Figure              ledger.Figure // which the impact belongs to; none of a case that is no root case
	OpenedOn            ledger.Date   // none while it is pending
	OnRow               bool          // it is on a row that the query's Rows choose
}

// unresolvedSQL are FROM and the conditions of the cases of q's account and brands that are neither resolved nor closed nor in
// shadow. The account is the first argument.
func (q *RootQuery) unresolvedSQL(w *sqldb.Conditions) string {
	w.Add("finding.account = " + w.AddArg(int64(q.Account)))
	w.Add("finding.state NOT IN ('resolved', 'closed', 'shadow')")
	sqldb.AddIn(w, "finding.brand", q.Brands, func(s string) any { return s })
	if q.AsOfRun == "" {
		return "finding"
	}
	return caselog.CasesAsOf(w.AddArg(q.AsOfRun))
}

// isRoot is the condition of a root case among those. What stores' own sales differ in is in no figure.
const isRoot = "finding.explained_by = '' AND finding.impact <> 0 AND SUBSTR(finding.code, 1, 5) <> '" + ledger.OwnSaleCodes + "'"

// onRowSQL is the condition that a case is on a row that q.Rows choose, with what a statement begins with that has it, and what
// it joins to the cases.
func (q *RootQuery) onRowSQL(w *sqldb.Conditions) (with, join, condition string) {
	if q.Rows == nil {
		return "", "", "1 = 1"
	}
	condition = "1 = 0"
	if q.Cards {
		if on, ok := q.Rows.OnCardSQL(w); ok {
			condition += " OR " + on
		}
	}
	if q.Slips {
		if slips, ok := q.Rows.chosenSlipsSQL(w); ok {
			with, join = slips, `
			LEFT JOIN chosen_slip ON chosen_slip.id = finding.slip`
			condition += " OR chosen_slip.id IS NOT NULL"
		}
	}
	return with, join, "(" + condition + ")"
}

// caseOnCard is the condition that a case is on the installment i, on one of its splits, or on its sale.
const caseOnCard = `i.account = finding.account AND i.sale_day = finding.sale_day AND i.nsu = finding.nsu AND i.auth = finding.auth
				AND (i.number = finding.number AND i.occurrence = finding.occurrence
					OR finding.number IS NULL AND i.sale = finding.occurrence)`

// addCardOfCase adds the conditions on an installment i, its expectation e and a case finding: that the query chooses the
// installment, that the case is on it, and that e is its expectation. date is the column of the query's basis. It is compared
// as an expression, which is in no index: SQLite would rather read every day of the period for each case than look up its row.
func (q *Query) addCardOfCase(w *sqldb.Conditions, date string) {
	w.Add(caseOnCard)
	q.AddCurrent(w)
	w.Add("+" + date + " BETWEEN " + w.AddArg(int64(q.Period.From)) + " AND " + w.AddArg(int64(q.Period.To)))
	q.AddFilters(w)
	w.Add(q.ExpectationJoin(w))
}

// OnCardSQL is the condition that a case is on an installment that the query chooses; ok is false on a basis without cards.
func (q *Query) OnCardSQL(w *sqldb.Conditions) (condition string, ok bool) {
	date, err := q.CardDate()
	if err != nil {
		return "", false
	}
	rows := &sqldb.Conditions{Args: w.Args}
	q.addCardOfCase(rows, date)
	w.Args = rows.Args
	return `EXISTS (
				SELECT 1
				FROM installment AS i
				CROSS JOIN expectation AS e` + rows.Where() + `)`, true
}

// chosenSlipsSQL is a WITH of chosen_slip, the ids of the slips that the query chooses; ok is false on a basis without slips. The
// account is the first argument. It is joined to the cases: as the list of an IN, SQLite makes it anew for every case.
func (q *Query) chosenSlipsSQL(w *sqldb.Conditions) (with string, ok bool) {
	date, err := q.SlipDate()
	if err != nil || len(q.Brands) > 0 {
		return "", false
	}
	rows := &sqldb.Conditions{Args: w.Args}
	conditions, current := q.SlipConditions(rows)
	rows.Add(date + " BETWEEN " + rows.AddArg(int64(q.Period.From)) + " AND " + rows.AddArg(int64(q.Period.To)))
	sqldb.AddIn(rows, "e.class", q.Classes, func(c ledger.Class) any { return string(c) })
	w.Args = rows.Args
	return facts.MergedSlipsSQL(conditions) + `,
		chosen_slip AS MATERIALIZED (
			SELECT DISTINCT m.id
			FROM merged AS m
			JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND ` + current + rows.Where() + ")", true
}

// UnresolvedCases calls fn, in order of id, for the root cases that q chooses and for the others of its account and brands that
// a verdict counts: those that are pending, and those open or reopened that are no mere information. With q.Rows it leaves out
// the cases that are neither on a row that they choose nor of a day of their period.
func (l *CaseReader) UnresolvedCases(ctx context.Context, q RootQuery, fn func(*UnresolvedCase) error) error {
	w := &sqldb.Conditions{}
	from := q.unresolvedSQL(w)
	w.Add("(" + isRoot + " OR finding.state = 'pending' OR finding.state IN ('open', 'reopened') AND finding.severity <> 'I')")
	chosen := ""
	with, join, onRow := q.onRowSQL(w)
	if q.Rows != nil {
		chosen = `
		WHERE found.on_row = 1 OR found.day BETWEEN ` + w.AddArg(int64(q.Rows.Period.From)) + " AND " + w.AddArg(int64(q.Rows.Period.To))
	}
	err := sqldb.ReadRows(ctx, l.db.Read, func(row *sqldb.RowReader) error {
		f := ledger.Finding{
			Case: row.NextText(), Code: row.NextText(), Subject: row.NextText(), Severity: ledger.Severity(row.NextText()),
			State: ledger.State(row.NextText()), ExplainedBy: row.NextText(), Brand: row.NextText(),
		}
		f.Impact.V, f.Exposure, f.Day, f.DueOn, f.OpenedOn = ledger.Amount(row.NextInt()), row.NextBool(), row.NextDate(), row.NextDate(), row.NextDate()
		return fn(&UnresolvedCase{
			Case: f.Case, Code: f.Code, Subject: f.Subject, Brand: f.Brand, Day: f.Day, Verdict: f.Verdict(), Impact: f.Impact.V, Figure: f.Figure(q.AsOf),
			OpenedOn: f.OpenedOn, OnRow: row.NextBool(),
		})
	}, with+`
		SELECT found.*
		FROM (
			SELECT
				finding.case_id,
				finding.code,
				finding.subject,
				finding.severity,
				finding.state,
				finding.explained_by,
				finding.brand,
				COALESCE(finding.impact, 0) AS impact,
				finding.exposure,
				finding.day,
				finding.due_on,
				finding.opened_on,
				CASE WHEN `+onRow+` THEN 1 ELSE 0 END AS on_row
			FROM `+from+join+w.Where()+`) AS found`+chosen+`
		ORDER BY found.case_id`, w.Args...)
	return l.db.WrapError("read the unresolved cases of account "+q.Account.String(), err)
}

// figureSQL is the figure of a root case, as Finding.Figure defines it; asOf is the placeholder of the day. It is written once
// more here so that the database adds up by itself what reports and pages add up case by case.
func figureSQL(asOf string) string {
	return `CASE
				WHEN finding.impact < 0 THEN 'excess'
				WHEN finding.state = 'disputed' THEN 'claimed'
				WHEN finding.state = 'waived' THEN 'waived'
				WHEN finding.exposure = 0 THEN 'lost'
				WHEN finding.due_on IS NULL OR finding.due_on <= ` + asOf + ` THEN 'late'
				ELSE 'at_risk'
			END`
}

// RootSums adds up the root cases that the query chooses: a column for each of ledger.FigureNames, rounded to cents per case,
// half away from zero, in ten-thousandths; Rows are the cases of what is missing, excess_count is the number of those in excess.
func (l *CaseReader) RootSums(ctx context.Context, q RootQuery) (Sums, error) {
	w := &sqldb.Conditions{}
	from := q.unresolvedSQL(w)
	w.Add(isRoot)
	with, join, onRow := q.onRowSQL(w)
	w.Add(onRow)
	figure := figureSQL(w.AddArg(sqldb.DateArg(q.AsOf)))
	columns := []SumColumn{{"excess_count", "CASE WHEN figure = 'excess' THEN 1 ELSE 0 END"}}
	for _, name := range ledger.FigureNames() {
		columns = append(columns, SumColumn{string(name), "CASE WHEN figure = '" + string(name) + "' THEN ABS(" + sqldb.RoundToCents("impact") + ") ELSE 0 END"})
	}
	out, err := SumColumns(ctx, l.db, columns, with, "COALESCE(SUM(CASE WHEN figure IN ('lost', 'late') THEN 1 ELSE 0 END), 0)", `(
			SELECT
				finding.impact,
				`+figure+` AS figure
			FROM `+from+join+w.Where()+`) AS root`, w.Args)
	return out, l.db.WrapError("sum the root cases of account "+q.Account.String(), err)
}

// Figures adds up the root cases of the accounts: as they were when the run, or the last one before it, had reconciled, or as they
// are now when run is empty. What is late is decided by the day of that reconcile; an account that was never reconciled adds
// nothing. Every command prints what this gives.
func (l *CaseReader) Figures(ctx context.Context, accounts []ledger.Account, run string) (ledger.Figures, error) {
	var out ledger.Figures
	for _, a := range accounts {
		asOf, err := l.ReconciledAsOf(ctx, a, run)
		if err != nil {
			return out, err
		}
		sums, err := l.RootSums(ctx, RootQuery{Account: a, AsOf: asOf, AsOfRun: run})
		if err != nil {
			return out, err
		}
		for _, name := range ledger.FigureNames() {
			if err := out.Add(name, ledger.Amount(sums.Columns[string(name)])); err != nil {
				return out, l.db.WrapError("add up the figures", err)
			}
		}
	}
	return out, nil
}

// ReconciledAsOf is the day as of which the account was reconciled last, by the run or one before it, or by any when run is
// empty; none when it never was.
func (l *CaseReader) ReconciledAsOf(ctx context.Context, a ledger.Account, run string) (asOf ledger.Date, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT as_of
		FROM reconciled
		WHERE account = $1 AND ($2 = '' OR run <= $2)
		ORDER BY number DESC, run DESC
		LIMIT 1`, int64(a), run).Scan(sqldb.IntoDate(&asOf))
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return asOf, l.db.WrapError("read the day of the last reconcile of account "+a.String(), err)
}

// LineCases is how many cases of severity error and warning fire on the installments of one line of a summary.
type LineCases struct {
	Day              ledger.Date // of the basis
	Brand            string
	Product          ledger.Product
	Band             string
	Errors, Warnings int64
}

// FiringCases calls fn for every line of a summary of the chosen installments on which cases of severity error and warning fire,
// on installments, on their splits or on their sales: see caselog.FiringCases. A case on a sale counts on the line of the
// sale's first chosen installment, in the order of Installments.
func (l *CaseReader) FiringCases(ctx context.Context, q Query, fn func(*LineCases) error) error {
	date, err := q.CardDate()
	if err != nil {
		return err
	}
	w := &sqldb.Conditions{}
	filter := caselog.FiringCases(q.AsOfRun, q.Account)
	from := filter.AddTo(w)
	q.addCardOfCase(w, date)
	err = sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		return fn(&LineCases{
			Day: f.NextDate(), Brand: f.NextText(), Product: ledger.Product(f.NextText()), Band: f.NextText(),
			Errors: f.NextInt(), Warnings: f.NextInt(),
		})
	}, `
		SELECT
			base_date,
			brand,
			product,
			band,
			CAST(SUM(CASE WHEN severity = 'E' THEN 1 ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN severity = 'W' THEN 1 ELSE 0 END) AS BIGINT)
		FROM (
			SELECT
				finding.severity,
				`+date+` AS base_date,
				e.brand,
				e.product,
				e.band,
				ROW_NUMBER() OVER (PARTITION BY finding.case_id ORDER BY i.sold_at, i.number, i.occurrence) AS place
			FROM `+from+`
			CROSS JOIN installment AS i
			CROSS JOIN expectation AS e`+w.Where()+`) AS placed
		WHERE place = 1
		GROUP BY base_date, brand, product, band
		ORDER BY base_date, brand, product, band`, w.Args...)
	return l.db.WrapError(fmt.Sprintf("count the cases that fire of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}
