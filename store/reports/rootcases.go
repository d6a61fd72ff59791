package reports

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// RootQuery chooses the root cases of an account: those that no other case explains, that have an impact, and that are
// neither resolved nor closed nor in shadow.
type RootQuery struct {
	Account ledger.Account
	AsOf    ledger.Date // the day by which a case is late or not yet
	AsOfRun string      // as they were when that run had reconciled; empty: now
	Brands  []string    // empty: all, those without a brand too
}

// UnresolvedCase is a case as pages and verdicts of periods need it.
type UnresolvedCase struct {
	Case, Code, Subject string
	Day                 ledger.Date    // the sale's, or the due date; none of a case that is of no day
	Verdict             ledger.Verdict // the worst it leaves to what it is in
	Impact              ledger.Amount
	Figure              ledger.Figure // which the impact belongs to; none of a case that is no root case
	OpenedOn            ledger.Date   // none while it is pending
}

// unresolvedSQL are FROM and the conditions of the cases of q's account and brands that are neither resolved nor closed nor in
// shadow.
func (q *RootQuery) unresolvedSQL(w *sqldb.Conditions) string {
	from := "finding"
	if q.AsOfRun != "" {
		from = results.CasesAsOf(w.AddArg(q.AsOfRun))
	}
	w.Add("account = " + w.AddArg(int64(q.Account)))
	w.Add("state NOT IN ('resolved', 'closed', 'shadow')")
	sqldb.AddIn(w, "brand", q.Brands, func(s string) any { return s })
	return from
}

// isRoot is the condition of a root case among those.
const isRoot = "explained_by = '' AND impact <> 0"

// whereSQL are FROM and the conditions of the root cases.
func (q *RootQuery) whereSQL(w *sqldb.Conditions) string {
	from := q.unresolvedSQL(w)
	w.Add(isRoot)
	return from
}

// UnresolvedCases calls fn, in order of id, for the root cases that q chooses and for the others of its account and brands that
// a verdict counts: those that are pending, and those open or reopened that are no mere information.
func (l *Store) UnresolvedCases(ctx context.Context, q RootQuery, fn func(*UnresolvedCase) error) error {
	w := &sqldb.Conditions{}
	from := q.unresolvedSQL(w)
	w.Add("(" + isRoot + " OR state = 'pending' OR state IN ('open', 'reopened') AND severity <> 'I')")
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var f ledger.Finding
		err := rows.Scan(&f.Case, &f.Code, &f.Subject, &f.Severity, &f.State, &f.ExplainedBy, &f.Impact.V, sqldb.IntoBool(&f.Exposure),
			sqldb.IntoDate(&f.Day), sqldb.IntoDate(&f.DueOn), sqldb.IntoDate(&f.OpenedOn))
		if err != nil {
			return err
		}
		return fn(&UnresolvedCase{
			Case: f.Case, Code: f.Code, Subject: f.Subject, Day: f.Day, Verdict: f.Verdict(), Impact: f.Impact.V, Figure: f.Figure(q.AsOf),
			OpenedOn: f.OpenedOn,
		})
	}, `
		SELECT
			case_id,
			code,
			subject,
			severity,
			state,
			explained_by,
			COALESCE(impact, 0),
			exposure,
			day,
			due_on,
			opened_on
		FROM `+from+w.Where()+`
		ORDER BY case_id`, w.Args...)
	return l.db.WrapError("read the unresolved cases of account "+q.Account.String(), err)
}

// rootBatch is how many cases one question names: no database takes any number of arguments.
const rootBatch = 500

// figureSQL is the figure of a root case, as Finding.Figure defines it; asOf is the placeholder of the day. It is written once
// more here so that the database adds up by itself what reports and pages add up case by case.
func figureSQL(asOf string) string {
	return `CASE
				WHEN impact < 0 THEN 'excess'
				WHEN state = 'disputed' THEN 'claimed'
				WHEN state = 'waived' THEN 'waived'
				WHEN exposure = 0 THEN 'lost'
				WHEN due_on IS NULL OR due_on <= ` + asOf + ` THEN 'late'
				ELSE 'at_risk'
			END`
}

