package reports

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ToleratedOn returns what the rules tolerated on the rows that the query chooses, cards and slips, by code and month of the
// sale or due date, in absolute cents; on basis asof on all rows, as the run left it.
func (l *Store) ToleratedOn(ctx context.Context, q Query) ([]ledger.ToleratedAmount, error) {
	if q.Basis == asOfBasis {
		return l.results.RoundingOfRun(ctx, q.Account, q.AsOfRun)
	}
	s := sumQuery{l: l, q: &q}
	sums := map[ledger.ToleratedAmount]ledger.Amount{} // by code and month
	var err error
	if _, none := q.cardDate(); none == nil {
		from, args, fault := s.cardRows("")
		err = errors.Join(fault, s.addTolerated(ctx, sums, "", "i.sale_day", from, args))
	}
	if _, none := q.slipDate(); none == nil && err == nil {
		sight, from, args, fault := s.slipRows("")
		err = errors.Join(fault, s.addTolerated(ctx, sums, facts.MergedSlipsSQL(sight), "e.day", from, args))
	}
	out := make([]ledger.ToleratedAmount, 0, len(sums))
	for t, amount := range sums {
		t.Amount = amount
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b ledger.ToleratedAmount) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), cmp.Compare(a.Month, b.Month))
	})
	return out, l.db.WrapError(fmt.Sprintf("sum what is tolerated of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// addTolerated adds the brackets of rounding of expectations e, whose day is that expression.
func (s *sumQuery) addTolerated(
	ctx context.Context, sums map[ledger.ToleratedAmount]ledger.Amount, with, day, from string, args []any,
) error {
	d := s.l.db.Dialect
	return sqldb.EachRow(ctx, s.l.db.Read, func(rows *sql.Rows) error {
		var code string
		var day ledger.Date
		var amount ledger.Amount
		if err := rows.Scan(&code, sqldb.IntoDate(&day), &amount); err != nil {
			return err
		}
		of := ledger.ToleratedAmount{Code: code}
		if day != 0 {
			of.Month = day.MonthStart()
		}
		sum, err := sums[of].Add(amount)
		sums[of] = sum
		return err
	}, with+`
		SELECT
			`+d.TextMember("b", "Code")+`,
			r.day,
			CAST(SUM(ABS(`+d.IntMember("b", "Amount")+`)) AS BIGINT)
		FROM (
			SELECT
				`+day+` AS day,
				CASE WHEN e.brackets LIKE '%"rounding"%' THEN e.brackets ELSE '[]' END AS brackets
			FROM `+from+`) AS r
		CROSS JOIN `+d.UnnestJSON("r.brackets", "b")+`
		WHERE `+d.TextMember("b", "Line")+` = 'rounding' AND `+d.TextMember("b", "Code")+` <> ''
		GROUP BY `+d.TextMember("b", "Code")+`, r.day`, args...)
}
