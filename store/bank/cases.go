package bank

import (
	"context"
	"errors"

	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// KeepBankCases keeps what a run found of the cases of a bank account, all or nothing. A run whose lease of the home was
// taken over keeps nothing.
func (s *Store) KeepBankCases(ctx context.Context, run *ledger.Run, a Account, cases []ledger.CaseChange) error {
	return s.db.Transact(ctx, "keep the cases of bank account "+a.ID, func(t *sqldb.Tx) error {
		if err := runs.CheckLease(ctx, t, run.ID, a.Home); err != nil && !errors.Is(err, runs.ErrNoLease) {
			return err
		}
		return results.KeepCases(ctx, t, run, a.Home, cases)
	})
}
