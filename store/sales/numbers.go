package sales

import (
	"context"

	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// numberKeeper keeps which numbers of notes a file accounts for.
type numberKeeper struct {
	*sqldb.Tx
	at      Shop
	waiting []ownsales.Numbers // not kept yet
}

// add takes the numbers of the notes of the file, which come in order. Those of a day that follow one another are one run.
func (k *numberKeeper) add(ctx context.Context, n *ownsales.Numbers) error {
	if len(k.waiting) > 0 && joinNumbers(&k.waiting[len(k.waiting)-1], n) {
		return nil
	}
	if len(k.waiting) == chunk {
		if err := k.mergeWaiting(ctx); err != nil {
			return err
		}
	}
	k.waiting = append(k.waiting, *n)
	return nil
}

// joinNumbers adds numbers to a run that does not begin behind them, if they go on with it, or say nothing of theirs that it does not, and
// reports whether it did.
func joinNumbers(run, n *ownsales.Numbers) bool {
	known := n.To <= run.To && n.Day == 0
	if n.Emitter != run.Emitter || n.Model != run.Model || n.Series != run.Series || !known && (n.Day != run.Day || n.From > run.To+1) {
		return false
	}
	run.To = max(run.To, n.To)
	return true
}

// mergeWaiting keeps which numbers of notes are accounted for.
func (k *numberKeeper) mergeWaiting(ctx context.Context) error {
	const keep = `
		INSERT INTO own_number (account, store, emitter, model, series, first_number, last_number, day)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account, store, emitter, model, series, first_number, last_number) DO UPDATE
			SET day = CASE WHEN excluded.day > own_number.day THEN excluded.day ELSE own_number.day END`
	err := k.ExecBatch(ctx, keep, len(k.waiting), func(i int) []any {
		n := &k.waiting[i]
		return []any{int64(k.at.Home), k.at.ID, n.Emitter, n.Model, n.Series, n.From, n.To, int64(n.Day)}
	})
	k.waiting = k.waiting[:0]
	return err
}
