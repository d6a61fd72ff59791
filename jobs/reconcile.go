package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules"
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
	others, err := s.newKeeper(w).Evaluate(ctx, run, v.ByAccount)
	if err != nil {
		return nil, err
	}
	s.addOtherSides(others)
	w.Progress.Done(fmt.Sprintf("%s, %s: %s", ledger.CountText(installments, "installment", "installments"), ledger.CountText(slips, "slip", "slips"), s.Verdict))
	return v, w.Ledger.AnalyzeTables(ctx, 0, believed)
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
		r, err := w.newEvaluator().ReconcileAccount(ctx, run, a.AsPlanned(), answered, u)
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
