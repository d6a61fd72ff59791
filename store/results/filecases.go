package results

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// WriteCase keeps a case that something beside a reconcile saw, such as a publication, and with event set an event that
// holds all its numbers; f.Case may be empty.
func (l *Store) WriteCase(ctx context.Context, run *ledger.Run, f *ledger.Finding, event bool) error {
	if f.Case == "" {
		f.Case = ledger.CaseID(f.Account, f.Subject, f.Code)
	}
	args, err := findingArgs(f)
	if err != nil {
		return err
	}
	return l.db.Transact(ctx, "keep case "+f.Case, func(t *sqldb.Tx) error {
		if _, err := t.ExecContext(ctx, upsertFinding, args...); err != nil || !event {
			return err
		}
		last, err := readLastEvent(ctx, t, f)
		if err != nil {
			return err
		}
		return insertEvent(ctx, t, args, last.sequence+1, run.ID, run.AsOf, 0)
	})
}