// RootSums adds up the root cases that the query chooses, or those of them that are named when cases is not nil: a column for
// each of ledger.FigureNames, rounded to cents per case, half away from zero, in ten-thousandths; Rows are the cases of what is
// missing, excess_count is the number of those in excess.
func (l *Store) RootSums(ctx context.Context, q RootQuery, cases []string) (Sums, error) {
	out := Sums{Columns: map[string]int64{"excess_count": 0}}
	for _, name := range ledger.FigureNames() {
		out.Columns[string(name)] = 0
	}
	var errs error
	add := func(named []string) {
		w := &sqldb.Conditions{}
		figure := figureSQL(w.AddArg(sqldb.DateArg(q.AsOf)))
		from := q.whereSQL(w)
		sqldb.AddIn(w, "case_id", named, func(s string) any { return s })
		s := sumQuery{l: l}
		cells := []sumColumn{{"excess_count", "CASE WHEN figure = 'excess' THEN 1 ELSE 0 END"}}
		for _, name := range ledger.FigureNames() {
			cells = append(cells, sumColumn{string(name), "CASE WHEN figure = '" + string(name) + "' THEN ABS(" + roundToCents("impact") + ") ELSE 0 END"})
		}
		sums, err := s.sumColumns(ctx, cells, "", "COALESCE(SUM(CASE WHEN figure IN ('lost', 'late') THEN 1 ELSE 0 END), 0)", `(
			SELECT
				impact,
				`+figure+` AS figure
			FROM `+from+w.Where()+`) AS root`, w.Args)
		errs = errors.Join(errs, err)
		out.Rows += sums.Rows
		for column, v := range sums.Columns {
			out.Columns[column] += v
		}
	}
	if cases == nil {
		add(nil)
	}
	for len(cases) > 0 && errs == nil {
		n := min(len(cases), rootBatch)
		add(cases[:n])
		cases = cases[n:]
	}
	return out, l.db.WrapError("sum the root cases of account "+q.Account.String(), errs)
}

