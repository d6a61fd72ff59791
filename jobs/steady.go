package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"concilia/store/ledger"
)

const (
	// maxOutageTries is how often what the ledger broke off is begun, the first time counted in.
	maxOutageTries = 5
	// maxOutage is how long the ledger may stay away at a stretch, beside the twenty seconds for which each question waits
	// by itself: a restart, or a hand-over to a standby, takes less.
	maxOutage = time.Minute
	// firstOutagePause is the wait before the second time; each later one is twice as long.
	firstOutagePause = 500 * time.Millisecond
)

// goneError is of a ledger that was waited for long enough: nobody begins again what it ended.
type goneError struct{ error }

func (e *goneError) Unwrap() error { return e.error }

// steady does what may be done twice, and does it again when the ledger broke it off and may be there the next time. It
// is for what every kill leaves behind so that the next run ends alike: whole runs, the judging of an account, a set of
// files. told hears of every wait; nil: nobody does.
func (w *Worker) steady(ctx context.Context, told func(error), do func() error) error {
	var away time.Time // since when the ledger breaks off whatever is begun
	pause := firstOutagePause
	for try := 1; ; try++ {
		began := w.Wall()
		err := do()
		if err == nil || ctx.Err() != nil || !w.Ledger.IsTransient(err) || errors.As(err, new(*goneError)) {
			return err
		}
		now := w.Wall()
		if away.IsZero() || now.Sub(began) > maxOutage { // what lasts that long did not wait in vain
			away = now
		}
		if try == maxOutageTries || now.Sub(away) > maxOutage {
			return &goneError{err}
		}
		if told != nil {
			told(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause *= 2
	}
}

// steadily does the whole of a run that has begun. When the ledger breaks it off it is begun again from its first step,
// as by the process that takes up a run that was killed: what is done is not done twice.
func (w *Worker) steadily(ctx context.Context, run *ledger.Run, do func(*Summary) error) (*Summary, error) {
	var s *Summary
	err := w.steady(ctx, func(err error) {
		w.Progress.Step("ledger", 0)
		w.Progress.Done(fmt.Sprintf("it went away, the run goes on where it was: %v", err))
	}, func() error {
		s = &Summary{Run: run.ID, AsOf: run.AsOf}
		return do(s)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
