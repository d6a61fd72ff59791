package reportsums

import (
	"context"
	"fmt"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// SplitsOutside adds up what the cases of these rules cost on the splits of the rows that the query chooses, on basis asof of
// all rows: what is outside the bridge where splits are not taken out of what is received. It is 0 on a basis that cards
// do not have.
func (l *Reader) SplitsOutside(ctx context.Context, q reports.Query, codes []string) (ledger.Amount, error) {
	if _, err := q.CardDate(); err != nil && q.Basis != asOfBasis {
		return 0, nil
	}
	s := sumQuery{db: l.db, q: &q}
	filter := caselog.UnresolvedCases(q.AsOfRun, q.Account)
	filter.Codes = codes
	cases, err := s.sumCases(ctx, filter)
	return ledger.Amount(cases.Columns["impact"]), l.db.WrapError(fmt.Sprintf("sum the cases of splits of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// sumCases counts the cases of severity error and warning that the filter selects, and adds up the impacts of all of them: of the
// cases on chosen installments, on their splits and on their sales, each once; on basis asof of all cases. A case of a day, a
// month or a value is on no installment.
func (s *sumQuery) sumCases(ctx context.Context, filter caselog.FindingFilter) (reports.Sums, error) {
	w := &sqldb.Conditions{}
	from := filter.AddTo(w)
	if on, ok := s.q.OnCardSQL(w); ok {
		w.Add(on)
	}
	return s.sumColumns(ctx, []sumColumn{
		{"errors", "CASE WHEN finding.severity = 'E' THEN 1 ELSE 0 END"},
		{"warnings", "CASE WHEN finding.severity = 'W' THEN 1 ELSE 0 END"},
		{"impact", "finding.impact"},
	}, "", "COUNT(*)", from+w.Where(), w.Args)
}
