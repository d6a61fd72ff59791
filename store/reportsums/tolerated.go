package reportsums

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
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// ToleratedOn returns what the rules tolerated on the rows that the query chooses, cards and slips, by code and month of the
// sale or due date, in absolute cents; on basis asof on all rows, as the run left it.
func (l *Reader) ToleratedOn(ctx context.Context, q reports.Query) ([]ledger.ToleratedAmount, error) {
	if q.Basis == asOfBasis {
		return l.results.RoundingOfRun(ctx, q.Account, q.AsOfRun)
	}
	s := toleratedSums{sumQuery{db: l.db, q: &q}}
	sums := map[ledger.ToleratedAmount]ledger.Amount{} // by code and month
	var err error
	if _, none := q.CardDate(); none == nil {
		from, args, fault := s.toleratedCards()
		err = errors.Join(fault, s.addTolerated(ctx, sums, "", "i.sale_day", from, args))
	}
	if _, none := q.SlipDate(); none == nil && err == nil {
		conditions, from, args, fault := s.slipRows("")
		err = errors.Join(fault, s.addTolerated(ctx, sums, facts.MergedSlipsSQL(conditions), "e.day", from, args))
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

// toleratedSums sums what the rules tolerated on chosen rows.
type toleratedSums struct{ sumQuery }

// toleratedCards is FROM and WHERE of the chosen rows on which something is tolerated. On the basis of the sale, whose day
// expectations have, an index has the few that tolerate anything, and only the rows of those are looked up.
func (s *toleratedSums) toleratedCards() (from string, args []any, err error) {
	const tolerates = `e.brackets LIKE '%"rounding"%'`
	date, err := s.q.CardDate()
	if err != nil || s.q.Basis != "operation" {
		return s.cardRows("", tolerates)
	}
	w := s.q.CardConditions(date)
	w.Add("e.account = " + w.AddArg(int64(s.q.Account)))
	w.Add("e.sale_day BETWEEN " + w.AddArg(int64(s.q.Period.From)) + " AND " + w.AddArg(int64(s.q.Period.To)))
	w.Add(tolerates)
	w.Add(s.q.ExpectationJoin(w))
	return "expectation AS e" + s.db.Dialect.UseIndex("expectation_tolerated") + " CROSS JOIN installment AS i" + w.Where(), w.Args, nil
}

// addTolerated adds the brackets of rounding of expectations e, whose day is that expression.
func (s *toleratedSums) addTolerated(
	ctx context.Context, sums map[ledger.ToleratedAmount]ledger.Amount, with, day, from string, args []any,
) error {
	d := s.db.Dialect
	return sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
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
