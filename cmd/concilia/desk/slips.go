package desk

import (
	"context"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/store/ledger"
)

// slipAnswers answer about slips.
type slipAnswers struct{ *access }

// openSlips are the slips of an account that are open as a run left them.
type openSlips struct {
	run  string
	rows []view.SlipRow // in order of due date; they are not changed
}

// Slips are a part of the slips that are not paid, or paid and not credited.
func (s slipAnswers) Slips(ctx context.Context, f *console.SlipFilter) (out *view.SlipList, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		var rows []view.SlipRow
		for _, a := range s.numbers(w, f.Accounts) {
			open, err := s.readOpenSlips(ctx, w, a)
			if err != nil {
				return err
			}
			for i := range open {
				if f.Chooses(open[i].Due, open[i].Value) {
					rows = append(rows, open[i])
				}
			}
		}
		out = view.SlipListOf(rows, f.Standings, f.After, f.Limit)
		return nil
	})
}

// readOpenSlips reads the open slips of an account. They are those of its last reconcile, and are kept until the next one: of tens of
// thousands, which are put together from several lists, a page shows the sums and a few.
func (s slipAnswers) readOpenSlips(ctx context.Context, w *jobs.Worker, a ledger.Account) ([]view.SlipRow, error) {
	run, err := w.Ledger.LastReconcilingRun(ctx, a)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	kept := s.slips[a]
	s.mu.Unlock()
	if kept.run == run && run != "" {
		return kept.rows, nil
	}
	// The first of the pages that ask at the same time reads them for all. Where it was cut off, the next one does.
	for {
		first := false
		rows, err, _ := s.slipReads.Do(a.String()+" "+run, func() (any, error) {
			first = true
			return s.collectOpenSlips(ctx, w, a, run)
		})
		if err == nil {
			return rows.([]view.SlipRow), nil
		}
		if first || ctx.Err() != nil {
			return nil, err
		}
	}
}

// collectOpenSlips reads the open slips of an account as a run left them, and keeps them.
func (s slipAnswers) collectOpenSlips(ctx context.Context, w *jobs.Worker, a ledger.Account, run string) ([]view.SlipRow, error) {
	asOf, err := w.Ledger.ReconciledAsOf(ctx, a, "")
	if err != nil {
		return nil, err
	}
	kept := openSlips{run: run}
	err = w.Ledger.OpenSlips(ctx, a, func(slip *ledger.Slip, e *ledger.SlipExpectation) error {
		kept.rows = append(kept.rows, view.SlipRowOf(slip, e, asOf))
		return nil
	})
	if err != nil {
		return nil, err
	}
	view.SortSlips(kept.rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slips == nil {
		s.slips = map[ledger.Account]openSlips{}
	}
	s.slips[a] = kept
	return kept.rows, nil
}
