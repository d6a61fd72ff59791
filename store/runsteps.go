package store

import (
	"context"

	"concilia/store/ledger"
)

// NoteSteps keeps how long the steps of a run have taken so far, for whoever takes it up should this process be killed.
// A run that has ended is left as it is, and one that is not there is no error. Whoever notes steps is at it: with what the
// process before it stopped is past.
func (l *Ledger) NoteSteps(ctx context.Context, run string, steps []ledger.RunStep) error {
	text, err := stepsText(steps)
	if err != nil {
		return err
	}
	return l.writeAgain(ctx, "note the steps of run "+run, func(t *tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET
				steps = $2,
				exit_code = 0
			WHERE id = $1 AND ended IS NULL`, run, text)
		return err
	})
}

// NoteExit keeps with what exit code a process stopped at a run that it did not bring to its end, so that it can be told
// from one that was killed. The run stays one to be taken up; one that has ended is left as it is.
func (l *Ledger) NoteExit(ctx context.Context, run string, code int) error {
	return l.writeAgain(ctx, "note how run "+run+" stopped", func(t *tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET exit_code = $2
			WHERE id = $1 AND ended IS NULL`, run, int64(code))
		return err
	})
}
