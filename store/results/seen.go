package results

import (
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// seenAtOnce is how many cases that are as they stood are written at once: a megabyte. It is many, because Postgres may
// look through all cases of an account for each lot.
const seenAtOnce = 20_000

// seenCase is a case in the list that the database is handed.
type seenCase struct {
	Case string `json:"case"`
}

// Seen is Finding without an event of a case that is as it stood, but for LastRun and LastSeen: these alone are written,
// as the run's, for many cases at once.
func (r *Reconciling) Seen(f *ledger.Finding) error {
	if err := r.mine(f.Account); err != nil {
		return err
	}
	r.seen = append(r.seen, seenCase{f.Case})
	if len(r.seen) < seenAtOnce {
		return nil
	}
	seen := r.seen
	r.seen = nil
	return r.t.DB.WrapError(r.doing, r.t.RunInBackground(func() error { return r.writeSeen(seen) }))
}

// flushSeen writes the cases that are gathered.
func (r *Reconciling) flushSeen() error {
	seen := r.seen
	r.seen = nil
	if err := r.t.WaitBackground(); err != nil || len(seen) == 0 {
		return err
	}
	return r.writeSeen(seen)
}

// writeSeen is for whoever has the connection to himself. In what order this and the sights are written makes no
// difference: both say the same of the run. The cases are one argument, to be joined with: of a list of many Postgres
// compares every case of the account with every one of them, as long as it does not know how many cases there are.
func (r *Reconciling) writeSeen(seen []seenCase) error {
	list, err := sqldb.MarshalText(seen)
	if err != nil {
		return err
	}
	d := r.t.DB.Dialect
	_, err = r.t.Tx.ExecContext(r.ctx, `
		UPDATE finding
		SET
			last_run = $2,
			seen_on = $3
		WHERE account = $1 AND case_id IN (
			SELECT `+d.TextMember("x", "case")+`
			FROM `+d.UnnestJSON("$4", "x")+`)`, int64(r.account), r.run.ID, sqldb.DateArg(r.run.AsOf), list)
	return err
}
