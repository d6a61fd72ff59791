package desk

import (
	"context"

	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
)

// ClaimsByCase are the claims of the accounts, or of all when there are none, by case.
func ClaimsByCase(ctx context.Context, l *store.Ledger, accounts []ledger.Account, voice catalogue.Voice) (map[string]*casework.Claim, error) {
	all, err := casework.ListClaims(ctx, l, casework.ClaimFilter{Accounts: accounts}, voice)
	out := make(map[string]*casework.Claim, len(all))
	for i := range all {
		out[all[i].Finding.Case] = &all[i]
	}
	return out, err
}

// FigureSums adds up the figures of cases one by one, each as of the last reconcile of its account, as store.Ledger.Figures does
// of all of them.
type FigureSums struct {
	days    map[ledger.Account]ledger.Date
	Figures ledger.Figures
}

// NewFigureSums adds up figures of cases of some accounts.
func NewFigureSums(ctx context.Context, l *store.Ledger, accounts []ledger.Account) (*FigureSums, error) {
	s := &FigureSums{days: map[ledger.Account]ledger.Date{}}
	for _, a := range accounts {
		var err error
		if s.days[a], err = l.ReconciledAsOf(ctx, a, ""); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add adds those of a case.
func (s *FigureSums) Add(f *ledger.Finding) error {
	return s.Figures.Add(f.Figure(s.days[f.Account]), f.Impact.V)
}
