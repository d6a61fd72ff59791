package runs

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RecordSteps records how long the steps of a run have taken so far, in case this process is killed. It clears the exit
// code of the process before it. A finished run is left alone; an unknown one is no error.
func (l *Store) RecordSteps(ctx context.Context, run string, steps []ledger.RunStep) error {
	text, err := encodeSteps(steps)
	if err != nil {
		return err
	}
	return l.db.TransactRepeatable(ctx, "note the steps of run "+run, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET
				steps = $2,
				exit_code = 0
			WHERE id = $1 AND ended IS NULL`, run, text)
		return err
	})
}

// RecordExit records the exit code with which a process stopped a run without finishing it, so that the run can be told
// from a killed one. Such a run can be continued. A finished run is left alone.
func (l *Store) RecordExit(ctx context.Context, run string, code int) error {
	return l.db.TransactRepeatable(ctx, "note how run "+run+" stopped", func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET exit_code = $2
			WHERE id = $1 AND ended IS NULL`, run, int64(code))
		return err
	})
}
