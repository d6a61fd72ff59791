package desk

import (
	"context"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/store/ledger"
)

// Slips are a part of the slips that are not paid, or paid and not credited.
func (s *Source) Slips(ctx context.Context, f *console.SlipFilter) (out *view.SlipList, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		var rows []view.SlipRow
		for _, a := range s.numbers(w, f.Accounts) {
			asOf, err := w.Ledger.ReconciledAsOf(ctx, a, "")
			if err != nil {
				return err
			}
			err = w.Ledger.OpenSlips(ctx, a, func(slip *ledger.Slip, e *ledger.SlipExpectation) error {
				if f.Chooses(slip.Due, slip.Value) {
					rows = append(rows, view.SlipRowOf(slip, e, asOf))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		out = view.SlipListOf(rows, f.Standings, f.After, f.Limit)
		return nil
	})
}
