package sales

import (
	"context"
	"errors"
	"slices"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// KeepSalesCases keeps what a run found of the cases of stores, all or nothing. A run whose lease of an account was taken over keeps
// nothing.
func (s *Store) KeepSalesCases(ctx context.Context, run *ledger.Run, cases []ledger.CaseChange) error {
	byAccount := map[ledger.Account][]ledger.CaseChange{}
	var accounts []ledger.Account
	for i := range cases {
		a := cases[i].Account
		if byAccount[a] == nil {
			accounts = append(accounts, a)
		}
		byAccount[a] = append(byAccount[a], cases[i])
	}
	if len(accounts) == 0 {
		return nil
	}
	slices.Sort(accounts)
	return s.db.Transact(ctx, "keep the cases of stores", func(t *sqldb.Tx) error {
		for _, a := range accounts {
			if err := runs.CheckLease(ctx, t, run.ID, a); err != nil && !errors.Is(err, runs.ErrNoLease) {
				return err
			}
			if err := caselog.KeepCases(ctx, t, run, a, byAccount[a]); err != nil {
				return err
			}
		}
		return nil
	})
}
