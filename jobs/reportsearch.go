package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs/casework"
	"concilia/jobs/plan"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/runs"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// accountReport is what a request asks of one account, or of all of them together.
type accountReport struct {
	set  reportset.Request
	base *ledger.Run // the last finished run that reconciled the account; over all accounts the latest of these
	// closed are the revisions that answer the request because the month is closed; empty: the set is rendered.
	closed []*published.Set
}

// reportSearch finds what a request for reports of a period asks for.
type reportSearch struct {
	request *ReportRequest
	ledger  *store.Ledger
	parser  *requestParser
	planner *setPlanner
}

func (m *stepMaker) newReportSearch(req *ReportRequest) *reportSearch {
	return &reportSearch{request: req, ledger: m.worker.Ledger, parser: m.newRequestParser(), planner: m.newSetPlanner()}
}

// collect reads what a request asks of each account, and refuses what cannot be answered.
func (r *reportSearch) collect(ctx context.Context) ([]accountReport, error) {
	sets, err := r.parser.parse(*r.request)
	if err != nil {
		return nil, err
	}
	reports := make([]accountReport, len(sets))
	for i := range reports {
		one := &reports[i]
		one.set = sets[i]
		if one.base, err = findLastReconcile(ctx, r.ledger, one.set.Accounts[0]); err != nil {
			return nil, err
		}
	}
	if err := r.refuseUncoveredDays(ctx, reports); err != nil {
		return nil, err
	}
	for i := range reports {
		one := &reports[i]
		if err := setStateDay(&one.set, one.base.AsOf); err != nil {
			return nil, err
		}
		if one.closed, err = r.closedRevisions(ctx, &one.set); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// findReportOfAll returns what a request asks of all accounts together. ok is false if it names accounts, requests no kind that exists
// over all of them, or if they have no state in common, which is shown as progress.
func (r *reportSearch) findReportOfAll(
	ctx context.Context, progress pull.Progress, reports []accountReport, verdicts *reportset.Verdicts,
) (all accountReport, ok bool, err error) {
	if r.request.AccountsNamed {
		return all, false, nil
	}
	asked := &reports[0].set
	all.base = findLatestRun(reports)
	if asked.Basis == report.ByAsOf && slices.ContainsFunc(reports, func(one accountReport) bool { return one.base.AsOf != all.base.AsOf }) {
		progress.Step("all accounts", 0)
		progress.Done("they were last reconciled as of different days, and have no state in common: concilia run takes all of them")
		return all, false, nil
	}
	kinds, err := kindlist.Choose(asked.Kinds, asked.Formats, asked.Basis, asked.Period, asked.Filter, false)
	if err != nil {
		return all, false, err
	}
	if all.set, ok = r.planner.newSetOfAll(verdicts, asked.Basis, asked.Period, kinds, asked.Formats); !ok {
		return all, false, nil
	}
	all.set.Filter, all.set.Requested, all.set.Extract = asked.Filter, true, asked.Extract
	closed, err := findClose(ctx, r.ledger, &all.set)
	if err != nil || closed == nil {
		return all, err == nil, err
	}
	revisions, err := r.ledger.Revisions(ctx, all.set.Name, string(all.set.Basis), all.set.Period, "", "")
	all.closed = publish.CurrentRevisions(revisions)
	return all, len(all.closed) > 0, err
}

// setStateDay sets the period of a set of a state to the as-of date of the run that is rendered. Another requested day
// is refused.
func setStateDay(s *reportset.Request, asOf ledger.Date) error {
	if s.Basis != report.ByAsOf {
		return nil
	}
	day := ledger.Period{From: asOf, To: asOf}
	if s.Period != (ledger.Period{}) && s.Period != day {
		return &casework.RequestError{
			Text: fmt.Sprintf("basis asof is the state on %s, the as-of of the last reconcile of account %s, not of %s", asOf, s.Name, s.Period),
			Hint: "leave --from and --to out, or give that day for both",
		}
	}
	s.Period = day
	return nil
}

// findLastReconcile returns the last finished run that reconciled the account.
func findLastReconcile(ctx context.Context, l *store.Ledger, a Account) (*ledger.Run, error) {
	base, err := l.LastReconcileRun(ctx, a.Number)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, &casework.RequestError{Text: fmt.Sprintf("account %s was never reconciled", a.Number), Hint: "concilia run, or concilia reconcile, first"}
	}
	return base, err
}

// refuseUncoveredDays refuses days before the first one that an account is covered from. The hint has the commands that
// pull them, one for each such first day.
func (r *reportSearch) refuseUncoveredDays(ctx context.Context, reports []accountReport) error {
	from := r.request.Period.From
	if from == 0 {
		return nil
	}
	var texts []string
	var days []ledger.Date // first covered days, each once
	short := map[ledger.Date]string{}
	for i := range reports {
		a := reports[i].set.Accounts[0]
		since, err := plan.FixFirstDay(ctx, r.ledger, a.AsPlanned(), reports[i].base.AsOf)
		if err != nil {
			return err
		}
		if from >= since {
			continue
		}
		texts = append(texts, fmt.Sprintf("account %s is answered for since %s, not since %s", a.Number, since, from))
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
	return &casework.RequestError{Text: strings.Join(texts, "; "), Hint: strings.Join(commands, " && ")}
}

// readVerdict reads the results of a reconcile for the account, by its cases as they are now or as of a run.
func readVerdict(ctx context.Context, l *store.Ledger, base *ledger.Run, a ledger.Account, asOfRun string) (reconcile.Result, error) {
	r := reconcile.Result{Verdict: base.Verdicts[a], Critical: map[string][]string{}}
	filter := caselog.FindingFilter{
		AsOfRun: asOfRun, Accounts: []ledger.Account{a}, Severities: []ledger.Severity{ledger.Critical},
		States: []ledger.State{ledger.Opened, ledger.Reopened},
	}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.Code == runs.ProofFailed {
			return nil // the report may resolve it
		}
		side := reconcile.SideOf(f.Subject)
		r.Critical[side] = append(r.Critical[side], f.Code)
		return nil
	})
	return r, err
}

