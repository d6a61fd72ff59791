package results

import (
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// unchangedBatchSize is how many cases that are as they stood are written at once: a megabyte. It is many, because Postgres may
// look through all cases of an account for each lot.
const unchangedBatchSize = 20_000

// unchangedCase is a case in the list that the database is handed.
type unchangedCase struct {
	Case string `json:"case"`
}

// WriteUnchangedCase is Finding without an event of a case that is as it stood, but for LastRun and LastSeen: these alone are written,
// as the run's, for many cases at once.
func (r *ReconcileTx) WriteUnchangedCase(f *ledger.Finding) error {
	if err := r.checkAccount(f.Account); err != nil {
		return err
	}
	r.unchanged = append(r.unchanged, unchangedCase{f.Case})
	if len(r.unchanged) < unchangedBatchSize {
		return nil
	}
	seen := r.unchanged
	r.unchanged = nil
	return r.t.DB.WrapError(r.doing, r.t.RunInBackground(func() error { return r.writeUnchanged(seen) }))
}

// flushUnchanged writes the cases that are gathered.
func (r *ReconcileTx) flushUnchanged() error {
	seen := r.unchanged
	r.unchanged = nil
	if err := r.t.WaitBackground(); err != nil || len(seen) == 0 {
		return err
	}
	return r.writeUnchanged(seen)
}

// writeUnchanged is for whoever has the connection to himself. In what order this and the sights are written makes no
// difference: both say the same of the run. The cases are one argument, to be joined with: of a list of many Postgres
// compares every case of the account with every one of them, as long as it does not know how many cases there are.
func (r *ReconcileTx) writeUnchanged(seen []unchangedCase) error {
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
