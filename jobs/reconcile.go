package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/restatement"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// reconcileAccounts applies the rules to every account as of the run's day, each in one database transaction, in this
// process or in any worker.
func (w *Worker) reconcileAccounts(ctx context.Context, run *ledger.Run, answered map[pull.Question]bool, s *Summary) (*reportset.Verdicts, error) {
	w.Progress.Step("reconcile", len(w.Accounts))
	units, err := w.planReconcileUnits(ctx, run, answered)
	if err != nil {
		return nil, err
	}
	if err := w.heavyQueue().Do(ctx, units, w.workOn(run)); err != nil {
		return nil, err
	}
	v := &reportset.Verdicts{}
	if v.ByAccount, err = w.readResults(ctx, run, units); err != nil {
		return nil, err
	}
	s.Findings, s.NewFindings = map[string]int{}, map[string]int{}
	var installments, slips, believed int64
	for _, a := range w.Accounts {
		r := v.ByAccount[a.Number]
		if r.Overflow != "" {
			s.Unpublished = append(s.Unpublished, fmt.Errorf("account %s: nothing of it was evaluated or published: %s", a.Number, r.Overflow))
		}
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
	others, err := s.keeper(w).Evaluate(ctx, run, v.ByAccount)
	if err != nil {
		return nil, err
	}
	s.addOtherSides(others)
	w.Progress.Done(fmt.Sprintf("%s, %s: %s", ledger.CountText(installments, "installment", "installments"), ledger.CountText(slips, "slip", "slips"), s.Verdict))
	return v, w.Ledger.AnalyzeTables(ctx, 0, believed)
}

// reconcileAccount applies the rules to one account and commits the results, if the unit's lease is still held.
func (w *Worker) reconcileAccount(
	ctx context.Context, run *ledger.Run, a Account, answered map[pull.Question]bool, u ledger.WorkUnit,
) (reconcile.Result, error) {
	since, err := w.fixFirstDay(ctx, a, run.AsOf)
	if err != nil {
		return reconcile.Result{}, err
	}
	src, err := w.readLedgerFacts(ctx, run, a.Number, answered)
	if err != nil {
		return reconcile.Result{}, err
	}
	in := w.Inputs
	in.AsOf, in.Since, in.Zone = run.AsOf, since, w.Zone
	if in.Closes, err = restatement.ListCloses(ctx, w.Ledger, run, a.Number); err != nil {
		return reconcile.Result{}, err
	}
	in.MeasureBetterFit = func(ctx context.Context) (func(string) string, error) {
		c, err := w.calibrateAccount(ctx, a.Number, &CalibrationResult{})
		if err != nil {
			return nil, fmt.Errorf("measure interpretations: %w", err)
		}
		return assumptions.FitsBetter(c.Answers(w.Inputs.Profile)), nil
	}
	in.ListReplaced = func(ctx context.Context) (map[string]bool, error) { return w.listReplacedSlips(ctx, a.Number) }
	sink, err := w.Ledger.BeginReconcile(ctx, run, a.Number)
	if err != nil {
		return reconcile.Result{}, err
	}
	r, err := reconcile.Account(ctx, in, run, a.Number, src, sink)
	if err != nil {
		_ = sink.Rollback() // err matters more
		return reconcile.Result{}, err
	}
	if err := sink.AddWords(in.Full); err != nil {
		_ = sink.Rollback()
		return r, err
	}
	if u.Worker != "" { // leased: another process may have continued the run meanwhile
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

// ledgerFacts reads the facts that reconcile needs from the ledger.
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

// Coverage returns the coverage of every day that has a complete pull, or had one in this run.
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

// heavyQueue is the queue of units that hold a transaction for long: in this process one after another.
func (w *Worker) heavyQueue() pull.Queue {
	if w.Queue != nil {
		return w.Queue
	}
	return queue.Pool{Parallel: 1}
}

// answeredRecheck is a recheck that was answered. It is stored as the result of a unit that is not done yet.
type answeredRecheck struct {
	List ledger.Source `json:"list"`
	Day  int64         `json:"day,omitzero"` // as ledger.Date counts
	ID   string        `json:"id,omitzero"`
}

// planReconcileUnits plans one unit per account. Its name has the number of the run's pulls: a run that was killed and
// continued repeats the unit only if it has pulled more since.
func (w *Worker) planReconcileUnits(
	ctx context.Context, run *ledger.Run, answered map[pull.Question]bool,
) ([]ledger.WorkUnit, error) {
	var units []ledger.WorkUnit
	for _, a := range w.Accounts {
		pulls, err := w.Ledger.PullsOfRun(ctx, a.Number, run.ID)
		if err != nil {
			return nil, err
		}
		u := ledger.WorkUnit{
			Account: a.Number, Run: run.ID, Kind: ledger.ReconcileUnit, What: fmt.Sprintf("rules-%d", len(pulls)),
			State: ledger.UnitPlanned, Reason: "its windows are over",
		}
		asks := []answeredRecheck{}
		for q, ok := range answered {
			if ok && q.Account == a.Number {
				asks = append(asks, answeredRecheck{q.Recheck.List, int64(q.Recheck.Day), q.Recheck.ID})
			}
		}
		slices.SortFunc(asks, func(a, b answeredRecheck) int {
			return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID))
		})
		if u.Result, err = json.Marshal(asks); err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	if err := w.Ledger.PlanUnits(ctx, units); err != nil {
		return nil, err
	}
	for _, u := range units {
		// The process that does the unit needs the answered rechecks: they are stored where its result will be.
		was, err := w.Ledger.Unit(ctx, u)
		if err != nil || was.State == ledger.UnitDone || was.State == ledger.UnitLeased {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := w.Ledger.FinishUnit(ctx, u); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// doReconcileUnit reconciles one account and stores the result in its unit.
func (w *Worker) doReconcileUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit) error {
	var asks []answeredRecheck
	if err := json.Unmarshal(u.Result, &asks); err != nil {
		return fmt.Errorf("%s: answered rechecks: %w", u.String(), err)
	}
	answered := map[pull.Question]bool{}
	for _, a := range asks {
		q := pull.Question{Account: u.Account, Recheck: rules.Recheck{List: a.List, Day: ledger.Date(a.Day), ID: a.ID}}
		answered[q] = true
	}
	for _, a := range w.Accounts {
		if a.Number != u.Account {
			continue
		}
		r, err := w.reconcileAccount(ctx, run, a, answered, u)
		if errors.Is(err, ledger.ErrOverflow) {
			// The amounts of one account must not end the run of the others.
			r, err = reconcile.Result{Verdict: ledger.Incomplete, Overflow: err.Error()}, nil
		}
		if err != nil {
			return err
		}
		u.State, u.Rows = ledger.UnitDone, r.Installments+r.Slips
		if u.Result, err = json.Marshal(&r); err != nil {
			return err
		}
		w.Progress.Advance(1)
		return w.Ledger.FinishUnit(ctx, u)
	}
	return fmt.Errorf("%s: the account is not configured here", u.String())
}

// readResults reads the result of each account, whichever process reconciled it.
func (w *Worker) readResults(
	ctx context.Context, run *ledger.Run, units []ledger.WorkUnit,
) (map[ledger.Account]reconcile.Result, error) {
	wanted := map[ledger.Account]string{}
	for _, u := range units {
		wanted[u.Account] = u.What
	}
	done, err := w.Ledger.Units(ctx, run.ID, runs.UnitFilter{
		Accounts: w.accountNumbers(), Kind: ledger.ReconcileUnit, States: []ledger.UnitState{ledger.UnitDone},
	})
	if err != nil {
		return nil, err
	}
	out := map[ledger.Account]reconcile.Result{}
	for _, u := range done {
		if wanted[u.Account] != u.What {
			continue
		}
		var r reconcile.Result
		if err := json.Unmarshal(u.Result, &r); err != nil {
			return nil, fmt.Errorf("%s: its result: %w", u.String(), err)
		}
		out[u.Account] = r
	}
	if len(out) != len(wanted) {
		return nil, fmt.Errorf("reconcile: %d of %d accounts were reconciled", len(out), len(wanted))
	}
	return out, nil
}

// listReplacedSlips returns the slips of the account that another slip with the same reference code replaced: one
// issued on a later day, or on the same day and registered while the slip itself is not.
func (w *Worker) listReplacedSlips(ctx context.Context, a ledger.Account) (map[string]bool, error) {
	all, err := w.Ledger.ReissuedSlips(ctx, a)
	if err != nil {
		return nil, err
	}
	return findReplaced(all), nil
}

// findReplaced returns the replaced ones among slips that share reference codes.
func findReplaced(all []facts.ReissuedSlip) map[string]bool {
	type last struct{ issued, registered ledger.Date }
	by := map[string]last{}
	for _, r := range all {
		l := by[r.Reference]
		if l.issued = max(l.issued, r.Issued); r.Registered {
			l.registered = max(l.registered, r.Issued)
		}
		by[r.Reference] = l
	}
	out := map[string]bool{}
	for _, r := range all {
		l := by[r.Reference]
		// A slip without a day of issue replaces none and is not replaced.
		if r.Issued != 0 && (r.Issued < l.issued || !r.Registered && r.Issued <= l.registered) {
			out[r.ID] = true
		}
	}
	return out
}
