package jobs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"concilia/export/report"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
)

// ReportRequest is a person's request for reports.
type ReportRequest = setplan.Request

// Report renders and publishes a period, for each account as of its last finished reconcile; then, unless accounts were
// named, over all accounts. The totals of its summary are those of the rows of the files it names.
func (w *Worker) Report(ctx context.Context, req ReportRequest) (*Summary, error) {
	return w.newTask().report(ctx, &req)
}

// report is Worker.Report for the accounts of the job.
func (t *task) report(ctx context.Context, req *ReportRequest) (*Summary, error) {
	switch {
	case req.Basis == string(report.ByMovement):
		return t.copyMovement(ctx, req)
	case req.IsJournal():
		return t.reportJournal(ctx, req)
	case req.AsOfRun != "":
		return t.reportAsOf(ctx, *req)
	}
	return t.reportPeriod(ctx, req)
}

// reportPeriod answers a request as of the last reconcile.
func (t *task) reportPeriod(ctx context.Context, req *ReportRequest) (*Summary, error) {
	w, search := t.worker, t.newReportSearch(req)
	reports, err := search.Collect(ctx)
	if err != nil {
		return nil, err
	}
	run, err := t.beginRun(ctx, ledger.ReportRun, setplan.FindLatestRun(reports).AsOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	verdicts := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
	for _, r := range reports {
		a := r.Set.Accounts[0].Number
		if verdicts.ByAccount[a], err = setplan.ReadVerdict(ctx, w.Ledger, r.Base, a, ""); err != nil {
			return nil, err
		}
	}
	if all, ok, err := search.FindReportOfAll(ctx, run.progress, reports, verdicts); err != nil {
		return nil, err
	} else if ok {
		reports = append(reports, all)
	}
	s, publisher := run.newSummary(), run.newSetPublisher()
	if reports[0].Set.Extract && req.Out == "" {
		if err := publisher.deliverWaiting(ctx, run.record, s); err != nil { // what waits for reports.out is delivered first, as with every report
			return nil, err
		}
	}
	for _, r := range reports {
		if a := r.Set.Accounts[0].Number; !r.Set.IsOfAllAccounts() {
			verdict := verdicts.ByAccount[a].Verdict
			s.Verdict = s.Verdict.Worse(verdict)
			s.Accounts = append(s.Accounts, AccountSummary{Account: a, Verdict: verdict, Withheld: verdicts.ListWithheld(a, w.Reports.Kinds)})
		}
	}
	if err := publisher.publishReports(ctx, s, verdicts, reports); err != nil {
		return nil, err
	}
	s.showWritten()
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	if err := findWorstSeverity(ctx, w.Ledger, s, run.record.Accounts, ""); err != nil {
		return nil, err
	}
	return s, run.end(ctx, s, verdicts)
}

// publishReports publishes the sets of reports, those as of one run together, and lists the closed revisions that
// answer the others.
func (p *setPublisher) publishReports(ctx context.Context, s *Summary, verdicts *reportset.Verdicts, reports []setplan.Report) error {
	for len(reports) > 0 {
		first := &reports[0]
		if len(first.Closed) > 0 {
			if err := p.nameClosed(ctx, s, first); err != nil {
				return err
			}
			reports = reports[1:]
			continue
		}
		var sets []reportset.Request
		for len(reports) > 0 && len(reports[0].Closed) == 0 && reports[0].Base.ID == first.Base.ID {
			sets, reports = append(sets, reports[0].Set), reports[1:]
		}
		write := p.publishSets
		if first.Set.Extract {
			write = p.writeExtracts
		}
		if err := write(ctx, first.Base, s, verdicts, sets); err != nil {
			return err
		}
	}
	return nil
}

// nameClosed lists the closed revisions that answer a report, and adds their rows to the totals; a set over all
// accounts has the same rows again.
func (p *setPublisher) nameClosed(ctx context.Context, s *Summary, r *setplan.Report) error {
	if slices.ContainsFunc(r.Closed, func(kept *published.Set) bool { return p.publisher.Lacks(ctx, kept) }) {
		if err := p.copyClosed(ctx, s, r); err != nil {
			return err
		}
	} else {
		for _, kept := range r.Closed {
			s.noteFiles(p.reports.Out, kept, false)
		}
	}
	if r.Set.IsOfAllAccounts() {
		return nil
	}
	return p.addClosedTotals(ctx, s, &r.Set, r.Closed)
}

// copyClosed copies the closed revisions that the target lacks to it again.
func (p *setPublisher) copyClosed(ctx context.Context, s *Summary, r *setplan.Report) error {
	return p.runPublication(ctx, r.Base, s, func(p *publication) error {
		for _, kept := range slices.Backward(r.Closed) {
			lacks := p.Lacks(ctx, kept)
			if lacks {
				if err := p.Deliver(ctx, kept, nil); err != nil {
					return err
				}
			}
			s.noteSet(kept, false)
			for _, f := range kept.Files {
				s.Files = append(s.Files, newFileSummary(p.reports.Out, f, lacks))
			}
		}
		return nil
	})
}

// addClosedTotals adds the rows of closed revisions, the newest first: cards and slips each of the newest revision that
// has them, as the ledger sums them as of its run.
func (p *setPublisher) addClosedTotals(ctx context.Context, s *Summary, set *reportset.Request, closed []*published.Set) error {
	var sums report.Totals
	for _, kept := range closed {
		var kinds []report.Kind
		for _, f := range kept.Files {
			kinds = append(kinds, report.Kind(f.Kind))
		}
		of, err := source.SumSet(ctx, p.ledger, s.runSums(), p.inputs.Profile.Unit, reports.Query{
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

// PublishMonths publishes the sets of months of accounts in every configured format, with the EDI files that nights leave out: those
// are what is closed.
func (w *Worker) PublishMonths(ctx context.Context, months []ledger.PeriodClose) error {
	byPeriod := slices.SortedFunc(slices.Values(months), func(a, b ledger.PeriodClose) int {
		return cmp.Or(cmp.Compare(a.Basis, b.Basis), cmp.Compare(a.Period.From, b.Period.From), cmp.Compare(a.Account, b.Account))
	})
	for len(byPeriod) > 0 {
		first := byPeriod[0]
		var accounts []Account
		for len(byPeriod) > 0 && byPeriod[0].Basis == first.Basis && byPeriod[0].Period == first.Period {
			i := slices.IndexFunc(w.Accounts, func(a Account) bool { return a.Number == byPeriod[0].Account })
			if i >= 0 {
				accounts = append(accounts, w.Accounts[i])
			}
			byPeriod = byPeriod[1:]
		}
		req := ReportRequest{Period: first.Period, Basis: first.Basis, AccountsNamed: true}
		for _, f := range w.Reports.Formats {
			req.Formats = append(req.Formats, string(f))
		}
		s, err := w.newTaskOf(accounts).report(ctx, &req)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Unpublished...); err != nil {
			return err
		}
	}
	return nil
}
