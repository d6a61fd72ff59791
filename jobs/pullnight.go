package jobs

import (
	"context"

	"concilia/store/ledger"
)

// PullNight asks for what a night of that morning asks for, keeps the answers, and judges nothing.
func (w *Worker) PullNight(ctx context.Context, asOf ledger.Date) (*Summary, error) {
	run, release, err := w.begin(ctx, ledger.PullRun, asOf)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.steadily(ctx, run, func(s *Summary) error { return w.pullNight(ctx, run, s) })
}

func (w *Worker) pullNight(ctx context.Context, run *ledger.Run, s *Summary) error {
	if err := w.linkStep(ctx, run, nil); err != nil {
		return err
	}
	units, err := w.planNight(ctx, run)
	if err != nil {
		return err
	}
	asked, err := w.pull(ctx, run, units)
	if err != nil {
		return err
	}
	if !asked.nothing() {
		if _, err := w.confirm(ctx, run, asked); err != nil {
			return err
		}
		if err := w.linkStep(ctx, run, asked); err != nil {
			return err
		}
	}
	if err := w.took(ctx, run, s, asked); err != nil {
		return err
	}
	return w.conclude(ctx, run, s, nil)
}
