package jobs

import (
	"context"
	"fmt"

	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reconcile"
	"concilia/jobs/restatement"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store"
	"concilia/store/ledger"
)

// judged is what a run says of its accounts.
type judged struct {
	results map[ledger.Account]reconcile.Result
}

// critical are the codes of critical findings on one side of an account.
func (j *judged) critical(a ledger.Account, side string) []string { return j.results[a].Critical[side] }

// reconcileAccounts lets the rules judge every account as of the run's day, each in one database transaction, here or wherever
// there is a worker.
func (w *Worker) reconcileAccounts(ctx context.Context, run *ledger.Run, answered map[pull.Question]bool, s *Summary) (*judged, error) {
	w.Progress.Step("reconcile", len(w.Accounts))
	units, err := w.planReconcileUnits(ctx, run, answered)
	if err != nil {
		return nil, err
	}
	if err := w.heavy().Do(ctx, units, w.workOn(run)); err != nil {
		return nil, err
	}
	j := &judged{}
	if j.results, err = w.readResults(ctx, run, units); err != nil {
		return nil, err
	}
	s.Findings, s.NewFindings = map[string]int{}, map[string]int{}
	var installments, slips, believed int64
	for _, a := range w.Accounts {
		r := j.results[a.Number]
		for code, n := range r.Counts {
			s.Findings[code] += n
		}
		for code, n := range r.NewCases {
			s.NewFindings[code] += n
		}
		installments, slips, believed = installments+r.Installments, slips+r.Slips, believed+r.ChangedExpectations
		s.NotAttributed = s.NotAttributed || r.NotAttributed != 0
		s.Verdict = s.Verdict.Worse(r.Verdict)
	}
	w.Progress.Done(fmt.Sprintf("%s, %s: %s", things(installments, "installment", "installments"), things(slips, "slip", "slips"), s.Verdict))
	return j, w.Ledger.AnalyzeTables(ctx, 0, believed)
}

func (w *Worker) reconcileAccount(
	ctx context.Context, run *ledger.Run, a Account, answered map[pull.Question]bool, u ledger.WorkUnit,
) (reconcile.Result, error) {
	since, err := w.since(ctx, a, run.AsOf)
	if err != nil {
		return reconcile.Result{}, err
	}
	src, err := w.readLedgerFacts(ctx, run, a.Number, answered)
	if err != nil {
		return reconcile.Result{}, err
	}
	in := w.Terms
	in.AsOf, in.Since, in.Zone = run.AsOf, since, w.Zone
	if in.Closes, err = restatement.ListCloses(ctx, w.Ledger, run, a.Number); err != nil {
		return reconcile.Result{}, err
	}
	in.MeasureBetterFit = func(ctx context.Context) (func(string) string, error) {
		c, err := w.calibrateAccount(ctx, a.Number, &CalibrationResult{})
		if err != nil {
			return nil, fmt.Errorf("measure readings: %w", err)
		}
		return assumptions.FitsBetter(c.Answers(w.Terms.Profile)), nil
	}
	in.ListReplaced = func(ctx context.Context) (map[string]bool, error) { return w.listReplacedSlips(ctx, a.Number) }
	sink, err := w.Ledger.BeginReconcile(ctx, run, a.Number)
	if err != nil {
		return reconcile.Result{}, err
	}
	r, err := reconcile.Account(ctx, in, run, a.Number, src, sink)
	if err != nil {
		_ = sink.Rollback() // the error that matters is the one at hand
		return reconcile.Result{}, err
	}
	if u.Worker != "" { // leased: the run may have been taken up meanwhile
		mine, err := sink.ConfirmUnitLease(u, u.Worker, queue.UnitLife)
		if err == nil && !mine {
			err = fmt.Errorf("%s: %w", u.String(), queue.ErrLeaseLost)
		}
		if err != nil {
			_ = sink.Rollback()
			return r, err
		}
	}
	if err := sink.Commit(); err != nil {
		return r, err
	}
	return r, restatement.RecordChanges(ctx, w.Ledger, run, a.Number)
}

// ledgerFacts answers the rules' questions from the ledger.
type ledgerFacts struct {
	*store.Ledger
	listCap  int64
	days     *pull.PulledDays // of this run
	account  ledger.Account
	answered map[pull.Question]bool
}

func (w *Worker) readLedgerFacts(
	ctx context.Context, run *ledger.Run, a ledger.Account, answered map[pull.Question]bool,
) (*ledgerFacts, error) {
	days, err := pull.ReadPulledDays(ctx, w.Ledger, run, a)
	return &ledgerFacts{Ledger: w.Ledger, listCap: int64(w.ListCap), days: days, account: a, answered: answered}, err
}

// Coverage returns the cover of every day that has a complete pull, or had one in this run.
func (f *ledgerFacts) Coverage(
	ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period,
) (map[ledger.Date]reconcile.DayCoverage, error) {
	covers, err := f.Ledger.Coverage(ctx, a, s, p)
	if err != nil {
		return nil, err
	}
	out := make(map[ledger.Date]reconcile.DayCoverage, len(covers))
	for d, c := range covers {
		out[d] = reconcile.DayCoverage{Complete: c.Complete, CompleteOn: c.On, CompleteNow: f.days.Complete[s][d], CompletePulls: c.CompletePulls, RowsUnchanged: c.Complete && c.RowsUnchanged}
	}
	return out, nil
}

// WasAnswered reports whether a question was answered in this run.
func (f *ledgerFacts) WasAnswered(ask rules.Recheck) bool {
	return f.answered[pull.Question{Account: f.account, Recheck: ask}]
}

// RecentPulls returns the account's pulls since a run last reconciled it, and how many rows the answers of the last days had.
func (f *ledgerFacts) RecentPulls(ctx context.Context, a ledger.Account) (reconcile.RecentPulls, error) {
	out := reconcile.RecentPulls{ListCap: f.listCap}
	var err error
	if out.Pulls, err = plan.UnevaluatedPulls(ctx, f.Ledger, a); err != nil || len(out.Pulls) == 0 {
		return out, err
	}
	on := out.Pulls[len(out.Pulls)-1].On
	if out.RowsByDay, err = f.DayCounts(ctx, a, ledger.Period{From: on - pull.CountedDays + 1, To: on}); err != nil {
		return out, err
	}
	out.LargestRows, err = f.LargestCounts(ctx, a)
	return out, err
}