// Figures adds up the root cases of the accounts: as they were when the run, or the last one before it, had reconciled, or as they
// are now when run is empty. What is late is decided by the day of that reconcile; an account that was never reconciled adds
// nothing. Every command prints what this gives.
func (l *Store) Figures(ctx context.Context, accounts []ledger.Account, run string) (ledger.Figures, error) {
	var out ledger.Figures
	for _, a := range accounts {
		asOf, err := l.ReconciledAsOf(ctx, a, run)
		if err != nil {
			return out, err
		}
		sums, err := l.RootSums(ctx, RootQuery{Account: a, AsOf: asOf, AsOfRun: run}, nil)
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
func (l *Store) ReconciledAsOf(ctx context.Context, a ledger.Account, run string) (asOf ledger.Date, err error) {
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

// SplitsOutside adds up what the cases of these rules cost on the splits of the rows that the query chooses, on basis asof of
// all rows: what stands outside the bridge where splits are not taken out of what is received. It is 0 on a basis that cards
// do not have.
func (l *Store) SplitsOutside(ctx context.Context, q Query, codes []string) (ledger.Amount, error) {
	if _, err := q.cardDate(); err != nil && q.Basis != asOfBasis {
		return 0, nil
	}
	s := sumQuery{l: l, q: &q}
	filter := results.UnresolvedCases(q.AsOfRun, q.Account)
	filter.Codes = codes
	cases, err := s.sumCases(ctx, filter)
	return cases.Impact, l.db.WrapError(fmt.Sprintf("sum the cases of splits of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// caseSum counts cases of severity error and warning, and adds up the impacts of all.
type caseSum struct {
	Errors   int64         `json:"errors"`
	Warnings int64         `json:"warnings"`
	Impact   ledger.Amount `json:"impact"`
}

func (s *caseSum) addCase(f *ledger.Finding) error {
	switch f.Severity {
	case ledger.Error:
		s.Errors++
	case ledger.Warning:
		s.Warnings++
	}
	sum, err := s.Impact.Add(f.Impact.Or(0))
	s.Impact = sum
	return err
}

// subjectCases are the cases on one installment, with its splits, or on one sale.
type subjectCases struct {
	Day        int64  `json:"day"`
	NSU        string `json:"nsu"`
	Auth       string `json:"auth"`
	Number     int    `json:"number"` // 0: the sale
	Occurrence int    `json:"occurrence"`
	caseSum
}

// subjectsAtOnce is how many subjects one query looks for.
const subjectsAtOnce = 2000

// sumCases adds up the cases that the filter selects on chosen rows, on their splits and on their sales, each once; on basis
// asof whatever rows they are on. A case of a day, a month or a value is on no row.
func (s *sumQuery) sumCases(ctx context.Context, filter results.FindingFilter) (caseSum, error) {
	type key struct {
		sale   ledger.SaleKey
		number int
	}
	var out caseSum
	bySubject := map[key]*subjectCases{}
	err := results.ReadFindings(ctx, s.l.db.Read, filter, func(f *ledger.Finding) error {
		if s.q.Basis == asOfBasis {
			return out.addCase(f)
		}
		subject, _ := ledger.ParseSubject(f.Subject)
		sale, number, ok := subject.SaleKey()
		if !ok {
			return nil
		}
		of := bySubject[key{sale, number}]
		if of == nil {
			of = &subjectCases{Day: int64(sale.Day), NSU: sale.NSU, Auth: sale.Auth, Number: number, Occurrence: sale.Occurrence}
			bySubject[key{sale, number}] = of
		}
		return of.addCase(f)
	})
	for batch := range slices.Chunk(slices.Collect(maps.Values(bySubject)), subjectsAtOnce) {
		if err != nil {
			return out, err
		}
		err = s.sumSubjects(ctx, batch, &out)
	}
	return out, err
}

// sumSubjects adds the cases of those subjects that are a chosen row, or the sale of one.
func (s *sumQuery) sumSubjects(ctx context.Context, subjects []*subjectCases, out *caseSum) error {
	text, err := sqldb.MarshalText(subjects)
	if err != nil {
		return err
	}
	rows, args, err := s.cardRows("", "i.sale_day = c.day", "i.nsu = c.nsu", "i.auth = c.auth",
		"((c.number = 0 AND i.sale = c.occurrence) OR (i.number = c.number AND i.occurrence = c.occurrence))", "e.class IS NOT NULL")
	if err != nil {
		return err
	}
	d := s.l.db.Dialect
	args = append(args, text)
	sums, err := s.sumColumns(ctx, []sumColumn{{"errors", "c.errors"}, {"warnings", "c.warnings"}, {"impact", "c.impact"}}, "", "COUNT(*)", `(
			SELECT
				`+d.IntMember("x", "day")+` AS day,
				`+d.TextMember("x", "nsu")+` AS nsu,
				`+d.TextMember("x", "auth")+` AS auth,
				`+d.IntMember("x", "number")+` AS number,
				`+d.IntMember("x", "occurrence")+` AS occurrence,
				`+d.IntMember("x", "errors")+` AS errors,
				`+d.IntMember("x", "warnings")+` AS warnings,
				`+d.IntMember("x", "impact")+` AS impact
			FROM `+d.UnnestJSON("$"+strconv.Itoa(len(args)), "x")+`) AS c
		WHERE EXISTS (
			SELECT 1
			FROM `+rows+`)`, args)
	if err != nil {
		return err
	}
	out.Errors += sums.Columns["errors"]
	out.Warnings += sums.Columns["warnings"]
	out.Impact, err = out.Impact.Add(ledger.Amount(sums.Columns["impact"]))
	return err
}
