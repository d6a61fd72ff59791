package reportset

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/published"
)

// newStatement returns what a statement of the set needs; nothing if the set has none. It opens with the closing
// balance of the current statement that ended the day before; if there is none, with the balance that such statements
// would have.
func (b *Builder) newStatement(ctx context.Context, kinds []report.Kind) (export.StatementTerms, error) {
	run, set := b.Run, &b.Set
	terms := export.StatementTerms{Net: b.Reports.NetStatement}
	if !slices.Contains(kinds, report.StatementKind) || len(set.Accounts) != 1 {
		return terms, nil
	}
	current, err := b.Ledger.StandingBefore(ctx, set.Name, string(set.Basis), set.Filter.Canonical(), set.Period.From, run.ID)
	if err != nil {
		return terms, err
	}
	current = set.withMade(current)
	made := "" // the run of the statement before; of two that end on that day, the later run
	for i := range current {
		s := &current[i]
		name := fmt.Sprintf("%s_%s_%s_%s_r%d", s.Account, s.Basis, s.Period.From.Compact(), s.Period.To.Compact(), s.Revision)
		e, ok := export.EarlierStatementOf(name, s.Period, s.Tables)
		if !ok {
			continue
		}
		terms.Earlier = append(terms.Earlier, e)
		if s.Period.To == set.Period.From-1 && s.Run >= made {
			made, terms.Opening, terms.OpeningFrom = s.Run, e.Closing, "closing balance of "+name
		}
	}
	if terms.OpeningFrom != "" {
		return terms, nil
	}
	since, err := ReadFirstDay(ctx, b.Ledger, set.Accounts[0], run.AsOf)
	if err != nil {
		return terms, err
	}
	terms.OpeningFrom = "entries since " + since.String()
	if since >= set.Period.From {
		return terms, nil
	}
	rows, err := b.NewReportSource(ctx)
	if err != nil {
		return terms, err
	}
	query := rows.Query
	query.Account, query.Period = set.Accounts[0].Number, ledger.Period{From: since, To: set.Period.From - 1}
	sums, err := b.Ledger.Sums(ctx, query, terms.Table(), b.Inputs.Profile.Unit)
	if err != nil {
		return terms, err
	}
	terms.Opening = ledger.Amount(sums.Columns["credits"] - sums.Columns["debits"])
	return terms, nil
}

// withMade replaces revisions by those that were rendered and not recorded yet and that supersede them.
func (s *Request) withMade(current []published.Set) []published.Set {
	for _, m := range s.MadeEarlier {
		if m.Basis != string(s.Basis) || m.Filter != s.Filter.Canonical() || m.Period.To >= s.Period.From {
			continue
		}
		current = slices.DeleteFunc(current, func(k published.Set) bool { return k.Period == m.Period })
		current = append(current, *m)
	}
	slices.SortStableFunc(current, func(a, b published.Set) int {
		return cmp.Or(cmp.Compare(a.Period.To, b.Period.To), cmp.Compare(a.Period.From, b.Period.From))
	})
	return current
}
