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
	ledger  *store.Ledger
	days    map[ledger.Account]ledger.Date
	Figures ledger.Figures
}

// NewFigureSums adds up figures of cases of the ledger.
func NewFigureSums(l *store.Ledger) *FigureSums {
	return &FigureSums{ledger: l, days: map[ledger.Account]ledger.Date{}}
}

// Add adds those of a case.
func (s *FigureSums) Add(ctx context.Context, f *ledger.Finding) error {
	asOf, known := s.days[f.Account]
	if !known {
		var err error
		if asOf, err = s.ledger.ReconciledAsOf(ctx, f.Account, ""); err != nil {
			return err
		}
		s.days[f.Account] = asOf
	}
	return s.Figures.Add(f.Figure(asOf), f.Impact.V)
}
