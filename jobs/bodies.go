package jobs

import (
	"context"

	"concilia/store/ledger"
)

// expireBodies deletes the bodies that no pull brought for longer than they are kept.
func (w *Worker) expireBodies(ctx context.Context) error {
	if w.KeepBodies == 0 {
		return nil
	}
	today := w.Today()
	_, err := w.Ledger.ExpireBodies(ctx, today-ledger.Date(w.KeepBodies), today)
	return err
}