// findLatestRun returns the last of the runs that the reports are as of.
func findLatestRun(reports []accountReport) *ledger.Run {
	last := reports[0].base
	for _, r := range reports[1:] {
		if r.base.ID > last.ID {
			last = r.base
		}
	}
	return last
}

// closedRevisions returns the revisions, the newest first, that answer a request for a closed set, because closed
// reports get no later revision (operations 10). It returns none for a set that is rendered: one of a month that is not
// closed, or only kinds that come after a close. What the closed revisions do not have is refused.
func (r *reportSearch) closedRevisions(ctx context.Context, set *reportset.Request) ([]*published.Set, error) {
	c, err := findClose(ctx, r.ledger, set)
	if err != nil || c == nil {
		return nil, err
	}
	later := func(k report.Kind) bool { return k != report.ControlKind && !casework.FixedByClose(k) }
	if len(r.request.Kinds) > 0 && !slices.ContainsFunc(set.Kinds, casework.FixedByClose) && slices.ContainsFunc(set.Kinds, later) {
		return nil, removeClosedOnce(set, c)
	}
	all, err := r.ledger.Revisions(ctx, set.Name, string(set.Basis), set.Period, "", "")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s *published.Set) bool { return s.Revision > c.Revision })
	stand := publish.CurrentRevisions(all)
	has := func(is func(published.File) bool) bool {
		return slices.ContainsFunc(stand, func(s *published.Set) bool { return slices.ContainsFunc(s.Files, is) })
	}
	for _, k := range set.Kinds {
		if len(r.request.Kinds) > 0 && k != report.ControlKind && !has(func(f published.File) bool { return f.Kind == string(k) }) {
			return nil, closedError(c, "has no "+string(k))
		}
	}
	for _, f := range set.Formats {
		if len(r.request.Formats) > 0 && !has(func(g published.File) bool { return g.Format == string(f) }) {
			return nil, closedError(c, "has no file in "+string(f))
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
