package setplan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/plan"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Report is what a request asks of one account, or of all of them together.
type Report struct {
	Set  reportset.Request
	Base *ledger.Run // the last finished run that reconciled the account; over all accounts the latest of these
	// Closed are the revisions that answer the request because the month is closed; empty: the set is rendered.
	Closed []*published.Set
}

// Search finds what a request for reports of a period asks for.
type Search struct {
	Request *Request
	Ledger  *store.Ledger
	Parser  *Parser
	Planner *Planner
}

// Collect reads what a request asks of each account, and refuses what cannot be answered.
func (r *Search) Collect(ctx context.Context) ([]Report, error) {
	sets, err := r.Parser.Parse(*r.Request)
	if err != nil {
		return nil, err
	}
	reports := make([]Report, len(sets))
	for i := range reports {
		one := &reports[i]
		one.Set = sets[i]
		if one.Base, err = FindLastReconcile(ctx, r.Ledger, one.Set.Accounts[0]); err != nil {
			return nil, err
		}
	}
	if err := r.refuseUncoveredDays(ctx, reports); err != nil {
		return nil, err
	}
	for i := range reports {
		one := &reports[i]
		if err := setStateDay(&one.Set, one.Base.AsOf); err != nil {
			return nil, err
		}
		if one.Closed, err = r.closedRevisions(ctx, &one.Set); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// FindReportOfAll returns what a request asks of all accounts together. ok is false if it names accounts, requests no kind that exists
// over all of them, or if they have no state in common, which is shown as progress.
func (r *Search) FindReportOfAll(
	ctx context.Context, progress pull.Progress, reports []Report, verdicts *reportset.Verdicts,
) (all Report, ok bool, err error) {
	if r.Request.AccountsNamed {
		return all, false, nil
	}
	asked := &reports[0].Set
	all.Base = FindLatestRun(reports)
	if asked.Basis == report.ByAsOf && slices.ContainsFunc(reports, func(one Report) bool { return one.Base.AsOf != all.Base.AsOf }) {
		progress.Step("all accounts", 0)
		progress.Done(words.NewMessage("steps.no_common_state"))
		return all, false, nil
	}
	kinds, err := kindlist.Choose(asked.Kinds, asked.Formats, asked.Basis, asked.Period, asked.Filter, false)
	if err != nil {
		return all, false, err
	}
	if all.Set, ok = r.Planner.NewSetOfAll(verdicts, asked.Basis, asked.Period, kinds, asked.Formats); !ok {
		return all, false, nil
	}
	all.Set.Filter, all.Set.Requested, all.Set.Extract = asked.Filter, true, asked.Extract
	closed, err := findClose(ctx, r.Ledger, &all.Set)
	if err != nil || closed == nil {
		return all, err == nil, err
	}
	revisions, err := r.Ledger.Revisions(ctx, all.Set.Name, string(all.Set.Basis), all.Set.Period, "", "")
	all.Closed = publish.CurrentRevisions(revisions)
	return all, len(all.Closed) > 0, err
}

// setStateDay sets the period of a set of a state to the as-of date of the run that is rendered. Another requested day
// is refused.
func setStateDay(s *reportset.Request, asOf ledger.Date) error {
	if s.Basis != report.ByAsOf {
		return nil
	}
	day := ledger.Period{From: asOf, To: asOf}
	if s.Period != (ledger.Period{}) && s.Period != day {
		return casework.NewRequestError("error.other_state", "hint.other_state", "day", asOf, "account", s.Name, "period", s.Period)
	}
	s.Period = day
	return nil
}

// refuseUncoveredDays refuses days before the first one that an account is covered from. The hint has the commands that
// pull them, one for each such first day.
func (r *Search) refuseUncoveredDays(ctx context.Context, reports []Report) error {
	from := r.Request.Period.From
	if from == 0 {
		return nil
	}
	var texts []words.Message
	var days []ledger.Date // first covered days, each once
	short := map[ledger.Date]string{}
	for i := range reports {
		a := reports[i].Set.Accounts[0]
		since, err := plan.FixFirstDay(ctx, r.Ledger, a.AsPlanned(), reports[i].Base.AsOf)
		if err != nil {
			return err
		}
		if from >= since {
			continue
		}
		texts = append(texts, words.NewMessage("error.covered_later", "account", a.Number, "since", since, "from", from))
		if !slices.Contains(days, since) {
			days = append(days, since)
		}
		short[since] += " --account " + a.Number.String()
	}
	if len(texts) == 0 {
		return nil
	}
	commands := make([]string, len(days))
	for i, since := range days {
		commands[i] = fmt.Sprintf("concilia backfill --from %s --to %s%s", from, since-1, short[since])
	}
	return casework.NewRequestError("error.problems", "hint.command", "problems", texts, "command", strings.Join(commands, " && "))
}

// closedRevisions returns the revisions, the newest first, that answer a request for a closed set, because closed
// reports get no later revision (operations 10). It returns none for a set that is rendered: one of a month that is not
// closed, or only kinds that come after a close. What the closed revisions do not have is refused.
func (r *Search) closedRevisions(ctx context.Context, set *reportset.Request) ([]*published.Set, error) {
	c, err := findClose(ctx, r.Ledger, set)
	if err != nil || c == nil {
		return nil, err
	}
	later := func(k report.Kind) bool { return k != report.ControlKind && !casework.FixedByClose(k) }
	if len(r.Request.Kinds) > 0 && !slices.ContainsFunc(set.Kinds, casework.FixedByClose) && slices.ContainsFunc(set.Kinds, later) {
		return nil, removeClosedOnce(set, c)
	}
	all, err := r.Ledger.Revisions(ctx, set.Name, string(set.Basis), set.Period, "", "")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s *published.Set) bool { return s.Revision > c.Revision })
	stand := publish.CurrentRevisions(all)
	has := func(is func(published.File) bool) bool {
		return slices.ContainsFunc(stand, func(s *published.Set) bool { return slices.ContainsFunc(s.Files, is) })
	}
	for _, k := range set.Kinds {
		if len(r.Request.Kinds) > 0 && k != report.ControlKind && !has(func(f published.File) bool { return f.Kind == string(k) }) {
			return nil, closedError(c, "error.closed_without_kind", "kind", k)
		}
	}
	for _, f := range set.Formats {
		if len(r.Request.Formats) > 0 && !has(func(g published.File) bool { return g.Format == string(f) }) {
			return nil, closedError(c, "error.closed_without_format", "format", f)
		}
	}
	return stand, nil
}

