package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"concilia/export/words"
	"concilia/jobs/evaluate"
	"concilia/jobs/othersides"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// reconciler applies the rules to the accounts of a run.
type reconciler struct {
	ledger    *store.Ledger
	accounts  []Account
	evaluator *evaluate.Evaluator
	keeper    *othersides.Keeper // nil: it does units for the process that leads the run
	queue     pull.Queue         // of what holds a transaction for long
	wall      func() time.Time
	progress  pull.Progress
}

func (t *task) newReconciler(keeper *othersides.Keeper) *reconciler {
	w := t.worker
	return &reconciler{
		ledger: w.Ledger, accounts: t.accounts, evaluator: t.newEvaluator(), keeper: keeper, queue: t.heavyQueue(), wall: w.Wall, progress: t.progress,
	}
}

// reconcileAccounts applies the rules to every account as of the run's day, each in one database transaction, in this
// process or in any worker; then to bank accounts and stores.
func (r *reconciler) reconcileAccounts(ctx context.Context, run *ledger.Run, answered map[pull.Question]bool, s *Summary) (*reportset.Verdicts, error) {
	r.progress.Step("reconcile", len(r.accounts))
	units, err := r.planUnits(ctx, run, answered)
	if err != nil {
		return nil, err
	}
	if err := r.queue.Do(ctx, units, func(ctx context.Context, u ledger.WorkUnit) error { return r.doUnit(ctx, run, u) }); err != nil {
		return nil, err
	}
	v := &reportset.Verdicts{}
	if v.ByAccount, err = r.readResults(ctx, run, units); err != nil {
		return nil, err
	}
	s.Findings, s.NewFindings = map[string]int{}, map[string]int{}
	var installments, slips, expectations int64
	for _, a := range r.accounts {
		result := v.ByAccount[a.Number]
		if result.Overflow != "" {
			s.Unpublished = append(s.Unpublished, fmt.Errorf("account %s: nothing of it was evaluated or published: %s", a.Number, result.Overflow))
		}
		for code, n := range result.Counts {
			s.Findings[code] += n
		}
		for code, n := range result.NewCases {
			s.NewFindings[code] += n
		}
		installments, slips, expectations = installments+result.Installments, slips+result.Slips, expectations+result.ChangedExpectations
		s.NotAttributed = s.NotAttributed || result.NotAttributed != 0
		s.Verdict = s.Verdict.Worse(result.Verdict)
	}
	others, err := r.keeper.Evaluate(ctx, run, v.ByAccount)
	if err != nil {
		return nil, err
	}
	s.addOtherSides(others)
	r.progress.Done(words.NewMessage("steps.reconciled", "installments", words.NewMessage("steps.installment", "n", installments),
		"slips", words.NewMessage("steps.slip", "n", slips), "verdict", words.Labelled{Kind: "period_verdict", ID: string(s.Verdict)}))
	return v, r.ledger.AnalyzeTables(ctx, 0, expectations)
}

// answeredRecheck is a recheck that was answered. It is stored as the result of a unit that is not done yet.
type answeredRecheck struct {
	List ledger.Source `json:"list"`
	Day  int64         `json:"day,omitzero"` // as ledger.Date counts
	ID   string        `json:"id,omitzero"`
}

// planUnits plans one unit per account. Its name has the number of the run's pulls: a run that was killed and
// continued repeats the unit only if it has pulled more since.
func (r *reconciler) planUnits(
	ctx context.Context, run *ledger.Run, answered map[pull.Question]bool,
) ([]ledger.WorkUnit, error) {
	var units []ledger.WorkUnit
	for _, a := range r.accounts {
		pulls, err := r.ledger.PullsOfRun(ctx, a.Number, run.ID)
		if err != nil {
			return nil, err
		}
		u := ledger.WorkUnit{
			Account: a.Number, Run: run.ID, Kind: ledger.ReconcileUnit, What: fmt.Sprintf("rules-%d", len(pulls)),
			State: ledger.UnitPlanned, Reason: "its windows were asked for",
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
	if err := r.ledger.PlanUnits(ctx, units); err != nil {
		return nil, err
	}
	for _, u := range units {
		// The process that does the unit needs the answered rechecks: they are stored where its result will be.
		was, err := r.ledger.Unit(ctx, u)
		if err != nil || was.State == ledger.UnitDone || was.State == ledger.UnitLeased {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := r.ledger.FinishUnit(ctx, u); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// doUnit reconciles one account and stores the result in its unit. If the ledger interrupts it, it is repeated.
func (r *reconciler) doUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit) error {
	return r.ledger.RetryOnOutage(ctx, r.wall, nil, func() error { return r.tryUnit(ctx, run, u) })
}

// tryUnit is doUnit, once.
func (r *reconciler) tryUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit) error {
	var asks []answeredRecheck
	if err := json.Unmarshal(u.Result, &asks); err != nil {
		return fmt.Errorf("%s: answered rechecks: %w", u.String(), err)
	}
	answered := map[pull.Question]bool{}
	for _, a := range asks {
		q := pull.Question{Account: u.Account, Recheck: rules.Recheck{List: a.List, Day: ledger.Date(a.Day), ID: a.ID}}
		answered[q] = true
	}
	for _, a := range r.accounts {
		if a.Number != u.Account {
			continue
		}
		result, err := r.evaluator.ReconcileAccount(ctx, run, a.AsPlanned(), answered, u)
		if errors.Is(err, ledger.ErrOverflow) {
			// The amounts of one account must not end the run of the others.
			result, err = reconcile.Result{Verdict: ledger.Incomplete, Overflow: err.Error()}, nil
		}
		if err != nil {
			return err
		}
		u.State, u.Rows = ledger.UnitDone, result.Installments+result.Slips
		if u.Result, err = json.Marshal(&result); err != nil {
			return err
		}
		r.progress.Advance(1)
		return r.ledger.FinishUnit(ctx, u)
	}
	return fmt.Errorf("%s: the account is not configured here", u.String())
}

// readResults reads the result of each account, whichever process reconciled it.
func (r *reconciler) readResults(
	ctx context.Context, run *ledger.Run, units []ledger.WorkUnit,
) (map[ledger.Account]reconcile.Result, error) {
	wanted := map[ledger.Account]string{}
	for _, u := range units {
		wanted[u.Account] = u.What
	}
	done, err := r.ledger.Units(ctx, run.ID, runs.UnitFilter{
		Accounts: run.Accounts, Kind: ledger.ReconcileUnit, States: []ledger.UnitState{ledger.UnitDone},
	})
	if err != nil {
		return nil, err
	}
	out := map[ledger.Account]reconcile.Result{}
	for _, u := range done {
		if wanted[u.Account] != u.What {
			continue
		}
		var result reconcile.Result
		if err := json.Unmarshal(u.Result, &result); err != nil {
			return nil, fmt.Errorf("%s: its result: %w", u.String(), err)
		}
		out[u.Account] = result
	}
	if len(out) != len(wanted) {
		return nil, fmt.Errorf("reconcile: %d of %d accounts were reconciled", len(out), len(wanted))
	}
	return out, nil
}
