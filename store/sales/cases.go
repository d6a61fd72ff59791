package sales

import (
	"context"
	"errors"
	"slices"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// KeepSales keeps what a run concluded of stores, and their cases, all or nothing. A run whose lease of an account was taken over
// keeps nothing.
func (s *ConclusionStore) KeepSales(ctx context.Context, run *ledger.Run, concluded []ownsales.Conclusion, cases []ledger.CaseChange) error {
	byAccount := map[ledger.Account][]ledger.CaseChange{}
	var accounts []ledger.Account
	for i := range concluded {
		accounts = append(accounts, concluded[i].Home)
	}
	for i := range cases {
		a := cases[i].Account
		accounts = append(accounts, a)
		byAccount[a] = append(byAccount[a], cases[i])
	}
	if len(accounts) == 0 {
		return nil
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	return s.db.Transact(ctx, "keep what is concluded of stores", func(t *sqldb.Tx) error {
		for _, a := range accounts {
			if err := runs.CheckLease(ctx, t, run.ID, a); err != nil && !errors.Is(err, runs.ErrNoLease) {
				return err
			}
			if err := caselog.KeepCases(ctx, t, run, a, byAccount[a]); err != nil {
				return err
			}
		}
		for i := range concluded {
			if err := keepConclusion(ctx, t, run.ID, &concluded[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
