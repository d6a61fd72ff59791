package results

import (
	"context"
	"fmt"
	"time"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ChangeBodies replaces each of the bodies with the result of change, and logs the act, in one transaction. If change
// returns nil the body stays as it is; bodies whose bytes were deleted meanwhile are skipped. change may be called more
// than once for a body.
func (l *Store) ChangeBodies(ctx context.Context, sums []string, act ledger.Act,
	change func(*ledger.Body) (*ledger.Body, error),
) error {
	return l.db.Transact(ctx, "change kept bodies", func(t *sqldb.Tx) error {
		for _, sum := range sums {
			if err := changeBody(ctx, t, sum, act.At, change); err != nil {
				return err
			}
		}
		logged := act
		return appendAct(ctx, t, &logged)
	})
}

func changeBody(ctx context.Context, t *sqldb.Tx, sum string, at time.Time, change func(*ledger.Body) (*ledger.Body, error),
) error {
	was, err := facts.ReadBody(ctx, t, sum)
	if err != nil || was.Packed == nil {
		return err
	}
	is, err := change(was)
	if err != nil || is == nil {
		return err
	}
	if is.SHA256 != was.SHA256 || is.Size != was.Size {
		return fmt.Errorf("body %s: its length or name would change", sum)
	}
	if _, err := t.ExecContext(ctx, `
		UPDATE body
		SET
			kept_sha256 = $2,
			forgotten = $3
		WHERE sha256 = $1`, sum, is.Kept, sqldb.TimeArg(at)); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `
		UPDATE body_bytes
		SET packed = $2
		WHERE sha256 = $1`, sum, is.Packed)
	return err
}
