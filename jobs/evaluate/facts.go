package evaluate

import (
	"context"

	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// ledgerFacts reads the facts that reconcile needs from the ledger.
type ledgerFacts struct {
	*store.Ledger
	listCap  int64
	days     *pull.PulledDays // of this run
	account  ledger.Account
	answered map[pull.Question]bool
}

func (e *Evaluator) readLedgerFacts(
	ctx context.Context, run *ledger.Run, a ledger.Account, answered map[pull.Question]bool,
) (*ledgerFacts, error) {
	days, err := pull.ReadPulledDays(ctx, e.Ledger, run, a)
	return &ledgerFacts{Ledger: e.Ledger, listCap: int64(e.ListCap), days: days, account: a, answered: answered}, err
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

// listReplacedSlips returns the slips of the account that another slip with the same reference code replaced: one
// issued on a later day, or on the same day and registered while the slip itself is not.
func listReplacedSlips(ctx context.Context, l *store.Ledger, a ledger.Account) (map[string]bool, error) {
	all, err := l.ReissuedSlips(ctx, a)
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
