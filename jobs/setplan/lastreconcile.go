package setplan

import (
	"context"
	"errors"

	"concilia/jobs/casework"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/runs"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// FindLastReconcile returns the last finished run that reconciled the account.
func FindLastReconcile(ctx context.Context, l *store.Ledger, a reportset.Account) (*ledger.Run, error) {
	base, err := l.LastReconcileRun(ctx, a.Number)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, casework.NewRequestError("error.never_reconciled", "hint.reconcile_first", "account", a.Number)
	}
	return base, err
}

// ReadVerdict reads the results of a reconcile for the account, by its cases as they are now or as of a run.
func ReadVerdict(ctx context.Context, l *store.Ledger, base *ledger.Run, a ledger.Account, asOfRun string) (reconcile.Result, error) {
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

// ReadVerdictsOfRun reads the verdicts of a past run on the accounts that it reconciled.
func ReadVerdictsOfRun(ctx context.Context, l *store.Ledger, accounts []reportset.Account, then *ledger.Run) (*reportset.Verdicts, error) {
	out := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
	for _, a := range accounts {
		if _, ok := then.Verdicts[a.Number]; !ok {
			continue
		}
		var err error
		if out.ByAccount[a.Number], err = ReadVerdict(ctx, l, then, a.Number, then.ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FindLastNight returns the run that last reconciled every account, and its verdicts.
func FindLastNight(ctx context.Context, l *store.Ledger, accounts []reportset.Account) (*ledger.Run, *reportset.Verdicts, error) {
	var base *ledger.Run
	all := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
	for _, a := range accounts {
		last, err := FindLastReconcile(ctx, l, a)
		if err != nil {
			return nil, nil, err
		}
		if base != nil && last.ID != base.ID {
			return nil, nil, casework.NewRequestError("error.different_runs", "hint.run_or_reconcile", "account", accounts[0].Number, "run", base.ID,
				"other", a.Number, "other_run", last.ID)
		}
		base = last
		if all.ByAccount[a.Number], err = ReadVerdict(ctx, l, last, a.Number, ""); err != nil {
			return nil, nil, err
		}
	}
	return base, all, nil
}
