package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// heavy is where units go that hold a transaction for long: in this process one after another.
func (w *Worker) heavy() pull.Queue {
	if w.Queue != nil {
		return w.Queue
	}
	return queue.Pool{Parallel: 1}
}

// answeredRecheck is a question that confirm got an answer to, in the result of a unit that has none of its own yet.
type answeredRecheck struct {
	List ledger.Source `json:"list"`
	Day  int64         `json:"day,omitzero"` // as ledger.Date counts
	ID   string        `json:"id,omitzero"`
}

// planReconcileUnits plans one unit an account. It is named by how many pulls of the run there are to judge: a run that was
// killed and taken up again judges once more what it pulled more of, and nothing else.
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
		// Whoever does it, on whatever machine, must know what was answered: it goes where the result will be.
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

// doReconcileUnit judges one account and keeps in its unit what the run concludes from.
func (w *Worker) doReconcileUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit) error {
	var asks []answeredRecheck
	if err := json.Unmarshal(u.Result, &asks); err != nil {
		return fmt.Errorf("%s: what was answered: %w", u.String(), err)
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

// readResults reads what the rules said of each account, whoever asked them.
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
		return nil, fmt.Errorf("reconcile: %d of %d accounts were judged", len(out), len(wanted))
	}
	return out, nil
}
