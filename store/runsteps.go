package store

import (
	"context"

	"concilia/store/ledger"
)

// NoteSteps keeps how long the steps of a run have taken so far, for whoever takes it up should this process be killed.
// A run that has ended is left as it is, and one that is not there is no error.
func (l *Ledger) NoteSteps(ctx context.Context, run string, steps []ledger.RunStep) error {
	text, err := stepsText(steps)
	if err != nil {
		return err
	}
	return l.writeAgain(ctx, "note the steps of run "+run, func(t *tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET steps = $2
			WHERE id = $1 AND ended IS NULL`, run, text)
		return err
	})
}
