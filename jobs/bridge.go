package jobs

import (
	"context"

	"concilia/export"
	"concilia/store/ledger"
)

// bridgeFacts puts into control the bridge of the set's account: the rows whose day, the sale's or the slip's due date,
// lies in the period.
func (w *Worker) bridgeFacts(ctx context.Context, a ledger.Account, set setRequest, runID string, f *export.Facts) error {
	lines, err := w.Ledger.BridgeLines(ctx, a, runID)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if set.holds(l.Day) {
			f.Bridge = append(f.Bridge, l)
		}
	}
	var days ledger.Period // all
	if set.basis != export.ByAsOf {
		days = set.period
	}
	rows, err := w.Ledger.Differences(ctx, a, days)
	if err != nil {
		return err
	}
	for _, side := range []string{"cards", "slips"} {
		total := export.BridgeSide{Side: side}
		for _, r := range rows {
			if r.Side == side {
				total.Difference += r.Amount
			}
		}
		f.Sides = append(f.Sides, total)
	}
	return nil
}
