package store

import "concilia/store/ledger"

// Seen is Finding without an event of a case that is as it stood, but for LastRun and LastSeen: these alone are written,
// as the run's, for many cases at once.
func (r *Reconciling) Seen(f *ledger.Finding) error {
	if err := r.mine(f.Account); err != nil {
		return err
	}
	r.seen = append(r.seen, f.Case)
	if len(r.seen) < findingsAtOnce {
		return nil
	}
	if err := r.t.settle(); err != nil {
		return r.t.l.fault(r.doing, err)
	}
	seen := r.seen
	r.seen = nil
	r.t.beside(func() error { return r.writeSeen(seen) })
	return nil
}

// flushSeen writes the cases that are gathered.
func (r *Reconciling) flushSeen() error {
	seen := r.seen
	r.seen = nil
	if err := r.t.settle(); err != nil || len(seen) == 0 {
		return err
	}
	return r.writeSeen(seen)
}

// writeSeen is for whoever has the connection to himself. In what order this and the sights are written makes no
// difference: both say the same of the run.
func (r *Reconciling) writeSeen(seen []string) error {
	args := []any{int64(r.account), r.run.ID, sqlDate(r.run.AsOf)}
	for _, id := range seen {
		args = append(args, id)
	}
	_, err := r.t.Tx.ExecContext(r.ctx, `
		UPDATE finding
		SET
			last_run = $2,
			seen_on = $3
		WHERE account = $1 AND case_id IN (`+placeholders(4, len(seen))+`)`, args...)
	return err
}
