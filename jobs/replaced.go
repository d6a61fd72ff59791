package jobs

import (
	"context"

	"concilia/store/facts"
	"concilia/store/ledger"
)

// listReplacedSlips names the slips of the account that another one of their reference code took the place of: one issued on a
// later day, or on the same day and registered where the slip itself is not.
func (w *Worker) listReplacedSlips(ctx context.Context, a ledger.Account) (map[string]bool, error) {
	all, err := w.Ledger.ReissuedSlips(ctx, a)
	if err != nil {
		return nil, err
	}
	return findReplaced(all), nil
}

// findReplaced names them among slips that share reference codes.
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
		// Without a day of issue nothing comes after anything.
		if r.Issued != 0 && (r.Issued < l.issued || !r.Registered && r.Issued <= l.registered) {
			out[r.ID] = true
		}
	}
	return out
}
