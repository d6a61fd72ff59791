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
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/runs"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// ReportRequest is a person's request for reports. Empty lists mean the configured ones.
type ReportRequest struct {
	Period   ledger.Period
	Basis    string
	Kinds    []string
	Formats  []string
	Brands   []string
	Statuses []string
	// Out is the place of the worker's target if it is not reports.out: what is written there is a private extract.
	Out string
	// AccountsNamed: the worker's accounts were named, so there is no set over all of them.
	AccountsNamed bool
	// AsOfRun requests the files that were current as of the run with that id; empty: as of now.
	AsOfRun string
}

// accountReport is what a request asks of one account, or of all of them together.
type accountReport struct {
	set  reportset.Request
	base *ledger.Run // the last finished run that reconciled the account; over all accounts the latest of these
	// closed are the revisions that answer the request because the month is closed; empty: the set is rendered.
	closed []*reports.Set
}

// Report renders and publishes a period, for each account as of its last finished reconcile; then, unless accounts were
// named, over all accounts. The totals of its summary are those of the rows of the files it names.
func (w *Worker) Report(ctx context.Context, req ReportRequest) (*Summary, error) {
	if req.Basis == string(report.ByMovement) {
		return w.copyMovement(ctx, &req)
	}
	if req.isJournal() {
		return w.reportJournal(ctx, &req)
	}
	if req.AsOfRun != "" {
		return w.reportAsOf(ctx, req)
	}
	reports, err := w.collectReports(ctx, &req)
	if err != nil {
		return nil, err
	}
	run, release, err := w.beginRun(ctx, ledger.ReportRun, findLatestRun(reports).AsOf)
	if err != nil {
		return nil, err
	}
	defer release()
	verdicts := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
	for _, r := range reports {
		a := r.set.Accounts[0].Number
		if verdicts.ByAccount[a], err = readVerdict(ctx, w.Ledger, r.base, a, ""); err != nil {
			return nil, err
		}
	}
	if all, ok, err := w.reportOfAll(ctx, &req, reports, verdicts); err != nil {
		return nil, err
	} else if ok {
		reports = append(reports, all)
	}
	s := &Summary{Run: run.ID, AsOf: run.AsOf}
	if reports[0].set.Extract && req.Out == "" {
		if err := w.newSetPublisher().deliverWaiting(ctx, run, s); err != nil { // what waits for reports.out is delivered first, as with every report
			return nil, err
		}
	}
	for _, r := range reports {
		if a := r.set.Accounts[0].Number; !r.set.IsOfAllAccounts() {
			verdict := verdicts.ByAccount[a].Verdict
			s.Verdict = s.Verdict.Worse(verdict)
			s.Accounts = append(s.Accounts, AccountSummary{Account: a, Verdict: verdict, Withheld: verdicts.ListWithheld(a, w.Reports.Kinds)})
		}
	}
	if err := w.publishReports(ctx, s, verdicts, reports); err != nil {
		return nil, err
	}
	s.showWritten()
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	if err := findWorstSeverity(ctx, w.Ledger, s, run.Accounts, ""); err != nil {
		return nil, err
	}
	return s, w.newRunRecorder().end(ctx, run, s, verdicts)
}