// findClose returns the close of the set's month that is in force for all of its accounts, that of the first one; nil
// if there is none, or if the set is filtered or private.
func findClose(ctx context.Context, l *store.Ledger, set *reportset.Request) (first *ledger.PeriodClose, err error) {
	if set.Filter.Canonical() != "" || set.Extract {
		return nil, nil
	}
	for _, a := range set.Accounts {
		closes, err := l.PeriodCloses(ctx, caselog.PeriodFilter{
			Accounts: []ledger.Account{a.Number}, Basis: string(set.Basis), InForce: true,
		})
		i := slices.IndexFunc(closes, func(c ledger.PeriodClose) bool { return c.Period == set.Period })
		if err != nil || i < 0 {
			return nil, err
		}
		if first == nil {
			first = &closes[i]
		}
	}
	return first, nil
}

// removeClosedOnce leaves out what would replace the closed workbook and page, which exist once per set.
func removeClosedOnce(s *reportset.Request, c *ledger.PeriodClose) error {
	s.Formats = slices.DeleteFunc(slices.Clone(s.Formats), func(f report.Format) bool { return f == report.XLSX || f == report.HTML })
	if len(s.Formats) == 0 {
		return closedError(c, "error.closed_keeps_page")
	}
	return nil
}

// closedError refuses what a closed set does not have; why is the id of a text with its values.
func closedError(c *ledger.PeriodClose, why string, values ...any) error {
	return casework.NewRequestError("error.closed", "hint.closed", "month", ledger.MonthText(c.Period.To), "account", c.Account, "basis", c.Basis,
		"revision", c.Revision, "why", words.NewMessage(why, values...))
}

// FindLatestRun returns the last of the runs that the reports are as of.
func FindLatestRun(reports []Report) *ledger.Run {
	last := reports[0].Base
	for _, r := range reports[1:] {
		if r.Base.ID > last.ID {
			last = r.Base
		}
	}
	return last
}
