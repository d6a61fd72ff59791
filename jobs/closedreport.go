package jobs

import (
	"context"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// closedRevisions are the revisions, the newest first, that answer a request for a set that people closed: no later revision
// is made of what was reported (operations 10). They are none for a set that is rendered: of no closed month, or what only
// comes after a close, alone. What the closed revisions do not hold is refused.
func (w *Worker) closedRevisions(ctx context.Context, req *ReportRequest, set *setRequest) ([]*reports.Set, error) {
	c, err := w.findClose(ctx, set)
	if err != nil || c == nil {
		return nil, err
	}
	later := func(k report.Kind) bool { return k != report.ControlKind && !casework.FixedByClose(k) }
	if len(req.Kinds) > 0 && !slices.ContainsFunc(set.kinds, casework.FixedByClose) && slices.ContainsFunc(set.kinds, later) {
		return nil, set.afterClose(c)
	}
	all, err := w.Ledger.Revisions(ctx, set.name, string(set.basis), set.period, "", "")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s *reports.Set) bool { return s.Revision > c.Revision })
	stand := currentRevisions(all)
	has := func(is func(reports.File) bool) bool {
		return slices.ContainsFunc(stand, func(s *reports.Set) bool { return slices.ContainsFunc(s.Files, is) })
	}
	for _, k := range set.kinds {
		if len(req.Kinds) > 0 && k != report.ControlKind && !has(func(f reports.File) bool { return f.Kind == string(k) }) {
			return nil, closedError(c, "has no "+string(k))
		}
	}
	for _, f := range set.formats {
		if len(req.Formats) > 0 && !has(func(g reports.File) bool { return g.Format == string(f) }) {
			return nil, closedError(c, "has no file in "+string(f))
		}
	}
	return stand, nil
}

// findClose is the close of the set's month that is in force for all of its accounts, that of the first one; nil when there is
// none, or the set is filtered or private.
func (w *Worker) findClose(ctx context.Context, set *setRequest) (first *ledger.PeriodClose, err error) {
	if set.filter.Canonical() != "" || set.extract {
		return nil, nil
	}
	for _, a := range set.accounts {
		closes, err := w.Ledger.PeriodCloses(ctx, results.PeriodFilter{
			Accounts: []ledger.Account{a.Number}, Basis: string(set.basis), InForce: true,
		})
		i := slices.IndexFunc(closes, func(c ledger.PeriodClose) bool { return c.Period == set.period })
		if err != nil || i < 0 {
			return nil, err
		}
		if first == nil {
			first = &closes[i]
		}
	}
	return first, nil
}

// afterClose leaves out what would take the place of the closed workbook and page: a set has one of each.
func (s *setRequest) afterClose(c *ledger.PeriodClose) error {
	s.formats = slices.DeleteFunc(slices.Clone(s.formats), func(f report.Format) bool { return f == report.XLSX || f == report.HTML })
	if len(s.formats) == 0 {
		return closedError(c, "keeps its workbook and its page")
	}
	return nil
}

func closedError(c *ledger.PeriodClose, why string) error {
	month := ledger.MonthText(c.Period.To)
	return &casework.RequestError{
		Text: fmt.Sprintf("%s of account %s is closed on basis %s: revision %d stands, and %s", month, c.Account, c.Basis, c.Revision, why),
		Hint: fmt.Sprintf("--kind restatement --format csv tells what changed since; other days are another set; concilia period reopen %s --basis %s", month, c.Basis),
	}
}
