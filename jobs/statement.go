package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// newStatement are the terms of a statement of the set; none are needed where the set has none. It opens with what the
// standing statement closed with that ended the day before; where none stands, with what such statements would hold.
func (w *Worker) newStatement(
	ctx context.Context, run *ledger.Run, set setRequest, kinds []report.Kind,
) (export.StatementTerms, error) {
	terms := export.StatementTerms{Net: w.Reports.NetStatement}
	if !slices.Contains(kinds, report.StatementKind) || len(set.accounts) != 1 {
		return terms, nil
	}
	standing, err := w.Ledger.StandingBefore(ctx, set.name, string(set.basis), set.filter.Canonical(), set.period.From, run.ID)
	if err != nil {
		return terms, err
	}
	standing = set.withMade(standing)
	made := "" // the run of the one it opens with: of two that end on that day, the later made
	for i := range standing {
		s := &standing[i]
		name := fmt.Sprintf("%s_%s_%s_%s_r%d", s.Account, s.Basis, s.Period.From.Compact(), s.Period.To.Compact(), s.Revision)
		e, ok := export.EarlierStatementOf(name, s.Period, s.Tables)
		if !ok {
			continue
		}
		terms.Earlier = append(terms.Earlier, e)
		if s.Period.To == set.period.From-1 && s.Run >= made {
			made, terms.Opening, terms.OpeningFrom = s.Run, e.Closing, "closing balance of "+name
		}
	}
	if terms.OpeningFrom != "" {
		return terms, nil
	}
	since, err := w.firstDay(ctx, set.accounts[0], run.AsOf)
	if err != nil {
		return terms, err
	}
	terms.OpeningFrom = "entries since " + since.String()
	if since >= set.period.From {
		return terms, nil
	}
	rows, err := w.newReportSource(ctx, run, set)
	if err != nil {
		return terms, err
	}
	query := rows.Query
	query.Account, query.Period = set.accounts[0].Number, ledger.Period{From: since, To: set.period.From - 1}
	sums, err := w.Ledger.Sums(ctx, query, terms.Table(), w.termsOf(&set).Profile.Unit)
	if err != nil {
		return terms, err
	}
	terms.Opening = ledger.Amount(sums.Columns["credits"] - sums.Columns["debits"])
	return terms, nil
}

// withMade puts the earlier revisions that were rendered and not recorded yet in the place of those that they supersede.
func (s *setRequest) withMade(standing []reports.Set) []reports.Set {
	for _, m := range s.madeEarlier {
		if m.Basis != string(s.basis) || m.Filter != s.filter.Canonical() || m.Period.To >= s.period.From {
			continue
		}
		standing = slices.DeleteFunc(standing, func(k reports.Set) bool { return k.Period == m.Period })
		standing = append(standing, *m)
	}
	slices.SortStableFunc(standing, func(a, b reports.Set) int {
		return cmp.Or(cmp.Compare(a.Period.To, b.Period.To), cmp.Compare(a.Period.From, b.Period.From))
	})
	return standing
}