// collectReports reads what a request asks of each account, and refuses what cannot be answered.
func (w *Worker) collectReports(ctx context.Context, req *ReportRequest) ([]accountReport, error) {
	sets, err := w.parseRequest(*req)
	if err != nil {
		return nil, err
	}
	reports := make([]accountReport, len(sets))
	for i := range reports {
		r := &reports[i]
		r.set = sets[i]
		if r.base, err = findLastReconcile(ctx, w.Ledger, r.set.Accounts[0]); err != nil {
			return nil, err
		}
	}
	if err := w.refuseUncoveredDays(ctx, reports, req.Period.From); err != nil {
		return nil, err
	}
	for i := range reports {
		r := &reports[i]
		if err := setStateDay(&r.set, r.base.AsOf); err != nil {
			return nil, err
		}
		if r.closed, err = w.closedRevisions(ctx, req, &r.set); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// reportOfAll returns what a request asks of all accounts together. ok is false if it names accounts, or requests no
// kind that exists over all of them.
func (w *Worker) reportOfAll(
	ctx context.Context, req *ReportRequest, reports []accountReport, verdicts *reportset.Verdicts,
) (all accountReport, ok bool, err error) {
	if req.AccountsNamed {
		return all, false, nil
	}
	asked := &reports[0].set
	all.base = findLatestRun(reports)
	if asked.Basis == report.ByAsOf && slices.ContainsFunc(reports, func(r accountReport) bool { return r.base.AsOf != all.base.AsOf }) {
		w.Progress.Step("all accounts", 0)
		w.Progress.Done("they were last reconciled as of different days, and have no state in common: concilia run takes all of them")
		return all, false, nil
	}
	kinds, err := kindlist.Choose(asked.Kinds, asked.Formats, asked.Basis, asked.Period, asked.Filter, false)
	if err != nil {
		return all, false, err
	}
	if all.set, ok = w.newSetPlanner().newSetOfAll(verdicts, asked.Basis, asked.Period, kinds, asked.Formats); !ok {
		return all, false, nil
	}
	all.set.Filter, all.set.Requested, all.set.Extract = asked.Filter, true, asked.Extract
	closed, err := w.findClose(ctx, &all.set)
	if err != nil || closed == nil {
		return all, err == nil, err
	}
	revisions, err := w.Ledger.Revisions(ctx, all.set.Name, string(all.set.Basis), all.set.Period, "", "")
	all.closed = publish.CurrentRevisions(revisions)
	return all, len(all.closed) > 0, err
}

// publishReports publishes the sets of reports, those as of one run together, and lists the closed revisions that
// answer the others.
func (w *Worker) publishReports(ctx context.Context, s *Summary, verdicts *reportset.Verdicts, reports []accountReport) error {
	for len(reports) > 0 {
		first := &reports[0]
		if len(first.closed) > 0 {
			if err := w.nameClosed(ctx, s, first); err != nil {
				return err
			}
			reports = reports[1:]
			continue
		}
		var sets []reportset.Request
		for len(reports) > 0 && len(reports[0].closed) == 0 && reports[0].base.ID == first.base.ID {
			sets, reports = append(sets, reports[0].set), reports[1:]
		}
		publisher := w.newSetPublisher()
		write := publisher.publishSets
		if first.set.Extract {
			write = publisher.writeExtracts
		}
		if err := write(ctx, first.base, s, verdicts, sets); err != nil {
			return err
		}
	}
	return nil
}

// nameClosed lists the closed revisions that answer a report, and adds their rows to the totals; a set over all
// accounts has the same rows again.
func (w *Worker) nameClosed(ctx context.Context, s *Summary, r *accountReport) error {
	if slices.ContainsFunc(r.closed, func(kept *reports.Set) bool { return w.newPublisher().Lacks(ctx, kept) }) {
		if err := w.copyClosed(ctx, s, r); err != nil {
			return err
		}
	} else {
		for _, kept := range r.closed {
			s.noteFiles(w.Reports.Out, kept, false)
		}
	}
	if r.set.IsOfAllAccounts() {
		return nil
	}
	return w.addClosedTotals(ctx, s, &r.set, r.closed)
}

// copyClosed copies the closed revisions that the target lacks to it again.
func (w *Worker) copyClosed(ctx context.Context, s *Summary, r *accountReport) error {
	return w.newSetPublisher().runPublication(ctx, r.base, s, func(p *publication) error {
		for _, kept := range slices.Backward(r.closed) {
			lacks := p.Lacks(ctx, kept)
			if lacks {
				if err := p.Deliver(ctx, kept, nil); err != nil {
					return err
				}
			}
			s.noteSet(kept, false)
			for _, f := range kept.Files {
				s.Files = append(s.Files, newFileSummary(w.Reports.Out, f, lacks))
			}
		}
		return nil
	})
}

// addClosedTotals adds the rows of closed revisions, the newest first: cards and slips each of the newest revision that
// has them, as the ledger sums them as of its run.
func (w *Worker) addClosedTotals(ctx context.Context, s *Summary, set *reportset.Request, closed []*reports.Set) error {
	var sums report.Totals
	for _, kept := range closed {
		var kinds []report.Kind
		for _, f := range kept.Files {
			kinds = append(kinds, report.Kind(f.Kind))
		}
		of, err := source.SumSet(ctx, w.Ledger, s.runSums(), w.Inputs.Profile.Unit, reports.Query{
			Account: set.Accounts[0].Number, Basis: kept.Basis, Period: kept.Period, AsOfRun: kept.Run,
		}, kinds)
		if err != nil {
			return err
		}
		sums.FillFrom(of)
	}
	s.writtenTotals.Add(sums)
	return nil
}

// parseRequest returns one set per account for the request, and refuses contradictions.
func (w *Worker) parseRequest(req ReportRequest) ([]reportset.Request, error) {
	basis, err := report.ParseBasis(req.Basis)
	if err != nil {
		return nil, &casework.RequestError{Text: err.Error(), Hint: "bases are operation, forecast, payment, credit and asof"}
	}
	kinds, formats := w.Reports.Kinds, w.Reports.MonthFormats()
	if len(formats) == 0 {
		formats = w.Reports.Formats
	}
	if len(req.Kinds) > 0 {
		if kinds, err = parseAll(req.Kinds, kindlist.Parse); err != nil {
			return nil, &casework.RequestError{Text: err.Error(), Hint: "see concilia report --help"}
		}
	}
	if len(req.Formats) > 0 {
		if formats, err = parseAll(req.Formats, report.ParseFormat); err != nil {
			return nil, &casework.RequestError{Text: err.Error(), Hint: "formats are csv, csv-br, jsonl, xlsx, html and edi"}
		}
	}
	filter, err := w.parseFilter(req)
	if err != nil {
		return nil, err
	}
	if _, err := kindlist.Choose(kinds, formats, basis, req.Period, filter, len(req.Kinds) > 0); err != nil {
		return nil, &casework.RequestError{Text: err.Error(), Hint: "see concilia report --help"}
	}
	extract, err := w.isExtract(&req, kinds, formats)
	if err != nil {
		return nil, err
	}
	if extract {
		formats = reportset.WithoutEDI(formats)
	}
	if len(kinds) == 1 && kinds[0] == report.StatementKind {
		// A statement exists only as EDI: an empty workbook would supersede the set's own.
		formats = []report.Format{report.EDI}
	}
	var sets []reportset.Request
	for _, a := range w.Accounts {
		if w.Reports.StrictBank && slices.Contains(formats, report.EDI) && a.Block.CNAB().HasNonStandardReaders() {
			return nil, &casework.RequestError{
				Text: fmt.Sprintf("format edi: readers of bank %s, account %s, cut some columns differently from the standard", a.Block.Bank.Code, a.Number),
				Hint: "reports.edi.strict_bank refuses that: leave edi out, or take the key out",
			}
		}
		sets = append(sets, reportset.Request{
			Name: a.Number.String(), Accounts: []Account{a}, Basis: basis, Period: req.Period, Kinds: kinds,
			Formats: formats, Filter: filter, Requested: true, Extract: extract,
		})
	}
	return sets, nil
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

// parseFilter returns the requested brands and classes; unknown ones are refused with a list of the known ones.
func (w *Worker) parseFilter(req ReportRequest) (report.Filter, error) {
	var f report.Filter
	for _, b := range req.Brands {
		brand, ok := w.Inputs.Mapping.Brand(b)
		if !ok {
			return f, &casework.RequestError{Text: fmt.Sprintf("no brand %q", b), Hint: "brands are visa, mastercard, elo, amex, hipercard and those of the mapping"}
		}
		f.Brands = append(f.Brands, brand)
	}
	classes := []ledger.Class{
		ledger.Open, ledger.Received, ledger.Blocked, ledger.Cancelled, ledger.Chargeback, ledger.Paid, ledger.Failed,
	}
	for _, s := range req.Statuses {
		known := false
		for _, c := range classes {
			known = known || strings.EqualFold(string(c), s)
			if strings.EqualFold(string(c), s) {
				f.Classes = append(f.Classes, c)
			}
		}
		if !known {
			return f, &casework.RequestError{Text: fmt.Sprintf("no status %q", s), Hint: fmt.Sprintf("statuses are %v", classes)}
		}
	}
	return f, nil
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
func (w *Worker) refuseUncoveredDays(ctx context.Context, reports []accountReport, from ledger.Date) error {
	if from == 0 {
		return nil
	}
	var texts []string
	var days []ledger.Date // first covered days, each once
	short := map[ledger.Date]string{}
	for i := range reports {
		a := reports[i].set.Accounts[0]
		since, err := plan.FixFirstDay(ctx, w.Ledger, a.AsPlanned(), reports[i].base.AsOf)
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

func parseAll[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	out := make([]T, 0, len(texts))
	for _, text := range texts {
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
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
func (w *Worker) closedRevisions(ctx context.Context, req *ReportRequest, set *reportset.Request) ([]*reports.Set, error) {
	c, err := w.findClose(ctx, set)
	if err != nil || c == nil {
		return nil, err
	}
	later := func(k report.Kind) bool { return k != report.ControlKind && !casework.FixedByClose(k) }
	if len(req.Kinds) > 0 && !slices.ContainsFunc(set.Kinds, casework.FixedByClose) && slices.ContainsFunc(set.Kinds, later) {
		return nil, removeClosedOnce(set, c)
	}
	all, err := w.Ledger.Revisions(ctx, set.Name, string(set.Basis), set.Period, "", "")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s *reports.Set) bool { return s.Revision > c.Revision })
	stand := publish.CurrentRevisions(all)
	has := func(is func(reports.File) bool) bool {
		return slices.ContainsFunc(stand, func(s *reports.Set) bool { return slices.ContainsFunc(s.Files, is) })
	}
	for _, k := range set.Kinds {
		if len(req.Kinds) > 0 && k != report.ControlKind && !has(func(f reports.File) bool { return f.Kind == string(k) }) {
			return nil, closedError(c, "has no "+string(k))
		}
	}
	for _, f := range set.Formats {
		if len(req.Formats) > 0 && !has(func(g reports.File) bool { return g.Format == string(f) }) {
			return nil, closedError(c, "has no file in "+string(f))
		}
	}
	return stand, nil
}

// findClose returns the close of the set's month that is in force for all of its accounts, that of the first one; nil
// if there is none, or if the set is filtered or private.
func (w *Worker) findClose(ctx context.Context, set *reportset.Request) (first *ledger.PeriodClose, err error) {
	if set.Filter.Canonical() != "" || set.Extract {
		return nil, nil
	}
	for _, a := range set.Accounts {
		closes, err := w.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{
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
