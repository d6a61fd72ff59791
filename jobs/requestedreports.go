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
	"concilia/store/ledger"
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
	out := s.newPublications()
	if reports[0].Set.Extract && req.Out == "" {
		if err := publisher.DeliverWaiting(ctx, run.record, out); err != nil { // what waits for reports.out is delivered first, as with every report
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
	if err := publisher.PublishReports(ctx, out, verdicts, reports); err != nil {
		return nil, err
	}
	s.addPublications(out)
	s.showWritten(out)
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	if err := findWorstSeverity(ctx, w.Ledger, s, run.record.Accounts, ""); err != nil {
		return nil, err
	}
	return s, run.end(ctx, s, verdicts)
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
