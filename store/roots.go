package store

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
)

// RootQuery chooses the root cases of an account: those that nothing explains, that have an impact, and that stand.
type RootQuery struct {
	Account ledger.Account
	AsOfRun string   // as they were when that run had reconciled; empty: now
	Brands  []string // empty: all, those without a brand too
}

// RootCase is a case as the report of causes needs it.
type RootCase struct {
	Case, Code, Subject string
	Impact              ledger.Amount
	Exposure            bool
	OpenedOn            ledger.Date // none while it is pending
}

// where are FROM and the conditions of the root cases. What people did with a case does not matter but that they closed it.
func (q *RootQuery) where(w *where) string {
	from := "finding"
	if q.AsOfRun != "" {
		from = findingsAsOf(w.arg(q.AsOfRun))
	}
	w.add("account = " + w.arg(int64(q.Account)))
	w.add("explained_by = ''")
	w.add("impact <> 0")
	w.add("state NOT IN ('resolved', 'closed', 'shadow')")
	whereIn(w, "brand", q.Brands, func(s string) any { return s })
	return from
}

// Roots calls fn for the root cases in order of id.
func (l *Ledger) Roots(ctx context.Context, q RootQuery, fn func(*RootCase) error) error {
	w := &where{}
	from := q.where(w)
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var c RootCase
		if err := rows.Scan(&c.Case, &c.Code, &c.Subject, &c.Impact, scanBool{&c.Exposure}, scanDate{&c.OpenedOn}); err != nil {
			return err
		}
		return fn(&c)
	}, `
		SELECT
			case_id,
			code,
			subject,
			impact,
			exposure,
			opened_on
		FROM `+from+w.text()+`
		ORDER BY case_id`, w.args...)
	return l.fault("read the root cases of account "+q.Account.String(), err)
}

// rootBatch is how many cases one question names: no database takes any number of arguments.
const rootBatch = 500

// RootSums adds up the root cases that the query chooses, or those of them that are named when cases is not nil: Rows are
// those with a positive impact; lost, exposed and excess are rounded to cents per case, half away from zero, in
// ten-thousandths; excess_count is the number of cases with a negative impact.
func (l *Ledger) RootSums(ctx context.Context, q RootQuery, cases []string) (Sums, error) {
	out := Sums{Columns: map[string]int64{"lost": 0, "exposed": 0, "excess": 0, "excess_count": 0}}
	var errs error
	add := func(named []string) {
		w := &where{}
		from := q.where(w)
		whereIn(w, "case_id", named, func(s string) any { return s })
		s := summing{l: l}
		sums, err := s.total(ctx, []cell{
			{"lost", "CASE WHEN impact > 0 AND exposure = 0 THEN " + cents("impact") + " ELSE 0 END"},
			{"exposed", "CASE WHEN impact > 0 AND exposure <> 0 THEN " + cents("impact") + " ELSE 0 END"},
			{"excess", "CASE WHEN impact < 0 THEN -(" + cents("impact") + ") ELSE 0 END"},
			{"excess_count", "CASE WHEN impact < 0 THEN 1 ELSE 0 END"},
		}, "", "COALESCE(SUM(CASE WHEN impact > 0 THEN 1 ELSE 0 END), 0)", from+w.text(), w.args)
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
	return out, l.fault("sum the root cases of account "+q.Account.String(), errs)
}
